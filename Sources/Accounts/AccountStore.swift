import Base
import Database
import Foundation

/// What an administrator may say about an account; `nil` leaves a member as it is.
public struct AccountChange: Sendable {
    public var email: String?
    public var name: String?
    public var givenName: String?
    public var familyName: String?
    public var requiredFactor: Account.RequiredFactor?

    public init(email: String? = nil, name: String? = nil, givenName: String? = nil, familyName: String? = nil, requiredFactor: Account.RequiredFactor? = nil) {
        (self.email, self.name, self.givenName, self.familyName, self.requiredFactor) = (email, name, givenName, familyName, requiredFactor)
    }
}

/// Rows of `account`.
public struct AccountStore: Sendable {
    public enum Refused: Error, Sendable, Equatable {
        case usernameTaken(String)
        case badUsername
        case badEmail
        /// Shorter than 12 characters (decisions.md, The house 4).
        case weakPassword
    }

    let clock: WallClock

    public init(clock: WallClock) { self.clock = clock }

    /// `locking` keeps the row as it is until the transaction ends: suspending waits.
    public func find(_ id: UUID, locking: Bool = false, in executor: any SQLExecutor) async throws -> Account? {
        try await executor.query("select \(Account.columns) from account a where a.id = \(id) \(raw: locking ? "for share" : "")").first.map { try Account($0) }
    }

    /// Held until the transaction ends: of two who change what the account logs in with, the second sees what the first did.
    public func hold(_ id: UUID, in transaction: any SQLExecutor) async throws -> Account? {
        try await transaction.query("select \(Account.columns) from account a where a.id = \(id) for no key update").first.map { try Account($0) }
    }

    /// By username in any case, or by UUID.
    public func find(_ name: String, in executor: any SQLExecutor) async throws -> Account? {
        let id = UUID(uuidString: name)
        return try await executor.query("""
            select \(Account.columns) from account a where lower(a.username) = lower(\(name)) or a.id = \(id)
            """).first.map { try Account($0) }
    }

    /// The account and its password, for a login.
    func credentials(_ username: String, in executor: any SQLExecutor) async throws -> Credentials? {
        try await executor.query("""
            select \(Account.columns), a.password, n.id as generation
            from account a left join ancestor n on n.kind = 'password' and n.name = a.id::text
            where lower(a.username) = lower(\(username))
            """).first.map { try Credentials($0) }
    }

    public func create(
        username: String, password: PasswordHash, change: AccountChange, in executor: any SQLExecutor
    ) async throws -> Account {
        guard AccountStore.isUsername(username) else { throw Refused.badUsername }
        try AccountStore.check(change)
        do {
            let rows = try await executor.query("""
                insert into account as a
                    (id, username, email, name, given_name, family_name, password, required_factor, created_at)
                values (\(UUID()), \(username), \(change.email), \(change.name), \(change.givenName), \(change.familyName), \(password.encoded),
                        \(change.requiredFactor ?? .none), \(clock.now()))
                returning \(Account.columns)
                """)
            guard let row = rows.first else { throw DatabaseError.serialization }
            return try Account(row)
        } catch DatabaseError.unique {
            throw Refused.usernameTaken(username)
        }
    }

    public func update(_ id: UUID, _ change: AccountChange, in executor: any SQLExecutor) async throws -> Account? {
        try AccountStore.check(change)
        return try await executor.query("""
            update account a set email = coalesce(\(change.email), a.email), name = coalesce(\(change.name), a.name),
                   given_name = coalesce(\(change.givenName), a.given_name), family_name = coalesce(\(change.familyName), a.family_name),
                   required_factor = coalesce(\(change.requiredFactor), a.required_factor)
            where a.id = \(id) returning \(Account.columns)
            """).first.map { try Account($0) }
    }

    public func setPassword(_ id: UUID, _ password: PasswordHash, in executor: any SQLExecutor) async throws {
        _ = try await executor.execute("update account set password = \(password.encoded) where id = \(id)")
    }

    public func setStatus(_ id: UUID, _ status: Account.Status, in executor: any SQLExecutor) async throws -> Account? {
        try await executor.query("update account a set status = \(status) where a.id = \(id) returning \(Account.columns)")
            .first.map { try Account($0) }
    }

    public func delete(_ id: UUID, in executor: any SQLExecutor) async throws {
        _ = try await executor.execute("delete from account where id = \(id)")
    }

    /// Oldest first. `after` is the id of the last one seen.
    public func list(query: String?, after: UUID?, limit: Int, in executor: any SQLExecutor) async throws -> [Account] {
        let pattern = query.map { "%" + $0.replacing("\\", with: "\\\\").replacing("%", with: "\\%").replacing("_", with: "\\_") + "%" }
        return try await executor.query("""
            select \(Account.columns) from account a
            where (\(pattern)::text is null or a.username ilike \(pattern) or a.email ilike \(pattern) or a.name ilike \(pattern))
              and (\(after)::uuid is null or (a.created_at, a.id) > (select b.created_at, b.id from account b where b.id = \(after)))
            order by a.created_at, a.id limit \(limit)
            """).map { try Account($0) }
    }

    /// 1 to 64 characters without blanks or control characters; not a UUID, which would name another account.
    private static func isUsername(_ name: String) -> Bool {
        (1...64).contains(name.count) && UUID(uuidString: name) == nil
            && name.unicodeScalars.allSatisfy { !$0.properties.isWhitespace && $0.properties.generalCategory != .control }
    }

    private static func check(_ change: AccountChange) throws {
        guard let email = change.email else { return }
        guard email.wholeMatch(of: #/[^@\s]{1,64}@[^@\s]{1,255}/#) != nil else { throw Refused.badEmail }
    }
}
