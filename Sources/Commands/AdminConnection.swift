import Administration
import Database
import Foundation
import Logging
import Server
import TokenTree

extension AdminRunner {
    /// Builds what the configuration names, without workers.
    public static let configured = AdminRunner(terminal: Terminal.ofProcess) { options, reason, body in
        try await AdminConnection.open(options, connections: 4) { settings, database, logger in
            let composition = try await Composition(settings, database: database, logger: logger, isServing: false)
            try await body(
                composition.administrationSession(by: .operator(reason), who: .operatorOfDatabase))
        }
    }
}

extension Terminal {
    /// Colours only where nobody asked for none (no-color.org).
    @Sendable public static func ofProcess() -> Terminal {
        let environment = ProcessInfo.processInfo.environment
        return .standardOutput(
            noColour: environment["NO_COLOR"].map { !$0.isEmpty } ?? false || environment["TERM"] == "dumb")
    }
}

extension AdminSession {
    /// What the server's own commands work with.
    var composition: Composition { get throws { try model(Composition.self, role: "server") } }
}

enum AdminConnection {
    /// The configured database without a composition, which opens sealed keys: for what must work when these are sealed
    /// by another master key.
    static func open(
        _ options: ConfigurationOptions, connections: Int, _ body: (Settings, Database, Logger) async throws -> Void
    ) async throws {
        var values = try await options.values()
        values.offer("warning", for: .logLevel, origin: "pando admin")
        try DevelopmentDatabase.offer(to: &values)
        let settings = try Settings(values)
        let logger = Bootstrap.logging(settings)
        let database = try settings.connect(connections: connections, forCommand: true, logger)
        try await body(settings, database, logger)
        await database.close()
    }
}

extension AuditActor {
    /// Who runs the command, and from where.
    public static func `operator`(_ reason: String?) -> AuditActor {
        let environment = ProcessInfo.processInfo.environment
        let address = environment["SSH_CLIENT"].flatMap { $0.split(separator: " ").first.map(String.init) }
        return AuditActor(
            name: "admin:\(environment["SUDO_USER"] ?? NSUserName())", origin: address ?? "cli", reason: reason)
    }
}

/// When no database is configured, the one that `pando dev` runs here.
public enum DevelopmentDatabase {
    public static func offer(to values: inout ConfigurationValues) throws {
        let state = values[.stateDirectory]
        values.offer("\(state)/master.key", for: .masterKeyFile, origin: "pando dev")
        guard values[.database].isEmpty, FileManager.default.fileExists(atPath: "\(state)/postgres") else { return }
        values.offer("true", for: .allowLoopbackServices, origin: "pando dev")
        values.offer(try PrivatePostgres(directory: "\(state)/postgres").url(), for: .database, origin: "pando dev")
    }
}
