import Base
import Database
import Foundation
import TokenTree
import WebAuthn

/// A credential that this server knows.
public struct Passkey: Sendable {
    /// Who asked for it first.
    public enum Flow: String, Sendable, CaseIterable, SQLEncodable, SQLDecodable {
        case idp, liquid

        /// As the IdP calls the factor that such a one is at a login.
        public var factor: String {
            switch self {
            case .idp: "passkey"
            case .liquid: "wallet"
            }
        }
    }

    public let id: [UInt8]
    public let flow: Flow
    /// Whose login it is at the IdP: of a wallet's passkey only once its owner has linked it.
    public let account: UUID?
    /// The address, for those of wallets.
    public let wallet: String?
    public let name: String
    public let device: String?
    public let transports: [String]
    public let counter: UInt32
    /// When its counter last did not go up: perhaps there is a copy.
    public let flaggedAt: Date?
    public let backupEligible: Bool
    public let backedUp: Bool
    public let format: String
    public let trust: String
    public let createdAt: Date
    public let lastUsedAt: Date?
    /// COSE_Key, as the authenticator wrote it.
    public let key: [UInt8]

    /// Of `source`.
    static let columns: SQL = """
        p.id, p.flow, coalesce(p.account, l.account) as account, p.wallet, p.name, p.device, p.transports,
            p.sign_count, p.flagged_at, p.backup_eligible,
        p.backed_up, p.format, p.trust, p.created_at, p.last_used_at, p.cose_key
        """
    static let source: SQL = "passkey p left join passkey_link l on l.credential = p.id"

    init(_ row: Row) throws(DatabaseError) {
        (id, flow, account, wallet) = (try row("id"), try row("flow"), try row("account"), try row("wallet"))
        (name, device, transports) = (try row("name"), try row("device"), try row("transports"))
        let count: Int64 = try row("sign_count")
        (counter, flaggedAt) = (UInt32(clamping: count), try row("flagged_at"))
        (backupEligible, backedUp, format, trust) = (
            try row("backup_eligible"), try row("backed_up"), try row("format"), try row("trust")
        )
        (createdAt, lastUsedAt, key) = (try row("created_at"), try row("last_used_at"), try row("cose_key"))
    }

    /// As it stands in URLs and on the wire.
    public var text: String { Base64URL.encode(id) }

    public var descriptor: CredentialDescriptor { CredentialDescriptor(id: id, transports: transports) }

    public func known() throws(WebAuthnRefusal) -> KnownCredential {
        KnownCredential(id: id, key: try COSEKey(key), counter: counter, backupEligible: backupEligible)
    }

    // MARK: In the tree

    /// What hangs below the passkey: sessions of wallets that it let in.
    public static func node(_ credential: [UInt8]) -> Ancestor { Ancestor(.key, prefix + Base64URL.encode(credential)) }

    /// The passkey that an ancestor stands for.
    public static func credential(of ancestor: Ancestor) -> [UInt8]? {
        guard ancestor.kind == .key, ancestor.name.hasPrefix(prefix) else { return nil }
        return Base64URL.decode(ancestor.name.dropFirst(prefix.count))
    }

    private static let prefix = "passkey:"
}
