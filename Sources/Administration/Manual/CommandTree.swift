import ArgumentParser
import Base

/// All commands below a root, as ArgumentParser tells them, each with the type that runs it: for what is said of them
/// besides `--help`.
public struct CommandTree: Sendable {
    public let words: [String]
    public let abstract: String
    public let discussion: String
    public let subcommands: [CommandTree]
    let arguments: [CommandDeclaration.Argument]
    /// Names of before, which still do.
    private let aliases: [String]
    /// Behind the root's own name.
    public let example: String

    public var name: String { words.last ?? "" }

    /// `nil` where ArgumentParser tells something else than it used to.
    public init?(_ root: any ParsableCommand.Type) {
        guard let declaration = CommandDeclaration(dumped: root._dumpHelp()) else { return nil }
        self.init([root._commandName], root, declaration)
    }

    private init(_ words: [String], _ type: (any ParsableCommand.Type)?, _ declaration: CommandDeclaration) {
        self.words = words
        (abstract, discussion, arguments) = (declaration.abstract, declaration.discussion, declaration.arguments)
        subcommands = declaration.subcommands.filter { $0.name != "help" && !$0.isHidden }.map { child in
            let next = type?.configuration.subcommands.first { $0._commandName == child.name }
            return CommandTree(words + [child.name], next, child)
        }
        aliases = type?.configuration.aliases ?? []
        let given = (type as? any AdminCommand.Type)?.example
        example = ([words.joined(separator: " ")] + CommandExample.words(given, declaration)).joined(separator: " ")
    }

    /// The command that the words of a line lead to, as far as they are commands.
    public func reached(by line: [String]) -> CommandTree {
        guard let word = line.first,
            let next = subcommands.first(where: { $0.name == word || $0.aliases.contains(word) })
        else { return self }
        return next.reached(by: Array(line.dropFirst()))
    }

    /// All that have none below.
    public var leaves: [CommandTree] { subcommands.isEmpty ? [self] : subcommands.flatMap(\.leaves) }

    /// Whether anything that may be said to it is not explained, by its spelling.
    public var unexplained: [String] {
        arguments.filter { $0.abstract.isEmpty }.map { $0.names.first.map { "--\($0)" } ?? $0.valueName }
    }

    /// A question about a word that is no command here, where it is near to one.
    public func question(_ line: [String]) -> String? {
        let place = reached(by: line), rest = line.dropFirst(place.words.count - words.count)
        guard !place.subcommands.isEmpty, let word = rest.first, !word.hasPrefix("-"), word != "help" else {
            return nil
        }
        let all = place.subcommands.map(\.name), path = place.words.joined(separator: " ")
        guard let meant = NearestName.meant(by: word, among: all) else {
            return "`\(path)` has no command `\(word)`; there are \(all.joined(separator: ", "))"
        }
        return "`\(path)` has no command `\(word)`; did you mean `\(meant)`?"
    }
}
