import Base
import Foundation

/// A file of `migrations/`.
struct MigrationFile: Sendable {
    let name: String
    let text: String
    var checksum: [UInt8] { Digest.sha256(text) }

    /// The line that marks a file whose statements refuse to run in a transaction, or would hold its locks too long.
    static let mark = "-- pando: no transaction"

    var isInTransaction: Bool { !text.split(separator: "\n").contains { $0 == MigrationFile.mark } }

    /// What stands between semicolons at the ends of lines, comments apart. For files without a transaction alone,
    /// which have no bodies of functions.
    var statements: [String] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            line.drop { $0 == " " }.hasPrefix("--") ? "" : String(line)
        }
        var statements: [String] = [], current: [String] = []
        for line in lines {
            current.append(line)
            guard line.trimmingCharacters(in: .whitespaces).hasSuffix(";") else { continue }
            statements.append(current.joined(separator: "\n"))
            current = []
        }
        statements.append(current.joined(separator: "\n"))
        return statements.map { $0.trimmingCharacters(in: CharacterSet(charactersIn: "; \n\t\r")) }.filter {
            !$0.isEmpty
        }
    }

    /// The index that this statement makes beside those who write; `nil` for any other statement.
    static func concurrentIndex(of statement: String) -> String? {
        let words = statement.split { $0.isWhitespace }.map { $0.lowercased() }
        guard
            words.starts(with: ["create", "index", "concurrently"])
                || words.starts(with: ["create", "unique", "index", "concurrently"])
        else { return nil }
        let rest = words[(words.firstIndex(of: "concurrently") ?? 0)...].dropFirst()
        let name = rest.starts(with: ["if", "not", "exists"]) ? rest.dropFirst(3).first : rest.first
        return name == "on" ? nil : name
    }

    /// What waits for others itself, without keeping anybody behind it: it has no limit for that. All else has a
    /// transaction of its own, and waits for a lock as long as any migration.
    static func refusesTransaction(_ statement: String) -> Bool {
        let words = statement.split { $0.isWhitespace }.map { $0.lowercased() }
        return words.contains("concurrently") || words.first == "vacuum"
    }

    /// In order. Throws `MigrationError` for names that are none of a migration.
    static func all(in directory: URL) throws -> [MigrationFile] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: directory.path) else {
            throw MigrationError.unreadable(directory.path)
        }
        var numbers: Set<Substring> = []
        return try names.filter { $0.hasSuffix(".sql") }.sorted().map { name in
            guard name.wholeMatch(of: /[0-9]{4}_[a-z0-9_]+\.sql/) != nil, numbers.insert(name.prefix(4)).inserted else {
                throw MigrationError.misnamed(file: name)
            }
            let url = directory.appendingPathComponent(name)
            guard let data = try? Data(contentsOf: url), let text = String(validating: data, as: UTF8.self),
                !text.utf8.contains(0)
            else {
                throw MigrationError.unreadable(url.path)
            }
            return MigrationFile(name: name, text: text)
        }
    }
}
