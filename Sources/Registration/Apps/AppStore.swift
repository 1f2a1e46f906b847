import Accounts
import Base
import Database
import Foundation
import Keys
import TokenTree

/// Rows of `app` and `app_version`.
public struct AppStore: Sendable {
    public enum Refused: Error, Sendable, Equatable {
        case appExists(String)
        case versionExists(String)
        case badName(String)
    }

    let clock: WallClock

    public init(clock: WallClock) { self.clock = clock }

    public func create(
        app id: String, name: String, isLegacy: Bool = false, in executor: any SQLExecutor
    ) async throws -> App {
        guard AppStore.isSoftwareID(id) else { throw Refused.badName(id) }
        do {
            let rows = try await executor.query(
                """
                insert into app (id, name, legacy, created_at) values (\(id), \(name), \(isLegacy), \(clock.now()))
                returning \(App.columns)
                """)
            guard let row = rows.first else { throw DatabaseError.serialization }
            return try App(row)
        } catch DatabaseError.unique {
            throw Refused.appExists(id)
        }
    }

    /// `nil` where there is no such app. Its versions' rows change with it, so that no process lets a registration pass
    /// by what it remembers of them.
    public func mark(_ id: String, legacy: Bool, in executor: any SQLExecutor) async throws -> App? {
        let rows = try await executor.query(
            "update app set legacy = \(legacy) where id = \(id) returning \(App.columns)")
        _ = try await executor.execute(
            """
            update app_version set status = status where id in (select v.id from app_version v where v.app = \(id)
                order by v.id for update)
            """)
        return try rows.first.map { try App($0) }
    }

    public func app(_ id: String, in executor: any SQLExecutor) async throws -> App? {
        try await executor.query("select \(App.columns) from app where id = \(id)").first.map { try App($0) }
    }

    public func apps(
        of filter: InstitutionFilter = .everything, after: String?, limit: Int, in executor: any SQLExecutor
    ) async throws -> [App] {
        try await executor.query(
            """
            select \(App.columns) from app where (\(after)::text is null or id > \(after))
                and \(filter.condition("institution"))
            order by id limit \(limit)
            """
        ).map { try App($0) }
    }

    public func add(
        version: String, to app: String, key: JSONWebKey, note: String? = nil, in executor: any SQLExecutor
    ) async throws -> AppVersion {
        guard AppStore.isSoftwareID(version) else { throw Refused.badName(version) }
        do {
            let rows = try await executor.query(
                """
                insert into app_version as v (id, app, version, kid, thumbprint, jwk, note, created_at)
                values (\("\(app).\(version)"), \(app), \(version), \(key.kid ?? key.thumbprint),
                    \(key.thumbprint), \(key.json), \(note), \(clock.now()))
                returning \(AppVersion.columns)
                """)
            guard let row = rows.first else { throw DatabaseError.serialization }
            return try AppVersion(row)
        } catch DatabaseError.unique {
            throw Refused.versionExists("\(app).\(version)")
        }
    }

    /// Name and claims, each where it is given; `claims` of `nil` are all.
    public func update(
        app id: String, name: String?, claims: [String]??, in executor: any SQLExecutor
    ) async throws -> App? {
        let (isFiltered, filter) = (claims != nil, claims ?? nil)
        return try await executor.query(
            """
            update app set name = coalesce(\(name), name), claims = case when \(isFiltered) then \(filter)
                else claims end
            where id = \(id) returning \(App.columns)
            """
        ).first.map { try App($0) }
    }

    /// Of all its versions, those to come too; only the status, as `setStatus` of a version.
    public func setStatus(
        app id: String, _ status: AppVersion.Status, in executor: any SQLExecutor
    ) async throws -> App? {
        _ = try await executor.execute("select pg_advisory_xact_lock(\(AppStore.statusNode(app: id).lockNumber))")
        return try await executor.query(
            "update app set status = \(status) where id = \(id) returning \(App.columns)"
        ).first.map { try App($0) }
    }

    /// What instances of these apps are told of their person, where they are not told all.
    public static func claims(_ apps: [String], in database: Database) async throws -> [(String, [String])] {
        try await database.query("select id, claims from app where id = any (\(apps)) and claims is not null").map {
            (try $0("id"), try $0("claims"))
        }
    }

    /// By `APP.VERSION`. `locking` keeps its row and that of its app as they are until the transaction ends:
    /// refusing waits.
    public func version(_ id: String, locking: Bool = false, in executor: any SQLExecutor) async throws -> AppVersion? {
        try await executor.query(AppStore.version(id, locking: locking)).first.map { try AppVersion($0) }
    }

    static func version(_ id: String, locking: Bool) -> SQL {
        guard locking else { return "select \(AppVersion.columns) from app_version v where v.id = \(id)" }
        // Who waited for a row that was changed meanwhile sees what it is now: of both, therefore from both.
        return """
            select \(AppVersion.reading(appStatus: "a.status")) from app_version v join app a on a.id = v.app
            where v.id = \(id) for share of v, a
            """
    }

    /// What who changes the status holds, and who registers by it holds shared.
    static func statusNode(_ id: String) -> NodeID { NodeID(digestOf: "version status \(id)") }

    /// The same for the status of an app.
    static func statusNode(app: String) -> NodeID { NodeID(digestOf: "app status \(app)") }

    /// Newest last.
    public func versions(
        of app: String, after: Int64?, limit: Int, in executor: any SQLExecutor
    ) async throws -> [AppVersion] {
        try await executor.query(
            """
            select \(AppVersion.columns) from app_version v
            where v.app = \(app) and (\(after)::bigint is null or v.ordinal > \(after)) order by v.ordinal
                limit \(limit)
            """
        ).map { try AppVersion($0) }
    }

    /// Only the status; refusing revokes the version's node as well, in the same transaction. Waits for registrations
    /// that have seen the status before, and holds back those that have not.
    public func setStatus(
        _ id: String, _ status: AppVersion.Status, in executor: any SQLExecutor
    ) async throws -> AppVersion? {
        _ = try await executor.execute("select pg_advisory_xact_lock(\(AppStore.statusNode(id).lockNumber))")
        return try await executor.query(
            """
            update app_version v set status = \(status) where v.id = \(id) returning \(AppVersion.columns)
            """
        ).first.map { try AppVersion($0) }
    }

    /// Letters, digits, dot, hyphen and underscore: it stands in claims, node names and file names. Of ASCII, as the
    /// pattern takes U+212A for a K.
    private static func isSoftwareID(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 < 0x80 } && text.wholeMatch(of: #/[A-Za-z0-9][A-Za-z0-9._-]{0,127}/#) != nil
    }
}
