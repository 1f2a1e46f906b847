/// An ErrorResponse, reduced to what may be known of it outside the server.
struct ServerReport: Sendable, Equatable {
    var sqlState: String
    var message: String
    var constraint: String?
    var column: String?

    /// The server's session has not prepared what we think it has, or has what we think it has not; or the plan has
    /// another result type by now. Nothing happened, and without the name it goes.
    var isAboutPreparation: Bool { sqlState == "26000" || sqlState == "42P05" || isStalePlan }

    var isStalePlan: Bool { sqlState == "0A000" && message.contains("cached plan") }

    /// SQLSTATEs by PostgreSQL's Appendix A.
    var error: DatabaseError {
        switch (sqlState.prefix(2), sqlState) {
        case (_, "57014"): message.contains("user request") ? .cancelled : .timeout
        case (_, "23505"): .unique(constraint: constraint ?? "")
        case ("23", _): .violation(constraint: constraint ?? column ?? "")
        case (_, "40001"), (_, "40P01"): .serialization
        case _ where isAboutPreparation: .serialization
        case (_, "42P01"): .undefinedTable
        case ("08", _), ("53", _): .unavailable(message)
        case _ where sqlState.hasPrefix("57P0"): .unavailable(message)
        // Data exceptions quote the datum, after a colon or in quotes.
        case ("22", _): .server(sqlState: sqlState, message: ServerReport.withoutValue(message))
        default: .server(sqlState: sqlState, message: message)
        }
    }

    private static func withoutValue(_ message: String) -> String {
        var text = message.prefix { $0 != ":" && $0 != "\"" }
        while text.last == " " { text.removeLast() }
        return text.isEmpty ? "data exception" : String(text)
    }
}
