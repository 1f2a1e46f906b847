import Base
import Foundation

/// A row of tiqr-server-libphp's user table, read with its secret. Columns: `userid`; and, where they are there,
/// `displayname`, `loginattempts`, `tmpblocktimestamp`, `tmpblockattempts`, `blocked`, `notificationtype`,
/// `notificationaddress`.
struct ImportedUser: Sendable {
    struct Refused: Error, Equatable { let reason: String }

    let identity: String
    let displayName: String
    let secret: SecretBytes
    /// Wrong answers in a row, of which one at least is left.
    let failures: Int
    /// Blocks in a row: how far up the ladder.
    let blockStep: Int
    let blockedUntil: Date?
    let isBlockedForGood: Bool
    let address: PushAddress?

    /// `secret` as stored. `temporaryBlock` is the old server's setting in minutes, 0 where it knew none.
    init(_ line: ExportedTable.Line, secret: String?, keys: StorageKeys, temporaryBlock: Int, now: Date) throws(Refused)
    {
        let identity = try ImportedUser.identity(line)
        self.identity = identity
        do { self.secret = try StoredSecret.read(secret, with: keys) } catch {
            throw Refused(reason: error.description)
        }
        displayName = ImportedUser.shown(line["displayname"]) ?? identity
        failures = min(try ImportedUser.number("loginattempts", line), BlockLadder.attempts - 1)
        blockStep = min(try ImportedUser.number("tmpblockattempts", line), 20)
        let blockedAt = try ImportedUser.number("tmpblocktimestamp", line)
        guard TimeInterval(blockedAt) < now.timeIntervalSince1970 + 86_400 else {
            throw Refused(reason: "tmpblocktimestamp is not in seconds since 1970")
        }
        blockedUntil = ImportedUser.blockedUntil(blockedAt, minutes: temporaryBlock, now: now)
        isBlockedForGood = try ImportedUser.flag("blocked", line)
        let (type, place) = (
            ImportedUser.printable(line["notificationtype"]), ImportedUser.printable(line["notificationaddress"])
        )
        address = PushAddress(["notificationType": type, "notificationAddress": place])
    }

    /// What links, paths and phones carry unchanged (protocols/tiqr.md, 1.6).
    static func identity(_ line: ExportedTable.Line) throws(Refused) -> String {
        guard let name = line["userid"] else { throw Refused(reason: "there is no userid") }
        guard name.utf8.count <= 128, name.wholeMatch(of: #/[A-Za-z0-9._~\-]+/#) != nil, name != ".", name != ".."
        else {
            throw Refused(
                reason:
                    """
                    the userid has other letters than A-Z a-z 0-9 . _ ~ -, or more than 128: this phone must enroll \
                    anew
                    """
            )
        }
        return name
    }

    /// The old rule: blocked while `now` is at most so many minutes after `timestamp` (seconds since 1970); never with
    /// 0 minutes or without a timestamp.
    static func blockedUntil(_ timestamp: Int, minutes: Int, now: Date) -> Date? {
        guard minutes > 0, timestamp > 0 else { return nil }
        let until = Date(numericDate: timestamp).addingTimeInterval(TimeInterval(minutes) * 60)
        return until >= now ? until : nil
    }

    private static func shown(_ text: String?) -> String? {
        guard let text, (try? ShownText.check(text, "displayname")) != nil else { return nil }
        return text
    }

    /// What is no address is none.
    private static func printable(_ text: String?) -> String {
        guard let text, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return "" }
        return text
    }

    private static func number(_ column: String, _ line: ExportedTable.Line) throws(Refused) -> Int {
        guard let text = line[column] else { return 0 }
        guard let number = Int(text), number <= Int(Int32.max) * 1_000 else {
            throw Refused(reason: "\(column) is not a number")
        }
        return max(0, number)
    }

    /// As MySQL and SQLite write it, 0 or another number; as PostgreSQL does, t or f.
    private static func flag(_ column: String, _ line: ExportedTable.Line) throws(Refused) -> Bool {
        guard let text = line[column]?.lowercased() else { return false }
        if let number = Int(text) { return number != 0 }
        guard let flag = ["t": true, "true": true, "f": false, "false": false][text] else {
            throw Refused(reason: "\(column) is neither yes nor no")
        }
        return flag
    }
}
