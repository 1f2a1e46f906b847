import Base
import Database
import Foundation

/// What people, services, apps and clients belong to: a university, a school, a company.
public struct Institution: Sendable, Equatable {
    /// A word such as a host name: lower-case letters, digits, dots and hyphens.
    public let id: String
    public let name: String
    /// Host names that are its own.
    public let domains: [String]
    public let createdAt: Date

    static let columns: SQL = "i.id, i.name, i.domains, i.created_at"

    init(_ row: Row) throws {
        (id, name, domains) = (try row("id"), try row("name"), try row("domains"))
        createdAt = try row("created_at")
    }

    public var json: JSONObject {
        [
            "id": .string(id), "name": .string(name), "domains": JSONValue(strings: domains),
            "created_at": .string(createdAt.rfc3339),
        ]
    }

    /// Whether a domain is one of its own, or lies below one.
    public func owns(domain: String) -> Bool { domains.contains { domain == $0 || domain.hasSuffix("." + $0) } }
}

/// How much belongs to an institution.
public struct InstitutionCounts: Sendable, Equatable {
    public let people: Int
    public let services: Int
    public let apps: Int
    public let clients: Int

    public var isNothing: Bool { people + services + apps + clients == 0 }

    public var json: JSONObject {
        [
            "people": .integer(people), "services": .integer(services), "apps": .integer(apps),
            "clients": .integer(clients),
        ]
    }
}

/// Rows of `institution`.
public struct InstitutionStore: Sendable {
    public enum Refused: Error, Sendable, Equatable {
        case taken(String)
        case badID(String)
        case badName
        case badDomain(String)
        case unknown(String)
        case inUse(String, InstitutionCounts)
        /// Something of a product's.
        case needed(String)
    }

    let clock: WallClock

    public init(clock: WallClock) { self.clock = clock }

    /// `locking` keeps it until the transaction ends: whatever would come to belong to it waits.
    public func find(_ id: String, locking: Bool = false, in executor: any SQLExecutor) async throws -> Institution? {
        let hold: SQL = locking ? "for update" : ""
        return try await executor.query(
            "select \(Institution.columns) from institution i where i.id = \(id) \(hold)"
        ).first.map(Institution.init)
    }

    /// Throws `Refused`.
    public func create(
        _ id: String, name: String, domains: [String], in executor: any SQLExecutor
    ) async throws -> Institution {
        guard id.wholeMatch(of: #/[a-z0-9][a-z0-9.\-]{0,63}/#) != nil else { throw Refused.badID(id) }
        let (name, domains) = (try InstitutionStore.checked(name: name), try InstitutionStore.checked(domains: domains))
        let made = try await executor.query(
            """
            insert into institution as i (id, name, domains, created_at)
            values (\(id), \(name), \(domains), \(clock.now())) on conflict do nothing returning \(Institution.columns)
            """
        ).first.map(Institution.init)
        guard let made else { throw Refused.taken(id) }
        return made
    }

    /// What is `nil` stays; `domains` are all of them. Throws `Refused`.
    public func update(
        _ id: String, name: String?, domains: [String]?, in executor: any SQLExecutor
    ) async throws -> Institution? {
        let name = try name.map(InstitutionStore.checked(name:))
        let domains = try domains.map(InstitutionStore.checked(domains:))
        return try await executor.query(
            """
            update institution i set name = coalesce(\(name), i.name), domains = coalesce(\(domains), i.domains)
            where i.id = \(id) returning \(Institution.columns)
            """
        ).first.map(Institution.init)
    }

    /// `false` where it was not there. Roles in it go with it. Throws `Refused.inUse`, or `needed`, where something
    /// belongs to it.
    public func delete(_ id: String, in transaction: any SQLExecutor) async throws -> Bool {
        guard try await find(id, locking: true, in: transaction) != nil else { return false }
        let counts = try await counts(id, in: transaction)
        guard counts.isNothing else { throw Refused.inUse(id, counts) }
        try await RoleStore.touch("g.institution = \(id)", in: transaction)
        // What was removed keeps its row, and belongs to nobody any more.
        do {
            _ = try await transaction.batch([
                "update service set institution = null where institution = \(id) and status = 'removed'",
                "update client set institution = null where institution = \(id)",
                "delete from institution where id = \(id)",
            ])
        } catch DatabaseError.violation {
            throw Refused.needed(id)
        }
        return true
    }

    public func counts(_ id: String, in executor: any SQLExecutor) async throws -> InstitutionCounts {
        let rows = try await executor.query(
            """
            select (select count(*) from account a where a.institution = \(id)) as people,
                (select count(*) from service s where s.institution = \(id) and s.status <> 'removed') as services,
                (select count(*) from app p where p.institution = \(id)) as apps,
                (select count(*) from client c where c.institution = \(id)
                    and not exists (select from service s where s.client = c.id)) as clients
            """)
        guard let row = rows.first else { throw DatabaseError.serialization }
        return InstitutionCounts(
            people: try row("people"), services: try row("services"), apps: try row("apps"), clients: try row("clients")
        )
    }

    /// By id, after a cursor that is one; those of `visible`, or all.
    public func list(
        visible: [String]? = nil, after: String?, limit: Int, in executor: any SQLExecutor
    ) async throws -> [Institution] {
        try await executor.query(
            """
            select \(Institution.columns) from institution i
            where (\(after)::text is null or i.id > \(after))
                and (\(visible)::text[] is null or i.id = any (\(visible)::text[]))
            order by i.id limit \(limit)
            """
        ).map(Institution.init)
    }

    private static func checked(name: String) throws -> String {
        let name = name.trimmingCharacters(in: .whitespacesAndNewlines)
        guard (1...200).contains(name.count) else { throw Refused.badName }
        return name
    }

    /// In small letters, each once.
    private static func checked(domains: [String]) throws -> [String] {
        var seen: Set<String> = []
        let folded = domains.map { $0.lowercased() }
        if let bad = folded.first(where: { !PersonAttribute.isDomain($0) }) { throw Refused.badDomain(bad) }
        return folded.filter { seen.insert($0).inserted }
    }
}
