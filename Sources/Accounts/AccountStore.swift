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
    /// All of them, in place of those before.
    public var attributes: PersonAttributes?

    public init(
        email: String? = nil, name: String? = nil, givenName: String? = nil, familyName: String? = nil,
        requiredFactor: Account.RequiredFactor? = nil, attributes: PersonAttributes? = nil
    ) {
        (self.email, self.name, self.givenName, self.familyName, self.requiredFactor) = (
            email, name, givenName, familyName, requiredFactor
        )
        self.attributes = attributes
    }

    fileprivate var stored: JSONValue? { attributes.map { .object($0.json) } }
}

/// Rows of `account`.
public struct AccountStore: Sendable {
    public enum Refused: Error, Sendable, Equatable {
        case usernameTaken(String)
        case badUsername
        /// It has letters that fold in more than one way (`Username`).
        case unstableUsername
        case badEmail
    }

    let clock: WallClock

    public init(clock: WallClock) { self.clock = clock }

    /// `locking` keeps the row as it is until the transaction ends: suspending waits.
    public func find(_ id: UUID, locking: Bool = false, in executor: any SQLExecutor) async throws -> Account? {
        try AccountStore.found(try await executor.query(AccountStore.find(id, locking: locking)))
    }

    /// Those that there are, in no order.
    public static func find(_ ids: [UUID], in database: Database) async throws -> [Account] {
        try await database.query("select \(Account.columns) from account a where a.id = any (\(ids))").map {
            try Account($0)
        }
    }

    /// The question of `find`, to be sent with others. Its rows are for `found`.
    public static func find(_ id: UUID, locking: Bool = false) -> SQL {
        "select \(Account.columns) from account a where a.id = \(id) \(raw: locking ? "for share" : "")"
    }

    /// Holds while the account is there and active.
    public static func isActive(_ id: UUID) -> SQL {
        "exists (select from account a where a.id = \(id) and a.status = 'active')"
    }

    public static func found(_ rows: [Row]) throws -> Account? { try rows.first.map { try Account($0) } }

    /// Held until the transaction ends: of two who change what the account logs in with, the second sees what the first
    /// did.
    public func hold(_ id: UUID, in transaction: any SQLExecutor) async throws -> Account? {
        try await transaction.query("select \(Account.columns) from account a where a.id = \(id) for no key update")
            .first.map { try Account($0) }
    }

    /// By username in any case, or by UUID.
    public func find(_ name: String, in executor: any SQLExecutor) async throws -> Account? {
        let id = UUID(uuidString: name)
        return try await executor.query(
            """
            select \(Account.columns) from account a where \(AccountStore.isNamed(name)) or a.id = \(id)
                order by \(AccountStore.nearest(name)) limit 1
            """
        ).first.map { try Account($0) }
    }

    /// The account and its password, for a login.
    func credentials(_ username: String, in executor: any SQLExecutor) async throws -> Credentials? {
        try await executor.query(
            """
            select \(Account.columns), a.password, n.id as generation
            from account a left join ancestor n on n.kind = 'password' and n.name = a.id::text
            where \(AccountStore.isNamed(username)) order by \(AccountStore.nearest(username)) limit 1
            """
        ).first.map { try Credentials($0) }
    }

    /// Of `a`, by the key of a name; without one as before there were keys.
    public static func isNamed(_ name: String) -> SQL {
        Username.isPlain(name)
            ? """
            (a.username_key = \(Username.key(name)) or (a.username_key is null and lower(a.username) = \
            lower(\(name))))
            """
            : "lower(a.username) = lower(\(name))"
    }

    /// Of two, whom the name means: the one who is written so.
    static func nearest(_ name: String) -> SQL { "a.username = \(name) desc, a.username_key is null, a.id" }

    /// Gives accounts of before their keys; how many. One whose key another has keeps none, and is found as before.
    @discardableResult
    public func fillKeys(in database: Database) async throws -> Int {
        var filled = 0, after: (at: Date, id: UUID)?
        repeat {
            let rows = try await database.query(
                """
                select a.id, a.username, a.created_at from account a
                where a.username_key is null and (\(after?.at)::timestamptz is null
                    or (a.created_at, a.id) > (\(after?.at), \(after?.id)))
                order by a.created_at, a.id limit 500
                """)
            for row in rows {
                let id: UUID = try row("id"), username: String = try row("username")
                filled += try await fill(id, Username.key(username), in: database)
            }
            after = nil
            if let last = rows.last { after = (at: try last("created_at"), id: try last("id")) }
        } while after != nil
        return filled
    }

    private func fill(_ id: UUID, _ key: String, in database: Database) async throws -> Int {
        do {
            return try await database.execute(
                "update account set username_key = \(key) where id = \(id) and username_key is null")
        } catch DatabaseError.unique {
            return 0
        }
    }

    public func create(
        username: String, password: PasswordHash, change: AccountChange, in executor: any SQLExecutor
    ) async throws -> Account {
        if let objection = Username.objection(to: username) { throw objection }
        try AccountStore.check(change)
        do {
            let rows = try await executor.query(
                """
                insert into account as a
                    (id, username, username_key, email, name, given_name, family_name, password, required_factor,
                        created_at, attributes)
                values (\(Randomness.system.uuid()), \(username), \(Username.key(username)), \(change.email),
                    \(change.name), \(change.givenName),
                        \(change.familyName), \(password.encoded),
                            \(change.requiredFactor ?? Account.RequiredFactor.none), \(clock.now()),
                            \(change.stored ?? [:]))
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
        return try await executor.query(
            """
            update account a set email = coalesce(\(change.email), a.email),
                   email_verified_at = case when coalesce(\(change.email), a.email) = a.email
                       then a.email_verified_at end,
                   name = coalesce(\(change.name), a.name),
                   given_name = coalesce(\(change.givenName), a.given_name),
                       family_name = coalesce(\(change.familyName), a.family_name),
                   required_factor = coalesce(\(change.requiredFactor), a.required_factor),
                   attributes = coalesce(\(change.stored), a.attributes)
            where a.id = \(id) returning \(Account.columns)
            """
        ).first.map { try Account($0) }
    }

    public func setPassword(_ id: UUID, _ password: PasswordHash, in executor: any SQLExecutor) async throws {
        _ = try await executor.execute("update account set password = \(password.encoded) where id = \(id)")
    }

    public func setStatus(_ id: UUID, _ status: Account.Status, in executor: any SQLExecutor) async throws -> Account? {
        try await executor.query(
            "update account a set status = \(status) where a.id = \(id) returning \(Account.columns)"
        )
        .first.map { try Account($0) }
    }

    public func delete(_ id: UUID, in executor: any SQLExecutor) async throws {
        let name = id.uuidString.lowercased()
        _ = try await executor.execute(
            """
            with password as (delete from ancestor where kind = 'password' and name = \(name)),
            uses as (
                delete from ancestor
                where kind = 'use' and name = any (array(select \(name) || '/' || s.id from service s))
            )
            delete from account where id = \(id)
            """)
    }

    /// Oldest first. `after` is the id of the last one seen.
    public func list(
        query: String?, of filter: InstitutionFilter = .everything, after: UUID?, limit: Int,
        in executor: any SQLExecutor
    ) async throws -> [Account] {
        let pattern = query.map {
            "%" + $0.replacing("\\", with: "\\\\").replacing("%", with: "\\%").replacing("_", with: "\\_") + "%"
        }
        return try await executor.query(
            """
            select \(Account.columns) from account a
            where (\(pattern)::text is null or a.username ilike \(pattern) or a.email ilike \(pattern)
                or a.name ilike \(pattern))
              and \(filter.condition("a.institution"))
              and (\(after)::uuid is null or (a.created_at, a.id) > (select b.created_at, b.id from account b
                  where b.id = \(after)))
            order by a.created_at, a.id limit \(limit)
            """
        ).map { try Account($0) }
    }

    private static func check(_ change: AccountChange) throws {
        guard let email = change.email else { return }
        guard isAddress(email) else { throw Refused.badEmail }
    }

    /// Whether it may stand as somebody's address; servers of mail may be stricter.
    public static func isAddress(_ email: String) -> Bool {
        email.wholeMatch(of: #/[^@\s]{1,64}@[^@\s]{1,255}/#) != nil
    }

    /// Whose address it is, in any case, oldest first.
    public func reading(_ email: String, limit: Int, in executor: any SQLExecutor) async throws -> [Account] {
        try await executor.query(
            """
            select \(Account.columns) from account a where lower(a.email) = lower(\(email))
            order by a.created_at, a.id limit \(limit)
            """
        ).map { try Account($0) }
    }

    /// The person showed that they read there; nothing where the address is another by now.
    public func verify(_ id: UUID, email: String, in executor: any SQLExecutor) async throws {
        _ = try await executor.execute(
            "update account set email_verified_at = \(clock.now()) where id = \(id) and email = \(email)")
    }
}
