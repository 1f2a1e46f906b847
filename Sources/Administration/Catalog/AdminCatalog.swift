import ArgumentParser
import Base
import Database

/// Every command of `pando admin` that asks or changes, as what the administration API and the console do: the same
/// code, whoever calls. What a command takes is read from its own declaration, so nothing is written twice.
public struct AdminCatalog: Sendable {
    public let entries: [AdminEntry]
    /// The table of docs/design/roles.md.
    public let rules: [AdminRule]
    private let root: any ParsableCommand.Type

    /// `root` is `pando admin`; how its commands are declared is asked of ArgumentParser once.
    /// `rules` are those of products.
    public init(_ root: any ParsableCommand.Type, rules: [AdminRule] = []) {
        self.root = root
        let rules = AdminRules.ofServer + rules
        self.rules = rules
        let byWords = Dictionary(rules.map { ($0.words, $0) }, uniquingKeysWith: { first, _ in first })
        entries =
            CommandDeclaration(dumped: root._dumpHelp())?.leaves().compactMap { words, declaration in
                AdminCatalog.type(of: words, below: root).flatMap {
                    AdminEntry(words, $0, declaration, byWords[words.joined(separator: " ")])
                }
            } ?? []
    }

    public func entry(_ words: [String]) -> AdminEntry? { entries.first { $0.words == words } }

    /// The command with these arguments, by their names in JSON. Throws `AdminFailure` of code `usage` for what the
    /// command line would not understand.
    public func command(_ entry: AdminEntry, _ arguments: JSONObject) throws -> any AdminCommand {
        let line = try entry.commandLine(arguments)
        do {
            guard let command = try root.parseAsRoot(line) as? any AdminCommand else {
                throw AdminFailure(.usage, "there is no such command")
            }
            return command
        } catch let failure as AdminFailure {
            throw failure
        } catch {
            throw AdminFailure(.usage, root.message(for: error))
        }
    }

    /// Runs it in a session that is whose `authority` says. What it reads of files and stdin on the command line stands
    /// in `arguments`. Throws `AdminFailure`.
    public func run(_ entry: AdminEntry, _ arguments: JSONObject, in session: AdminSession) async throws -> AdminResult
    {
        do { return try await perform(entry, arguments, in: session) } catch { throw AdminFailure(error) }
    }

    /// The same, for who tells errors in words of their own: they come as they were thrown.
    public func perform(
        _ entry: AdminEntry, _ arguments: JSONObject, in session: AdminSession, beside: AdminBeside = .nothing
    ) async throws -> AdminResult {
        let given = GivenInput(stdin: arguments[AdminArgument.stdin]?.string)
        return try await AdminInput.$given.withValue(given) {
            let arguments = AdminPermissions.completed(try entry.plain(arguments), entry, session.authority)
            switch try command(entry, arguments) {
            case let query as any AdminQuery:
                try await AdminPermissions.admit(entry, arguments, in: session)
                return try await query.answered(session)
            case let change as any AdminChange:
                // Once before, so that nobody has something asked of others that they may not.
                try await AdminPermissions.admit(entry, arguments, in: session)
                let destroys = change.question != nil && !change.change.dryRun
                // In the transaction of the change, so that what is theirs is theirs until it is done.
                let admitted = AdminBeside(
                    before: { inside in
                        try await AdminPermissions.admit(entry, arguments, in: inside)
                        try await beside.before(inside)
                        if destroys { try AdminPermissions.requireFreshLogin(in: inside) }
                    }, after: beside.after)
                return .object(try await change.result(in: session, beside: admitted))
            default:
                throw AdminFailure(.usage, "\(entry.words.joined(separator: " ")) runs on the command line only")
            }
        }
    }

    /// The rules as docs/design/roles.md shows them.
    public var table: String {
        let head =
            "| command | institution administrator | service owner | found by | withheld |\n|---|---|---|---|---|"
        return ([head] + rules.filter { $0.audience != .nobody }.map(\.row)).joined(separator: "\n")
    }

    private static func type(of words: [String], below root: any ParsableCommand.Type) -> (any AdminCommand.Type)? {
        var found = root
        for word in words {
            guard let next = found.configuration.subcommands.first(where: { $0._commandName == word }) else {
                return nil
            }
            found = next
        }
        return found as? any AdminCommand.Type
    }
}
