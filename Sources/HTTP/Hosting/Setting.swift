import Administration

/// One key of the configuration. The server has its own, each product brings the others.
public struct Setting: Hashable, Sendable {
    /// Its spelling in files and flags.
    public let name: String
    public let fallback: String
    public let meaning: String
    /// `config show` does not print its value.
    public let isSecret: Bool
    /// Its value is what people know this server by: no password may be made of it.
    public let namesServer: Bool

    public init(
        _ name: String, _ meaning: String, default fallback: String = "", isSecret: Bool = false,
        namesServer: Bool = false
    ) {
        (self.name, self.meaning, self.fallback) = (name, meaning, fallback)
        (self.isSecret, self.namesServer) = (isSecret, namesServer)
    }

    /// Its spelling in the environment.
    public var environmentName: String { "PANDO_" + name.uppercased().replacing("-", with: "_") }

    public static func == (one: Setting, other: Setting) -> Bool { one.name == other.name }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

/// A value that cannot stand; says which key, and what would do.
public struct UnacceptableSetting: Error, CustomStringConvertible {
    public let description: String

    public init(description: String) { self.description = description }
}

extension UnacceptableSetting: AdminRefusal {
    public var failure: AdminFailure { AdminFailure(.invalid, description) }
}
