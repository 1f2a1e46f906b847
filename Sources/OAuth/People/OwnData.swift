import Accounts
import Base
import Database
import Foundation
import TokenTree
import Vocabulary

/// All that is held on a person, for themselves: row by row, as it stands in the database, without what is secret.
public final class OwnData: Sendable {
    /// The rows of one member.
    public struct Part: Sendable {
        public let member: String
        /// Objects, the newest first.
        public let rows: [JSONValue]
        /// There are older ones.
        public let isCut: Bool

        public init(member: String, rows: [JSONValue], isCut: Bool) {
            (self.member, self.rows, self.isCut) = (member, rows, isCut)
        }
    }

    public struct Export: Sendable {
        public let at: Date
        public let parts: [Part]

        public init(at: Date, parts: [Part]) { (self.at, self.parts) = (at, parts) }

        /// An array for each member; `cut` names those that hold more than is told.
        public var json: JSONValue {
            var members: JSONObject = [
                "exported_at": .string(at.rfc3339),
                "cut": JSONValue(strings: parts.filter(\.isCut).map(\.member)),
            ]
            for part in parts { members[part.member] = .array(part.rows) }
            return .object(members)
        }
    }

    /// Rows of a member that are told at most: an export stays within bounds whatever was written about somebody.
    static let most = 5_000
    /// Bytes of JSON of a member: rows may be long, those of messages above all.
    static let room = 4 << 20

    let database: Database
    let holdings: [AccountHolding]
    let clock: WallClock

    /// `holdings` in the order of the export: the IdP's own, then the products'.
    public init(database: Database, holdings: [AccountHolding], clock: WallClock) {
        (self.database, self.holdings, self.clock) = (database, holdings, clock)
    }

    /// Throws `OAuthError`: 401 `invalid_token` where nobody is behind the token, 429 `slow_down` after twenty within
    /// the hour.
    public func export(_ owner: Owner) async throws -> Export {
        guard let account = owner.account else {
            throw OAuthError(.invalidToken, "the person behind this token is no longer active")
        }
        let name = account.uuidString.lowercased(), now = clock.now()
        let pace = AttemptLimit.Step(subject: "export \(name)", free: 20, pause: 60)
        if let seconds = try await AttemptLimit(clock: clock).count([pace], in: database) {
            throw OAuthError(
                .tooManyAttempts, "too many exports; try again in \(seconds) seconds", retryAfter: seconds)
        }
        // Before it is told, so that the person reads in it that it was.
        let entry = AuditEntry(actor: owner.actor, action: "account.export", node: "account:\(name)", account: account)
        try await AuditTrail.write(entry, at: now, in: database)
        var parts: [Part] = []
        for holding in holdings {
            let statement = holding.statement(of: account, atMost: OwnData.most + 1, room: OwnData.room)
            let rows = try await database.query(statement), found: Int64 = try rows.first?("found") ?? 0
            let told: [JSONValue] = try rows.prefix(OwnData.most).map { try $0("told") }
            parts.append(Part(member: holding.member, rows: told, isCut: found > Int64(told.count)))
        }
        return Export(at: now, parts: parts)
    }
}
