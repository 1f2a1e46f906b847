import Traces

/// A round trip in a trace: what was asked, without a single value, and what came of it. A statement's text is ours;
/// values travel apart from it (`SQL`).
struct StatementSpan: Sendable {
    private let span: RecordedSpan

    /// Of a statement's text in an attribute; the rest is left out.
    private static let longest = 2_000

    /// `nil` where nobody records.
    init?(_ work: Request.Work) {
        guard let span = Phase.begin("postgresql", .client) else { return nil }
        self.span = span
        span.set(.databaseSystem, "postgresql")
        switch work {
        case .shared(let statements), .alone(let statements), .within(_, let statements): describe(statements)
        case .ending(_, let statement): describe([statement])
        case .script:
            span.operationName = "script"
            span.set(.databaseOperation, "script")
        }
    }

    private func describe(_ statements: [Statement]) {
        let read = statements.map { Summary($0.key.text) }
        guard let first = read.first else { return }
        let isAlone = read.count == 1
        span.operationName = isAlone ? first.text : "batch \(first.text)"
        span.set(.databaseSummary, read.prefix(8).map(\.text).joined(separator: "; "))
        span.set(.databaseOperation, isAlone ? first.operation : "batch \(first.operation)")
        if isAlone, let table = first.table { span.set(.databaseTable, table) }
        // By the conventions, a batch of one is none.
        if !isAlone { span.set(.databaseBatch, read.count) }
        let text = statements.map { StatementSpan.oneLine($0.key.text) }.joined(separator: "; ")
        span.set(.databaseText, String(text.prefix(StatementSpan.longest)))
    }

    func end(_ answer: Request.Answer) {
        switch answer {
        case .results(let results):
            let rows = results.reduce(0) { $0 + $1.count }
            if rows > 0 { span.set(.databaseRows, rows) }
        case .failed(let error):
            span.fail(error)
            if let state = error.sqlState { span.set(.databaseStatus, state) }
        case .notSent: span.fail("connection_lost")
        }
        span.end()
    }

    private static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// `insert token`: the first word of a statement, and the first table that it names.
    struct Summary {
        let operation: String
        let table: String?

        var text: String { table.map { "\(operation) \($0)" } ?? operation }

        private static let before: Set<Substring> = ["from", "into", "update", "join", "table"]

        init(_ statement: String) {
            let words = statement.split { $0.isWhitespace || $0 == "(" || $0 == ")" || $0 == "," || $0 == ";" }
            operation = words.first.map { String($0.prefix(20)).lowercased() } ?? ""
            var table: Substring?
            for (word, next) in zip(words, words.dropFirst()) where Summary.before.contains(word) {
                // `for update of`, `from (select …`, and so on name none.
                guard let first = next.first, first.isLetter || first == "_", !Summary.others.contains(next) else {
                    continue
                }
                table = next
                break
            }
            self.table = table.map { String($0.prefix(60)) }
        }

        private static let others: Set<Substring> = [
            "select", "set", "skip", "of", "nowait", "unnest", "values", "lateral", "only", "if", "generate_series",
        ]
    }
}

extension DatabaseError: TypedError {
    public var errorType: String { metricLabel }

    /// `nil` for what never reached the server.
    fileprivate var sqlState: String? {
        switch self {
        case .unavailable, .decoding: nil
        default: metricLabel
        }
    }
}
