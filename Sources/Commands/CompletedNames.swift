import Administration
import Database
import Foundation
import Logging
import Server

/// The words of a completion, with names out of the configured database. Who presses a key gets an answer within a
/// second or none: nothing here fails, and nothing is said on stderr.
public enum CompletedNames {
    static let patience: TimeInterval = 1

    public static func of(_ wanted: CommandCompletion) async -> [String] {
        switch wanted {
        case .words(let words): return words
        case .nothing: return []
        case .names(let kind, let typed, let lead, let hidden):
            let found = (try? await names(kind, hidden + typed)) ?? []
            return found.filter { $0.hasPrefix(hidden) }.map { lead + $0.dropFirst(hidden.count) }
        }
    }

    private static func names(_ kind: KnownNames.Kind, _ prefix: String) async throws -> [String] {
        var values = try await ConfigurationOptions.parse([]).values()
        try DevelopmentDatabase.offer(to: &values)
        let connection = try Settings(values).database
        guard !connection.isEmpty else { return [] }
        var logger = Logger(label: "pando") { _ in SwiftLogNoOpLogHandler() }
        logger.logLevel = .critical
        let database = Database(
            Database.Settings(
                connectionString: connection, connections: 1, statementTimeout: patience, connectTimeout: patience,
                waitLimit: patience), logger: logger)
        let found = try? await KnownNames(in: database).beginning(with: prefix, kind)
        await database.close()
        return found ?? []
    }
}
