import Base
import Database
import Foundation

/// Rows of `account`, as directories know them.
public struct DirectoryStore: Sendable {
    /// What is another's already.
    public enum Taken: Error, Sendable, Equatable { case username, externalID }

    let clock: WallClock

    public init(clock: WallClock) { self.clock = clock }

    /// Of `a`.
    private static func isIn(_ scope: DirectoryScope) -> SQL {
        scope.institution.map { "a.institution = \($0)" } ?? "true"
    }

    /// `holding`: until the transaction ends nobody else changes it.
    public func find(
        _ id: UUID, in scope: DirectoryScope, holding: Bool = false, in executor: any SQLExecutor
    ) async throws -> DirectoryPerson? {
        try await executor.query(
            """
            select \(DirectoryPerson.columns) from account a
            where a.id = \(id) and \(DirectoryStore.isIn(scope)) \(raw: holding ? "for no key update" : "")
            """
        ).first.map { try DirectoryPerson($0) }
    }

    /// Those for whom `condition` on `a` holds, in this order; so many from a place on.
    public func list(
        where condition: SQL, in scope: DirectoryScope, by order: SQL, offset: Int, limit: Int,
        in executor: any SQLExecutor
    ) async throws -> [DirectoryPerson] {
        try await executor.query(
            """
            select \(DirectoryPerson.columns) from account a where \(DirectoryStore.isIn(scope)) and (\(condition))
            order by \(order) offset \(offset) limit \(limit)
            """
        ).map { try DirectoryPerson($0) }
    }

    public func count(
        where condition: SQL, in scope: DirectoryScope, in executor: any SQLExecutor
    ) async throws -> Int {
        try await executor.query(
            "select count(*) as found from account a where \(DirectoryStore.isIn(scope)) and (\(condition))"
        ).first.map { try $0("found") } ?? 0
    }

    /// Oldest first, after one that was seen.
    public func page(
        in scope: DirectoryScope, isActive: Bool? = nil, after: UUID?, limit: Int, in executor: any SQLExecutor
    ) async throws -> [DirectoryPerson] {
        try await executor.query(
            """
            select \(DirectoryPerson.columns) from account a
            where \(DirectoryStore.isIn(scope))
                and (\(isActive)::boolean is null or (a.status = 'active') = \(isActive))
                and (\(after)::uuid is null
                    or (a.created_at, a.id) > (select b.created_at, b.id from account b where b.id = \(after)))
            order by a.created_at, a.id limit \(limit)
            """
        ).map { try DirectoryPerson($0) }
    }

    /// Everybody whom one of these names means, wherever they belong, and those of the institution whom the directory
    /// calls so.
    public func known(
        usernames: [String], externalIDs: [String], institution: String?, in executor: any SQLExecutor
    ) async throws -> [DirectoryPerson] {
        try await executor.query(
            """
            select \(DirectoryPerson.columns) from account a
            where a.username_key = any (\(usernames.map(Username.key)))
                or (a.username_key is null and lower(a.username) = any (\(usernames.map { $0.lowercased() })))
                or (a.external_id = any (\(externalIDs)) and coalesce(a.institution, '') = \(institution ?? ""))
            """
        ).map { try DirectoryPerson($0) }
    }

    /// Gives nothing where somebody has the name meanwhile, or is called so.
    public func insertion(_ record: DirectoryRecord, password: PasswordHash?, institution: String?) -> SQL {
        """
        insert into account as a
            (id, username, username_key, email, name, given_name, family_name, password, status, created_at, attributes,
                institution, external_id)
        values (\(Randomness.system.uuid()), \(record.username), \(Username.key(record.username)), \(record.email),
            \(record.name), \(record.givenName), \(record.familyName), \((password ?? .nobody).encoded),
            \(record.status), \(clock.now()), \(JSONValue.object(record.attributes.json)), \(institution),
            \(record.externalID))
        on conflict do nothing
        returning \(DirectoryPerson.columns)
        """
    }

    /// The statements of `insertion`, answered; one for each.
    public func insert(
        _ insertions: [SQL], in executor: any SQLExecutor
    ) async throws -> [DirectoryPerson?] {
        try await executor.batch(insertions).map { rows in try rows.first.map { try DirectoryPerson($0) } }
    }

    /// All but the status, which is no matter of this row alone. Throws `Taken`.
    public func replace(
        _ id: UUID, with record: DirectoryRecord, in executor: any SQLExecutor
    ) async throws -> DirectoryPerson? {
        do {
            return try await executor.query(
                """
                update account a set username = \(record.username),
                    username_key = case when a.username = \(record.username) then a.username_key
                        else \(Username.key(record.username)) end,
                    email = \(record.email),
                    email_verified_at = case when a.email = \(record.email) then a.email_verified_at end,
                    name = \(record.name), given_name = \(record.givenName), family_name = \(record.familyName),
                    attributes = \(JSONValue.object(record.attributes.json)), external_id = \(record.externalID)
                where a.id = \(id) returning \(DirectoryPerson.columns)
                """
            ).first.map { try DirectoryPerson($0) }
        } catch {
            throw DirectoryStore.taken(error)
        }
    }

    /// Throws `Taken` where the other institution calls somebody else so.
    @discardableResult
    public func move(
        _ ids: [UUID], to institution: String?, in executor: any SQLExecutor
    ) async throws -> Int {
        do {
            return try await executor.execute(
                "update account set institution = \(institution) where id = any (\(ids))")
        } catch {
            throw DirectoryStore.taken(error)
        }
    }

    private static func taken(_ error: any Error) -> any Error {
        guard case DatabaseError.unique(let constraint) = error else { return error }
        return constraint == "account_external_id" ? Taken.externalID : Taken.username
    }
}

extension DirectoryRecord {
    var status: Account.Status { isActive ? .active : .suspended }
}
