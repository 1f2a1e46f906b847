import AsyncHTTPClient
import Base
import Database
import Foundation
import Logging

/// Whether the configured server is up and what it stands on, in a few lines.
public struct ServerStatus: Sendable {
    public let json: JSONObject
    /// The server answers, its database too, and no migration is pending.
    public let isUp: Bool

    public static func of(_ settings: Settings, logger: Logger) async -> ServerStatus {
        let database = await ofDatabase(settings, logger), server = await answers(settings.root + "/readyz")
        var json: JSONObject = [
            "server": server ? "up" : "down", "issuer": .string(settings.root), "version": .string(Version.full),
            "roles": JSONValue(strings: settings.roles.map(\.name).sorted()),
        ]
        for (name, value) in database.json { json[name] = value }
        return ServerStatus(json: json, isUp: server && database.isFine)
    }

    private static func answers(_ address: String) async -> Bool {
        let answer = try? await HTTPClient.shared.execute(HTTPClientRequest(url: address), timeout: .seconds(3))
        return answer?.status == .ok
    }

    private static func ofDatabase(_ settings: Settings, _ logger: Logger) async -> (json: JSONObject, isFine: Bool) {
        let database: Database
        do { database = try settings.connect(connections: 1, logger) } catch {
            return (["database": settings.database.isEmpty ? "none is configured" : .string("\(error)")], false)
        }
        var told: (json: JSONObject, isFine: Bool)
        do { told = try await read(database, settings, logger) } catch {
            told = (["database": .string("away: \(error)")], false)
        }
        await database.close()
        return told
    }

    private static func read(
        _ database: Database, _ settings: Settings, _ logger: Logger
    ) async throws -> (json: JSONObject, isFine: Bool) {
        let version: String =
            try await database.query("select current_setting('server_version') as version").first.map {
                try $0("version")
            } ?? ""
        let pending = try await settings.migrator(on: database, logger: logger).pending()
        var json: JSONObject = [
            "database": .string("PostgreSQL \(version)"), "pending_migrations": .integer(pending.count),
        ]
        guard pending.isEmpty else { return (json, false) }
        // Estimates where there are many: nobody waits for a count of a hundred thousand.
        let row = try await database.query(
            """
            select (select count(*) from (select from account limit 100000) a) as accounts,
                   (select count(*) from app) as apps,
                   (select count(*) from (select from app_instance limit 100000) i) as instances,
                   (select count(*) from service where status = 'active') as services,
                   (select count(*) from service where status = 'pending') as pending_services,
                   (select count(*) from delivery where acknowledged < last) as services_behind,
                   (select count(*) from outbox where error is not null) as dead_letters,
                   (select coalesce(max(extract(epoch from now() - o.created_at)), 0)::int
                    from delivery d cross join lateral (
                        select o.created_at from outbox o where o.service = d.service and o.settled_at is null
                        order by o.seq limit 1) o
                    where d.acknowledged < d.last) as lag_s
            """
        ).first
        for name in [
            "accounts", "apps", "instances", "services", "pending_services", "services_behind", "lag_s", "dead_letters",
        ] {
            json[name] = try row.map { .integer(try $0(name, as: Int.self)) }
        }
        return (json, true)
    }
}
