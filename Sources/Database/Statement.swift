import Base

/// A statement ready for the wire: numbered text, and the values in order.
struct Statement: Sendable {
    /// What makes two statements one prepared statement: the same text may stand with other parameter types.
    struct Key: Hashable, Sendable {
        let text: String
        let types: [SQLType]

        /// The same in every process, so that whoever shares a server's session by a pooler cannot run another's text.
        var name: String {
            let digest = Digest.sha256(types.map { "\($0.rawValue)," }.joined() + text)
            return "pando_" + digest.prefix(16).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
    }

    let key: Key
    let values: [[UInt8]?]

    /// Refuses what the protocol cannot carry: more than 65,535 values, and NUL, which ends a C string and is no text
    /// in PostgreSQL.
    init(_ sql: SQL) throws(DatabaseError) {
        guard sql.values.count <= Int(UInt16.max) else {
            throw .server(sqlState: "54000", message: "a statement takes at most 65535 values")
        }
        var text = ""
        for (index, part) in sql.texts.enumerated() {
            if index > 0 { text += "$\(index)" }
            text += part
        }
        guard !text.utf8.contains(0) else {
            throw .server(sqlState: "22021", message: "NUL in the text of a statement")
        }
        for (index, value) in sql.values.enumerated() where value.type == .text && value.bytes?.contains(0) == true {
            throw .server(sqlState: "22021", message: "NUL in text value $\(index + 1)")
        }
        key = Key(text: text, types: sql.values.map(\.type))
        values = sql.values.map(\.bytes)
    }

    /// Without values.
    init(verbatim text: StaticString) {
        key = Key(text: "\(text)", types: [])
        values = []
    }

    static let begin = Statement(verbatim: "begin")
    static let commit = Statement(verbatim: "commit")
    static let rollback = Statement(verbatim: "rollback")
    static let setTimeZone = Statement(verbatim: "set timezone to 'UTC'")

    /// For the transaction in which it runs, implicit ones too.
    static func limit(milliseconds: Int) -> Statement {
        Statement(key: limitKey, values: [Array("\(milliseconds)".utf8)])
    }

    /// Until it is told otherwise.
    static func sessionLimit(milliseconds: Int) -> Statement {
        Statement(key: sessionLimitKey, values: [Array("\(milliseconds)".utf8)])
    }

    private static let sessionLimitKey = Key(
        text: "select set_config('statement_timeout', $1, false)", types: [.text])

    private static let limitKey = Key(text: "select set_config('statement_timeout', $1, true)", types: [.text])

    private init(key: Key, values: [[UInt8]?]) { (self.key, self.values) = (key, values) }

    /// Data statements come again and again; definitions come once and would only fill the cache.
    var isWorthPreparing: Bool {
        let word = key.text.drop(while: \.isWhitespace).prefix(while: \.isLetter).lowercased()
        return ["select", "insert", "update", "delete", "with", "merge", "values", "begin", "commit", "rollback"]
            .contains(word)
    }
}
