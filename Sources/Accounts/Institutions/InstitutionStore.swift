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
}

/// Rows of `institution`.
public struct InstitutionStore: Sendable {
    let clock: WallClock

    public init(clock: WallClock) { self.clock = clock }

    public func find(_ id: String, in executor: any SQLExecutor) async throws -> Institution? {
        try await executor.query("select \(Institution.columns) from institution i where i.id = \(id)").first.map(
            Institution.init)
    }

    /// By id, after a cursor that is one.
    public func list(after: String?, limit: Int, in executor: any SQLExecutor) async throws -> [Institution] {
        try await executor.query(
            """
            select \(Institution.columns) from institution i
            where \(after)::text is null or i.id > \(after) order by i.id limit \(limit)
            """
        ).map(Institution.init)
    }
}
