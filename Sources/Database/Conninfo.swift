import CLibPQ

/// The parameters of a connection: what the operator wrote, read by libpq itself, and the session settings we rely on.
struct Conninfo: Sendable {
    let parameters: [(name: String, value: String)]

    /// Refuses a malformed string without quoting it, as it may hold a password.
    init(_ settings: Database.Settings) throws(DatabaseError) {
        guard let options = PQconninfoParse(settings.connectionString, nil) else { throw .unavailable("the connection string is malformed") }
        defer { PQconninfoFree(options) }
        var given: [String: String] = [:]
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { given[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        // Found dead within half a minute: a partition must not hold a statement, or a listener, for TCP's fifteen.
        let defaults = [
            "application_name": "pando", "keepalives_idle": "15", "keepalives_interval": "5", "keepalives_count": "3", "tcp_user_timeout": "30000",
        ]
        var merged = defaults.merging(given) { _, given in given }
        merged["client_encoding"] = "UTF8"
        let session = [
            "statement_timeout=\(Int(settings.statementTimeout * 1000))", "TimeZone=UTC", "standard_conforming_strings=on",
            "client_min_messages=warning",
        ]
        // The operator's come last and win.
        merged["options"] = (session.map { "-c \($0)" } + [given["options"] ?? ""]).joined(separator: " ")
        parameters = merged.map { ($0.key, $0.value) }
    }
}
