import Base
import Database
import Foundation
import Logging
import OAuth

/// Looks at everything that a server stands on, whether it runs or not: what was configured, the files, the database,
/// and what is outside. Nothing is changed, and no check waits for long.
public struct Doctor: Sendable {
    let settings: Settings
    let clock: WallClock
    let logger: Logger

    public init(_ settings: Settings, clock: WallClock = .system, logger: Logger) {
        (self.settings, self.clock, self.logger) = (settings, clock, logger)
    }

    /// In an order in which the first that is wrong is the first to mend.
    public func findings() async -> [Finding] {
        var found = settings.warnings.map { Finding.warning("settings", $0, do: "see `pando config show`") }
        var builtIn: [ServiceProfile] = []
        do { builtIn = try await StartCheck(settings).run() } catch { found.append(.unreadable(settings: "\(error)")) }
        if found.isEmpty { found.append(.ok("settings", "a server would start as \(settings.root)")) }
        found.append(HostChecks.masterKey(file: settings.masterKeyFile) { _ = try settings.masterKey() })
        found.append(HostChecks.commonPasswords(settings.commonPasswordsFile))
        found.append(HostChecks.disk(of: settings.masterKeyFile))
        found += await databaseFindings(builtIn)
        found += await OutsideChecks(settings: settings, clock: clock).findings()
        return found
    }

    private func databaseFindings(_ builtIn: [ServiceProfile]) async -> [Finding] {
        let database: Database
        do { database = try settings.connect(connections: 2, logger) } catch {
            return [.error("database", "\(error)", do: "set PANDO_DATABASE, or use `pando dev`")]
        }
        var found = await DatabaseChecks(
            settings: settings, database: database, builtIn: builtIn, clock: clock, logger: logger
        ).findings()
        if let replica = settings.replica {
            found += await ReplicaChecks(replica: replica, primary: database, logger: logger).findings()
        }
        await database.close()
        return found
    }
}

extension Finding {
    /// Of settings with which no server starts, so that nothing else can be looked at.
    public static func unreadable(settings why: String) -> Finding {
        .error("settings", why, do: "mend it and look again; `pando config show` tells where each comes from")
    }
}
