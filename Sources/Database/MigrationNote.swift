import Foundation

/// What a migration does to a table that is there already, for as long as it runs: others wait meanwhile, or it takes
/// as long as the table is large. Read from the text, so a hint and no proof.
public struct MigrationNote: Sendable, Equatable {
    public enum Kind: String, Sendable {
        /// An index is built in a transaction: who writes waits.
        case index
        /// A constraint or NOT NULL is checked against every row: who reads or writes waits.
        case check
        /// A column gets another type: the table is written anew, and who reads or writes waits.
        case rewrite
        /// Rows are changed or deleted in one transaction, and stay locked until its end.
        case rows
    }

    public let table: String
    public let kind: Kind

    public var text: String {
        switch kind {
        case .index: "who writes to \(table) waits while an index is built"
        case .check: "who reads or writes \(table) waits while its rows are checked"
        case .rewrite: "who reads or writes \(table) waits while it is written anew"
        case .rows: "rows of \(table) are changed in one transaction"
        }
    }

    /// Of `file`, each once.
    static func all(of file: MigrationFile) -> [MigrationNote] {
        let text = file.text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("--") }
            .joined(separator: " ").lowercased()
        let made = Set(text.matches(of: /create table (?:if not exists )?([a-z_0-9]+)/).map { String($0.1) })
        var notes: [MigrationNote] = []
        func add(_ table: Substring, _ kind: Kind) {
            let note = MigrationNote(table: String(table), kind: kind)
            if !made.contains(note.table), !notes.contains(note) { notes.append(note) }
        }
        for statement in text.split(separator: ";") {
            if let found = statement.firstMatch(
                of: /create (?:unique )?index (?!concurrently)[^(]*? on (?:only )?([a-z_0-9]+)/)
            {
                add(found.1, .index)
            }
            if let found = statement.firstMatch(of: /^\s*(?:update|delete from) (?:only )?([a-z_0-9]+)/) {
                add(found.1, .rows)
            }
            guard let table = statement.firstMatch(of: /alter table (?:if exists )?(?:only )?([a-z_0-9]+)/)?.1 else {
                continue
            }
            let retypes = statement.firstMatch(of: /alter (?:column )?[a-z_0-9]+ (?:set data )?type\s/) != nil
            if retypes { add(table, .rewrite) }
            let adds =
                statement.firstMatch(
                    of: /\sadd (?:constraint [a-z_0-9]+\s+)?(?:check|foreign key|unique|primary key)/) != nil
            if adds && !statement.contains("not valid") || statement.contains(" set not null") { add(table, .check) }
        }
        return notes
    }
}
