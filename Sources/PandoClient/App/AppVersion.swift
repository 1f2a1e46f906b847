/// A release of an app, with the key that is in its every binary: it says which software asks, never who.
public struct AppVersion: Sendable {
    /// The software id, e.g. `org.example.app`.
    public let app: String
    public let version: String
    public let key: SigningKey
    /// The `kid` that `pando admin apps versions add` printed; the key's thumbprint where none was given.
    public let keyID: String

    public init(app: String, version: String, key: SigningKey, keyID: String? = nil) {
        (self.app, self.version, self.key, self.keyID) = (app, version, key, keyID ?? key.thumbprint)
    }

    public var id: String { "\(app).\(version)" }
}

/// What an installation says of where it runs.
public struct Device: Sendable {
    /// The same each time that this installation registers.
    public let id: String
    /// What its owner calls it. A server may refuse whoever leaves one of these three out; Pando does.
    public let name: String?
    /// E.g. `phone`.
    public let type: String?
    public let osVersion: String?

    public init(id: String, name: String?, type: String?, osVersion: String?) {
        (self.id, self.name, self.type, self.osVersion) = (id, name, type, osVersion)
    }
}
