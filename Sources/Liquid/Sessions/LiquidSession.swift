import Base
import Database
import Foundation
import TokenTree

/// A session of somebody who logged in with a wallet's passkey, or waits for that.
public struct LiquidSession: Sendable {
    /// How it came to its wallet.
    public enum Entered: String, Sendable, SQLEncodable, SQLDecodable {
        /// A passkey answered in it.
        case credential
        /// It was linked with a session in which one did.
        case link
    }

    /// No secret; `session:liquid:ID` in the tree.
    public let id: String
    /// The address; `nil` before it is let in.
    public let wallet: String?
    public let credential: [UInt8]?
    public let entered: Entered?
    public let createdAt: Date
    public let lastSeen: Date
    public let expiresAt: Date
    let lineage: [NodeID]

    static let columns: SQL =
        "x.id, x.wallet, x.credential, x.entered, x.created_at, x.last_seen, x.expires_at, x.lineage"

    init(_ row: Row) throws(DatabaseError) {
        (id, wallet, credential, entered) = (
            try row("id"), try row("wallet"), try row("credential"), try row("entered")
        )
        (createdAt, lastSeen, expiresAt, lineage) = (
            try row("created_at"), try row("last_seen"), try row("expires_at"), try row("lineage")
        )
    }

    /// Of `x`: it has not expired and nothing of its lineage is revoked, nor of what its token hangs from now.
    static func isLive(at now: Date) -> SQL {
        """
        (x.expires_at > \(now) and not exists (select from revocation r where r.node = any (x.lineage)) and \(hasToken))
        """
    }

    /// Of `x`: the token lives that it stands for, if it stands for one.
    static let hasToken: SQL = """
        (x.begun_by is null or exists (select from family f where f.id = x.begun_by and not exists (
            select from revocation r where r.node = any (f.lineage))))
        """

    public var node: Ancestor { LiquidSession.node(id) }

    static func node(_ id: String) -> Ancestor { Ancestor(.session, prefix + id) }
    static let prefix = "liquid:"
}

/// Who asks: what `connect.sid` says, looked up. Everybody has a session id; only those who logged in, or wait to be
/// linked, have a row.
public struct PresentedSession: Sendable {
    let sid: SessionID
    /// `nil` for those who have no row.
    public let session: LiquidSession?
    /// What `connect.sid` is to be set to, where it is to be set: another, or the same for another while.
    public let newCookie: String?
    /// User-Agent, cut to a bearable length.
    let device: String?
    /// Address of the peer.
    let origin: String?
    /// The cookie that came is the session's, not the one before it.
    let isCurrent: Bool

    init(
        sid: SessionID, session: LiquidSession?, newCookie: String?, device: String?, origin: String?,
        isCurrent: Bool = true
    ) {
        (self.sid, self.session, self.newCookie, self.device, self.origin) = (
            sid, session, newCookie, device.map { String($0.prefix(300)) }, origin
        )
        self.isCurrent = isCurrent
    }

    /// The session's name, whether or not it has a row.
    public var id: String { sid.id }

    var actor: AuditActor {
        session?.wallet.map { AuditActor.wallet($0, origin: origin) }
            ?? AuditActor(name: "liquid:\(id)", origin: origin)
    }
}
