import Administration
import ArgumentParser
import Database
import Foundation
import Keys
import Logging
import Metrics

/// What every command does before its own work.
public enum Bootstrap {
    public static func settings(_ options: ConfigurationOptions) async throws -> Settings {
        do {
            return try Settings(try await options.values())
        } catch let error as Settings.Unacceptable {
            throw ValidationError(error.description)
        }
    }

    /// `tellsRefusals`: of each refused request a line, with cause, endpoint and client, whatever the level.
    public static func logging(_ settings: Settings, tellsRefusals: Bool = false) -> Logger {
        LogOutput.bootstrap(
            level: settings.logLevel, format: settings.logFormat, process: settings.process,
            tellsRefusals: tellsRefusals)
        let logger = Logger(label: "pando")
        for warning in settings.warnings { logger.warning("\(warning)") }
        return logger
    }

    /// Before anything is built: what is measured earlier is lost.
    public static func metrics() -> PrometheusRegistry {
        let registry = PrometheusRegistry()
        MetricsSystem.bootstrap(registry)
        return registry
    }

    /// Errors in words for the one who started the command.
    public static func reporting(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as Settings.Unacceptable {
            throw ValidationError(error.description)
        } catch let error as DatabaseError {
            FileHandle.standardError.write(Data("pando: the database does not answer: \(error)\n".utf8))
            throw ExitCode(6)
        }
    }
}
