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
            return offered(found, lead: lead, hidden: hidden)
        }
    }

    /// Those of `names` that every shell reads as one word, and as no option. Bash puts what it is told into the line
    /// as it is, and a username may be `$(…)`: somebody else's name is never run by whoever presses a key.
    public static func offered(_ names: [String], lead: String = "", hidden: String = "") -> [String] {
        names.filter { $0.hasPrefix(hidden) }.map { String($0.dropFirst(hidden.count)) }
            .filter { !$0.hasPrefix("-") && $0.unicodeScalars.allSatisfy(isPlain) }.map { lead + $0 }
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.generalCategory == .decimalNumber
            || "._-@+:/".unicodeScalars.contains(scalar)
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
