import Base
import Database
import Foundation

/// What somebody may do once who has a link: it was mailed to the address of the account, or handed over by an
/// operator.
public struct AccountLink: Sendable {
    public enum Purpose: String, Sendable, SQLEncodable, SQLDecodable {
        /// Set a password that was forgotten.
        case reset
        /// Set the first password.
        case invite
        /// Show that an address is read.
        case verify
        /// End what somebody else began.
        case cut
    }

    public let purpose: Purpose
    public let account: Account
    /// What it hangs from; of `reset` and `invite` the last is the password that it replaces.
    public let lineage: [NodeID]
    /// The purpose's own.
    public let detail: JSONObject
    public let expiresAt: Date
    let madeAt: Date
    let secret: [UInt8]

    static let columns: SQL = """
        l.secret, l.purpose, l.lineage, l.detail, l.expires_at, l.created_at as made_at, \(Account.columns)
        """

    init(_ row: Row) throws(DatabaseError) {
        (secret, purpose, lineage) = (try row("secret"), try row("purpose"), try row("lineage"))
        let value: JSONValue = try row("detail")
        (detail, expiresAt, account) = (value.object ?? [:], try row("expires_at"), try Account(row))
        madeAt = try row("made_at")
    }
}

/// Rows of `account_link`.
public struct AccountLinkStore: Sendable {
    /// Seconds that each purpose's are good for.
    public static func lifetime(_ purpose: AccountLink.Purpose) -> TimeInterval {
        switch purpose {
        case .reset: 900
        case .verify: 86_400
        case .invite, .cut: 7 * 86_400
        }
    }

    let clock: WallClock
    let randomness: Randomness

    public init(clock: WallClock, randomness: Randomness) { (self.clock, self.randomness) = (clock, randomness) }

    /// What stands in the address; nothing here keeps it.
    public func open(
        _ purpose: AccountLink.Purpose, of account: UUID, below lineage: [NodeID], detail: JSONObject = [:],
        in executor: any SQLExecutor
    ) async throws -> String {
        let text = randomness.secretText(), now = clock.now()
        _ = try await executor.execute(
            """
            insert into account_link (secret, purpose, account, lineage, detail, created_at, expires_at)
            values (\(Digest.sha256(text)), \(purpose), \(account), \(lineage), \(JSONValue.object(detail)), \(now),
                \(now.addingTimeInterval(AccountLinkStore.lifetime(purpose))))
            """)
        return text
    }

    /// `nil` for one that is unknown, used, expired, or that hangs from something revoked. Changes nothing.
    public func find(
        _ text: String, _ purposes: [AccountLink.Purpose], in executor: any SQLExecutor
    ) async throws -> AccountLink? {
        guard text.utf8.count == 43 else { return nil }
        return try await executor.query(
            """
            select \(AccountLink.columns) from account_link l join account a on a.id = l.account
            where l.secret = \(Digest.sha256(text)) and l.purpose = any (\(purposes.map(\.rawValue)))
                and l.expires_at > \(clock.now())
                and not exists (select from revocation r where r.node = any (l.lineage))
            """
        ).first.map { try AccountLink($0) }
    }

    /// Of all that use one, one does: true for it. The caller holds what it hangs from.
    public func use(_ link: AccountLink, in transaction: any SQLExecutor) async throws -> Bool {
        try await transaction.execute(
            """
            delete from account_link l where l.secret = \(link.secret) and l.expires_at > \(clock.now())
                and not exists (select from revocation r where r.node = any (l.lineage))
            """) == 1
    }

    /// Takes those away that an older word of the same kind made worthless.
    public func drop(
        _ purpose: AccountLink.Purpose, of account: UUID, in executor: any SQLExecutor
    ) async throws {
        _ = try await executor.execute(
            "delete from account_link where account = \(account) and purpose = \(purpose)")
    }

    /// Takes those of its purpose away that the account was given since, and gives what they were for.
    public func takeSince(_ link: AccountLink, in transaction: any SQLExecutor) async throws -> [JSONObject] {
        try await transaction.query(
            """
            delete from account_link where account = \(link.account.id) and purpose = \(link.purpose)
                and created_at >= \(link.madeAt) returning detail
            """
        ).map { row in
            let value: JSONValue = try row("detail")
            return value.object ?? [:]
        }
    }

    /// Drops what has been over for an hour.
    public func forget(in executor: any SQLExecutor) async throws {
        _ = try await executor.execute(
            "delete from account_link where expires_at < \(clock.now().addingTimeInterval(-3_600))")
    }
}
