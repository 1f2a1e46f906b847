/// What an import reads of the old server's database while it runs: the same tables that files would have.
struct LiveTables: Sendable {
    /// As the old server's configuration calls them.
    struct Names: Sendable, Equatable {
        let users: String
        /// `nil` where secrets stand with the users.
        let secrets: String?
    }

    /// What is asked of a database, in the dialect of its room.
    struct Question {
        let table: String
        /// As the database spells them.
        let columns: [String]

        /// Of the columns that are there, those which an import reads; `userid` and what `needed` says must be.
        init(_ table: String, there: [String], among wanted: [String], needed: [String]) throws(LiveFailure) {
            var columns: [String] = []
            for name in wanted {
                guard let column = there.first(where: { $0.lowercased() == name }) else {
                    guard !needed.contains(name) else { throw .noColumn(name, table: table) }
                    continue
                }
                columns.append(column)
            }
            (self.table, self.columns) = (table, columns)
        }

        static func users(_ names: Names, there: [String]) throws(LiveFailure) -> Question {
            let wanted = ["userid"] + (names.secrets == nil ? ["secret"] : []) + LiveTables.optional
            return try Question(names.users, there: there, among: wanted, needed: ["userid", "secret"])
        }

        static func secrets(_ table: String, there: [String]) throws(LiveFailure) -> Question {
            try Question(table, there: there, among: ["userid", "secret"], needed: ["userid", "secret"])
        }
    }

    private static let optional = [
        "displayname", "loginattempts", "tmpblocktimestamp", "tmpblockattempts", "blocked", "notificationtype",
        "notificationaddress",
    ]

    let users: ExportedTable
    let secrets: ExportedTable?
}

extension ExportedTable {
    /// Rows of a database, whose numbers are their places from 1. Empty is none, as in files.
    init(_ question: LiveTables.Question, rows: [[String?]]) {
        let names = question.columns.map { $0.lowercased() }
        let places = Dictionary(zip(names, names.indices), uniquingKeysWith: { first, _ in first })
        columns = Set(names)
        lines = rows.enumerated().map { place, fields in
            Line(number: place + 1, fields: fields.map { $0?.isEmpty == true ? nil : $0 }, places: places)
        }
    }
}
