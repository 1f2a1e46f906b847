import Base
import Database
import Foundation
import TokenTree

/// A page and a wallet that find one another again without a new login (protocols/liquid.md, 1 and 3).
struct LiquidPairing: Sendable {
    enum Role: String, Sendable { case provider, controller }
    enum Status: String, Sendable { case pending, active, revoked }

    static let version = 2
    /// Seconds of one that a wallet approved.
    static let lifetime: TimeInterval = 180 * 86_400

    let id: String
    let role: Role
    let status: Status
    let wallet: String?
    let credential: [UInt8]?
    let provider: String
    let controller: String?
    let expiresAt: Date

    /// The session that the role stands for.
    var session: String? { role == .provider ? provider : controller }

    init(_ row: Row, as role: Role) throws(DatabaseError) {
        self.role = role
        (id, wallet, credential) = (try row("id"), try row("wallet"), try row("credential"))
        (provider, controller, expiresAt) = (try row("provider"), try row("controller"), try row("expires_at"))
        let isRevoked: Bool = try row("is_revoked")
        status = isRevoked ? .revoked : controller == nil ? .pending : .active
    }

    var json: JSONValue {
        var members: JSONObject = [
            "version": .integer(LiquidPairing.version), "pairingId": .string(id), "role": .string(role.rawValue),
            "status": .string(status.rawValue), "expiresAt": .string(expiresAt.rfc3339),
        ]
        members["wallet"] = wallet.map(JSONValue.string)
        return .object(members)
    }

    /// What whoever has the role keeps.
    static func issued(_ id: String, _ role: Role, credential: String, expires: Date) -> JSONValue {
        [
            "version": .integer(version), "pairingId": .string(id), "role": .string(role.rawValue),
            "credential": .string(credential), "expiresAt": .string(expires.rfc3339),
        ]
    }

    /// What the database has of a credential.
    static func hash(_ credential: String) -> [UInt8] { Digest.sha256("liquid pairing \(credential)") }

    /// What both sides hear when it is over.
    static func over(_ id: String) -> JSONValue {
        ["version": .integer(version), "pairingId": .string(id), "status": .string(Status.revoked.rawValue)]
    }
}

/// What a client shows of a pairing: at CONNECT, or by `Authorization: Bearer` and `x-pairing-role`.
struct PairingCredential: Sendable {
    let id: String
    let role: LiquidPairing.Role
    let hash: [UInt8]

    /// `nil` for what can be none.
    init?(_ id: String?, role: String?, credential: String?) {
        guard let id, id.utf8.count == 36, UUID(uuidString: id) != nil,
            let role = role.flatMap({ LiquidPairing.Role(rawValue: $0) }), let credential,
            (1...200).contains(credential.utf8.count)
        else { return nil }
        (self.id, self.role, hash) = (id, role, LiquidPairing.hash(credential))
    }

    /// Members of a CONNECT of version 2.
    init?(_ shown: JSONObject) {
        guard shown["version"]?.integer == LiquidPairing.version else { return nil }
        self.init(
            shown["pairingId"]?.string, role: shown["role"]?.string, credential: shown["credential"]?.string)
    }
}
