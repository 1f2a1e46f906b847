import Base
import Database
import Foundation
import Logging
import Server
import TokenTree

/// Keeps the texts of the statements that a database sends: they are logged at level trace.
struct StatementTrace: LogHandler {
    let texts = Locked<[String]>([])
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        guard let text = event.metadata?["text"] else { return }
        texts.with { $0.append("\(text)") }
    }
}

/// The very statement by which `TokenStore.find` checks a token, and how PostgreSQL goes about it.
struct BenchCheckPlan: Sendable {
    /// With `$1` for the identifier.
    let statement: String

    static func traced(_ settings: Settings, finding id: NodeID) async throws -> BenchCheckPlan {
        let trace = StatementTrace(), logger = Logger(label: "bench") { _ in trace }
        let database = try settings.connect(connections: 1, forCommand: true, logger)
        let composition = try await Composition(settings, database: database, logger: logger)
        _ = try await composition.store.find(id)
        await database.close()
        return BenchCheckPlan(statement: trace.texts.with { $0.last ?? "" })
    }

    /// One node a line, the outermost first: `Index Scan on token_weeks_1 by token_weeks_1_pkey`.
    func nodes(for id: NodeID, in database: Database) async throws -> [String] {
        let text = statement.replacing("$1", with: "'\(id)'")
        let plan: JSONValue =
            try await database.query("explain (format json) \(raw: text)").first.map { try $0("QUERY PLAN") } ?? .null
        return plan.array?.first?["Plan"].map(BenchCheckPlan.describe) ?? []
    }

    private static func describe(_ node: JSONValue) -> [String] {
        let place = [("on", "Relation Name"), ("by", "Index Name")].compactMap { word, member in
            node[member]?.string.map { " \(word) \($0)" }
        }
        return [(node["Node Type"]?.string ?? "?") + place.joined()] + (node["Plans"]?.array ?? []).flatMap(describe)
    }
}
