import Base
import Foundation
import Harness

@testable import Tiqr

/// Tables of another tiqr server (docs/tiqr.md): CSV or what `mysql --batch` writes, the users in them, and their
/// secrets. Every input is also a file of keys, and the URL of a database.
enum ImportTarget {
    static let target = Target("import", run: run)

    private static let keys = certain("a key is one") { try StorageKeys("k1: " + String(repeating: "07", count: 32)) }
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private static func run(_ input: [UInt8]) {
        let text = String(decoding: input, as: UTF8.self)
        do throws(StorageKeys.Malformed) { _ = try StorageKeys(text) } catch {
            require(isPlain(error.description), "a refusal tells the line alone")
        }
        do throws(LiveSource.Unacceptable) { _ = try LiveSource(text) } catch {
            require(isPlain(error.description), "a refusal of a URL quotes nothing of it")
        }
        let table: ExportedTable
        do throws(ExportedTable.Malformed) {
            table = try ExportedTable(text)
        } catch {
            return require(isPlain(error.description), "a refusal tells the line alone: \(error.description)")
        }
        require(!table.columns.isEmpty, "a table has columns")
        require(
            zip(table.lines, table.lines.dropFirst()).allSatisfy { $0.number < $1.number },
            "lines are counted as they come")
        again(table)
        for line in table.lines.prefix(8) { user(line) }
    }

    /// Ours alone: nothing of what stands in the file.
    private static func isPlain(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count < 200 && text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
    }

    /// Written as CSV with everything in quotes, it is the same table.
    private static func again(_ table: ExportedTable) {
        let columns = table.columns.sorted()
        // A tab in the first line would make it a file of tabs.
        guard !columns.contains(where: { $0.utf8.contains(UInt8(ascii: "\t")) }),
            columns.allSatisfy({ $0.lowercased() == $0 })
        else { return }
        // By bytes: a quote under an accent is another letter.
        let quote = UInt8(ascii: "\"")
        func quoted(_ field: String) -> String {
            let inner = field.utf8.flatMap { byte -> [UInt8] in byte == quote ? [quote, quote] : [byte] }
            return String(decoding: [quote] + inner + [quote], as: UTF8.self)
        }
        let rows = [columns.map { quoted($0) }] + table.lines.map { line in columns.map { quoted(line[$0] ?? "") } }
        let copy = certain("what was written is read") {
            try ExportedTable(rows.map { $0.joined(separator: ",") }.joined(separator: "\r\n"))
        }
        require(copy.columns == table.columns && copy.lines.count == table.lines.count, "as many columns and lines")
        for (left, right) in zip(table.lines, copy.lines) {
            require(columns.allSatisfy { isSame(left[$0], right[$0]) }, "what was written is read back the same")
        }
    }

    private static func isSame(_ left: String?, _ right: String?) -> Bool {
        left.map { left in right.map { isSpelledAlike(left, $0) } ?? false } ?? (right == nil)
    }

    private static func user(_ line: ExportedTable.Line) {
        let secret = line["secret"]
        do throws(ImportedUser.Refused) {
            let user = try ImportedUser(line, secret: secret, keys: keys, temporaryBlock: 10, now: now)
            require((16...64).contains(user.secret.count), "a secret is 16 to 64 bytes")
            require(
                (1...128).contains(user.identity.utf8.count) && FormCodec.encode(user.identity) == user.identity,
                "an identity is the same in a link")
            require(user.failures >= 0 && user.failures < BlockLadder.attempts, "one attempt is left at least")
            require((0...20).contains(user.blockStep) && !user.displayName.isEmpty, "a user is whole")
            require(user.blockedUntil.map { $0 >= now } ?? true, "a block that is over is none")
        } catch {
            require(!error.reason.isEmpty, "a refusal says why")
            require(
                (secret ?? "").utf8.count < 80 || !error.reason.contains(secret ?? ""), "a refusal repeats no secret")
        }
    }
}
