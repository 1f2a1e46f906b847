import Base
import Database
import Federation
import Foundation
import Keys
import Logging
import OAuth
import TokenTree

/// What a server finds in its database, and how that is run.
struct DatabaseChecks: Sendable {
    let settings: Settings
    let database: Database
    /// What a server of these settings serves, and where.
    var builtIn: [ServiceProfile] = []
    let clock: WallClock
    let logger: Logger

    /// Of the oldest that was tested.
    static let oldestVersion = 150_000

    func findings() async -> [Finding] {
        do {
            let row = try await database.query(
                """
                select current_setting('server_version') as version,
                       current_setting('server_version_num')::int as number,
                       current_setting('max_connections')::int as connections,
                       current_setting('fsync')::boolean as fsync,
                       current_setting('full_page_writes')::boolean as pages,
                       pg_is_in_recovery() as standby, clock_timestamp() as now
                """
            ).first
            guard let row else { return [] }
            var found = [try reached(row), clock(try row("now"))]
            let pending: [String]
            do {
                pending = try await settings.migrator(on: database, logger: logger).pending()
            } catch let error as DatabaseError {
                throw error
            } catch {
                found.append(
                    .error("migrations", "\(error)", do: "let migrations be the folder that comes with this version"))
                return found
            }
            guard pending.isEmpty else {
                found.append(
                    .error(
                        "migrations", "\(pending.count) are pending, from \(pending.first ?? "") on",
                        do: "run `pando migrate`"))
                return found
            }
            found.append(.ok("migrations", "none is pending"))
            found.append(try await issuer())
            found.append(DatabaseChecks.history(try await Setback.standing(in: database)))
            found.append(try await partitions())
            found += try await signingKeys()
            found += try await delivery()
            return found
        } catch {
            return [
                .error(
                    "database", "it does not answer: \(error)",
                    do: "is it running, and does PANDO_DATABASE name it?")
            ]
        }
    }

    private func reached(_ row: Row) throws -> Finding {
        let version: String = try row("version"), number: Int = try row("number")
        let connections: Int = try row("connections")
        if number < DatabaseChecks.oldestVersion {
            return .error("database", "PostgreSQL \(version) is too old", do: "run PostgreSQL 15 or newer")
        }
        if try row("standby") {
            return .error("database", "it is a standby, and cannot be written to", do: "name the primary")
        }
        if try !row("fsync", as: Bool.self) || !row("pages", as: Bool.self) {
            return .warning(
                "database", "fsync or full_page_writes is off: a crash may lose revocations, or all of it",
                do: "switch both on, but for tests")
        }
        // Listening takes some besides the pool, and superusers keep three.
        if connections < settings.databaseConnections + 8 {
            return .warning(
                "database", "max_connections is \(connections), database-connections \(settings.databaseConnections)",
                do: "raise the one or lower the other")
        }
        return .ok("database", "PostgreSQL \(version), \(connections) connections")
    }

    /// Tokens and DPoP proofs are compared by this machine's clock with what the database wrote.
    func clock(_ theirs: Date) -> Finding {
        let ahead = clock.now().timeIntervalSince(theirs), apart = abs(ahead)
        let direction = apart > 2 ? (ahead > 0 ? "ahead of" : "behind") : "from"
        let text = "\(DatabaseChecks.told(apart)) \(direction) the database's"
        let advice = "let both machines keep their clocks by NTP"
        if apart > 10 { return .error("clock", text, do: advice) }
        return apart > 2 ? .warning("clock", text, do: advice) : .ok("clock", text)
    }

    /// In the unit that a person would take: an error of days is not read in milliseconds.
    private static func told(_ seconds: TimeInterval) -> String {
        switch seconds {
        case ..<2: "\(Int(seconds * 1_000)) ms"
        case ..<120: "\(Int(seconds)) s"
        case ..<7_200: "\(Int((seconds / 60).rounded())) minutes"
        case ..<172_800: "\(Int((seconds / 3_600).rounded())) hours"
        default: "\(Int((seconds / 86_400).rounded())) days"
        }
    }

    /// Whether this database is served under the issuer that is configured here: the server that started last keeps its
    /// built-in services in the index where it serves them.
    private func issuer() async throws -> Finding {
        let index = ServiceIndex(clock: clock)
        for profile in builtIn {
            guard let base = WebAddress(profile.base)?.withoutQuery,
                let known = try await index.find(profile.id, in: database), known.base != base
            else { continue }
            return .error(
                "issuer-of-database",
                "this database was served last under another issuer: \(profile.id) is at \(known.base), not \(base)",
                do: """
                    give all processes on this database the same issuer; where it was changed on purpose, a server \
                    moves its services when it starts
                    """)
        }
        return .ok("issuer-of-database", "no other issuer was served from it since")
    }

    /// Whether commits were lost that had been answered (docs/high-availability.md).
    static func history(_ setback: Setback?) -> Finding {
        guard let setback else { return .ok("history", "nothing says that the database lost what was committed") }
        return .error(
            "history",
            """
            the database went back: since \(setback.firstAt.rfc3339), \(setback.families) refresh tokens were ahead of \
            it, by \(setback.ahead) rotations at most; what was revoked in the time that is lost lives again
            """,
            do: """
                `pando admin epoch bump` ends all tokens; or revoke again what was revoked then, and say `pando admin \
                epoch settle`. docs/high-availability.md
                """)
    }

    private func partitions() async throws -> Finding {
        let missing = try await PartitionKeeper(database: database, clock: clock, logger: logger).missingAhead()
        guard missing == 0 else {
            return .warning(
                "partitions", "\(missing) that will be needed are not there yet",
                do: "a server makes them at its start and every ten minutes: is one running?")
        }
        return .ok("partitions", "all that will be needed are there")
    }

    private func signingKeys() async throws -> [Finding] {
        let keys = try await SigningKeys.list(database), lifetime = SigningKeys.Settings().lifetime
        return settings.signingAlgorithms.map { algorithm in
            DatabaseChecks.key(
                keys.first { $0.alg == algorithm.rawValue && $0.status == .active }?.notBefore, algorithm.rawValue,
                lifetime: lifetime, at: clock.now())
        }
    }

    static func key(_ since: Date?, _ algorithm: String, lifetime: TimeInterval, at now: Date) -> Finding {
        let name = "signing-key \(algorithm)"
        guard let since else {
            return .warning(name, "there is none yet", do: "a server makes it when it starts first")
        }
        let days = Int(now.timeIntervalSince(since) / 86_400)
        let left = Int((since + lifetime).timeIntervalSince(now) / 86_400)
        guard left >= -2 else {
            return .error(
                name, "it signs for \(days) days, and should have been changed \(-left) days ago",
                do: "housekeeping of a running server does that; `pando admin keys rotate` does it now")
        }
        return .ok(name, "it signs for \(days) days; the next takes over in \(max(0, left))")
    }

    /// Services that hear nothing of revocations, and events that were given up.
    private func delivery() async throws -> [Finding] {
        let rows = try await Outbox.status(service: nil, at: clock.now(), in: database)
        let unheard = rows.filter { ($0["lag_s"]?.integer ?? 0) > 300 || ($0["failures"]?.integer ?? 0) > 5 }
        let dead = rows.filter { ($0["dead"]?.integer ?? 0) > 0 }
        func names(_ rows: [JSONValue]) -> String {
            let shown = rows.prefix(5).compactMap { $0["service"]?.string }.joined(separator: ", ")
            return rows.count > 5 ? "\(shown) and \(rows.count - 5) more" : shown
        }
        return [
            unheard.isEmpty
                ? .ok("services", "all \(rows.count) hear of revocations in time")
                : .warning(
                    "services", "what ends is not heard of by \(names(unheard))",
                    do: "`pando admin events status` says why; `events retry SERVICE` tries now"),
            dead.isEmpty
                ? .ok("dead-letters", "none")
                : .warning(
                    "dead-letters", "events were given up for \(names(dead))",
                    do: "`pando admin events dead list SERVICE` shows them; `dead retry` sends them again"),
        ]
    }
}
