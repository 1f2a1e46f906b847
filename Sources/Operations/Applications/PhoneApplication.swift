import Base
import Database
import PowerAuth

/// A row of `phone_application`: what an owner's mobile app is to PowerAuth. Its secrets are not in here.
public struct PhoneApplication: Sendable {
    let id: String
    let owner: String
    public let appID: String
    public let name: String
    /// 65 bytes.
    public let masterPublicKey: [UInt8]
    let masterPrivate: Sealed
    public let choice: ProtocolChoice
    /// Of the first block by wrong PINs, the second and so on; behind the last one a block is for good.
    public let blockMinutes: [Int]

    /// Of `phone_application p`.
    static let columns: SQL = """
        p.id, p.owner, p.app_id, p.name, p.master_public, p.master_private, p.master_sealed_by,
        p.protocols, p.algorithms, p.block_minutes
        """

    init(_ row: Row) throws {
        (id, owner, appID, name) = (try row("id"), try row("owner"), try row("app_id"), try row("name"))
        (masterPublicKey, blockMinutes) = (try row("master_public"), try row("block_minutes"))
        masterPrivate = Sealed(bytes: try row("master_private"), by: try row("master_sealed_by"))
        choice = ProtocolChoice(stored: try row("protocols"), try row("algorithms"))
    }
}

/// A row of `phone_application_version`, opened.
struct ApplicationVersion: Sendable {
    /// Base64 of 16 bytes, which names it.
    let applicationKey: String
    let applicationID: String
    let secret: SecretBytes
    let isSupported: Bool
    /// Of its application.
    let choice: ProtocolChoice

    /// As it stands in what is signed, and in the bases of envelopes.
    var secretText: String { secret.expose { Base64Text.encode($0) } }
}

/// What the back office reads: it configures the SDK of the app, so the versions' secrets are in it.
public struct ApplicationView: Sendable {
    public let application: PhoneApplication
    public let sdkConfig: String?
    let versions: [ApplicationVersion]

    public var json: JSONValue {
        var members: JSONObject = ["appId": .string(application.appID), "name": .string(application.name)]
        members["protocols"] = JSONValue(strings: application.choice.protocolNames)
        members["algorithms"] = JSONValue(strings: application.choice.algorithmNames)
        if let sdkConfig { members["sdkConfig"] = .string(sdkConfig) }
        members["blockMinutes"] = .array(application.blockMinutes.map { .integer($0) })
        members["versions"] = .array(
            versions.map {
                [
                    "applicationKey": .string($0.applicationKey), "applicationSecret": .string($0.secretText),
                    "supported": .bool($0.isSupported),
                ]
            })
        return .object(members)
    }
}

/// POST /v2/applications.
public struct ApplicationDraft: Sendable {
    let appID: String
    let name: String

    public init(_ json: JSONValue) throws(BackOfficeRefusal) {
        let members = try BackOfficeMembers(json)
        let appID = try members.required("appId", limit: 100)
        try self.init(appID: appID, name: try members.filled("name", limit: 100) ?? appID)
    }

    public init(appID: String, name: String) throws(BackOfficeRefusal) {
        let letters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-")
        guard (1...100).contains(appID.utf8.count), appID.allSatisfy({ letters.contains($0) }) else {
            throw .request("appId is 1 to 100 letters, digits and . _ : -")
        }
        (self.appID, self.name) = (appID, name)
    }
}
