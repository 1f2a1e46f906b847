import Base
import Database
import Foundation

/// An institution as a directory knows it: a group, with the people who belong to it.
public struct DirectoryInstitution: Sendable {
    public let id: String
    public let name: String
    /// The directory's own name of it.
    public let externalID: String?
    public let createdAt: Date
    /// Another one after each change of the row, or of who belongs to it.
    public let version: String
    public let people: Int

    static let columns: SQL = """
        i.id, i.name, i.directory_id, i.created_at, p.people,
            i.xmin::text || '.' || p.people || '.' || p.digest as institution_version
        """
    /// Beside rows `i`: people are counted of those alone that are told.
    static let counted: SQL = """
        cross join lateral (
            select count(*) as people, coalesce(sum(hashtext(a.id::text)::bigint), 0)::text as digest
            from account a where a.institution = i.id
        ) p
        """

    init(_ row: Row) throws(DatabaseError) {
        (id, name, externalID) = (try row("id"), try row("name"), try row("directory_id"))
        (createdAt, people, version) = (try row("created_at"), try row("people"), try row("institution_version"))
    }
}

/// Rows of `institution`, as directories know them.
public struct DirectoryInstitutionStore: Sendable {
    public enum Refused: Error, Sendable, Equatable {
        case taken
        /// People, services, apps, clients or roles belong to it.
        case inUse
        case unacceptable(DirectoryRecord.Objection)
    }

    let clock: WallClock

    public init(clock: WallClock) { self.clock = clock }

    private static func isIn(_ scope: DirectoryScope) -> SQL {
        scope.institution.map { "i.id = \($0)" } ?? "true"
    }

    public func find(
        _ id: String, in scope: DirectoryScope, holding: Bool = false, in executor: any SQLExecutor
    ) async throws -> DirectoryInstitution? {
        if holding {
            _ = try await executor.query("select i.id from institution i where i.id = \(id) for update")
        }
        return try await list(
            where: "i.id = \(id)", in: scope, by: "i.id", offset: 0, limit: 1, in: executor
        ).first
    }

    /// Those for which `condition` on `i` holds, in this order; so many from a place on.
    public func list(
        where condition: SQL, in scope: DirectoryScope, by order: SQL, offset: Int, limit: Int,
        in executor: any SQLExecutor
    ) async throws -> [DirectoryInstitution] {
        try await executor.query(
            """
            select \(DirectoryInstitution.columns) from (
                select i.id, i.name, i.directory_id, i.created_at, i.xmin from institution i
                where \(DirectoryInstitutionStore.isIn(scope)) and (\(condition))
                order by \(order) offset \(offset) limit \(limit)
            ) i \(DirectoryInstitution.counted) order by \(order)
            """
        ).map { try DirectoryInstitution($0) }
    }

    public func count(
        where condition: SQL, in scope: DirectoryScope, in executor: any SQLExecutor
    ) async throws -> Int {
        try await executor.query(
            """
            select count(*) as found from institution i
            where \(DirectoryInstitutionStore.isIn(scope)) and (\(condition))
            """
        ).first.map { try $0("found") } ?? 0
    }

    /// Whose they are, by institution: at most so many of each.
    public func people(
        of institutions: [String], limit: Int, in executor: any SQLExecutor
    ) async throws -> [String: [UUID]] {
        var people: [String: [UUID]] = [:]
        let rows = try await executor.query(
            """
            select i.id as institution, a.id from unnest(\(institutions)) as i (id) cross join lateral (
                select b.id, b.created_at from account b where b.institution = i.id
                order by b.created_at, b.id limit \(limit)) a
            order by i.id, a.created_at, a.id
            """)
        for row in rows { people[try row("institution"), default: []].append(try row("id")) }
        return people
    }

    /// Its id is made of the name, with a number behind where another has it.
    public func create(name: String, externalID: String?, in executor: any SQLExecutor) async throws -> String {
        try DirectoryInstitutionStore.check(name, externalID)
        let word = DirectoryInstitutionStore.word(of: name)
        let rows = try await executor.query(
            """
            insert into institution (id, name, directory_id, created_at)
            select c.id, \(name), \(externalID), \(clock.now()) from (
                select case n when 1 then \(word) else \(word) || '-' || n end as id, n from generate_series(1, 1000) n
            ) c where not exists (select from institution i where i.id = c.id) order by c.n limit 1
            on conflict do nothing returning id
            """)
        guard let row = rows.first else { throw Refused.taken }
        return try row("id")
    }

    public func replace(
        _ id: String, name: String, externalID: String?, in executor: any SQLExecutor
    ) async throws {
        try DirectoryInstitutionStore.check(name, externalID)
        do {
            _ = try await executor.execute(
                "update institution set name = \(name), directory_id = \(externalID) where id = \(id)")
        } catch DatabaseError.unique {
            throw Refused.taken
        }
    }

    public func delete(_ id: String, in executor: any SQLExecutor) async throws {
        let used = try await executor.query(
            """
            select 1 as one where exists (select from account where institution = \(id))
                or exists (select from app where institution = \(id))
                or exists (select from client where institution = \(id))
                or exists (select from service where institution = \(id))
                or exists (select from role_grant where institution = \(id))
            """)
        guard used.isEmpty else { throw Refused.inUse }
        do { _ = try await executor.execute("delete from institution where id = \(id)") } catch DatabaseError.violation
        {
            throw Refused.inUse
        }
    }

    private static func check(_ name: String, _ externalID: String?) throws {
        for (member, text) in [("name", Optional(name)), ("external_id", externalID)] {
            guard let text else { continue }
            guard (1...DirectoryRecord.longest).contains(text.utf8.count),
                text.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
            else {
                throw Refused.unacceptable(
                    .init(
                        member: member,
                        reason: "it has 1 to \(DirectoryRecord.longest) bytes, and no control characters"))
            }
        }
    }

    /// `university-of-bern` of `University of Bern`; what has no Latin letter is `institution`.
    static func word(of name: String) -> String {
        let plain = name.decomposedStringWithCompatibilityMapping.lowercased().unicodeScalars
            .filter { !$0.properties.isDiacritic && $0.properties.generalCategory != .nonspacingMark }
        let words = String(String.UnicodeScalarView(plain)).split {
            !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == "."))
        }
        let word = words.joined(separator: "-").prefix(48).trimmingCharacters(in: CharacterSet(charactersIn: ".-"))
        return word.isEmpty ? "institution" : word
    }
}
