/// What may stand at the end of a line that somebody is typing.
public enum CommandCompletion: Sendable, Equatable {
    case words([String])
    /// Things of the federation that are called `hidden` and what is typed, each told without `hidden` and behind
    /// `lead`.
    case names(KnownNames.Kind, typed: String, lead: String = "", hidden: String = "")
    /// The shell knows better: a file, or anything.
    case nothing

    /// `words` are those behind the root's name, the one that is being typed last, which may be empty.
    public init(_ words: [String], below root: CommandTree) {
        let typed = words.last ?? "", line = Array(words.dropLast())
        let command = root.reached(by: line)
        guard command.subcommands.isEmpty else {
            self = .words(command.subcommands.map(\.name).filter { $0.hasPrefix(typed) })
            return
        }
        let rest = Array(line.dropFirst(command.words.count - 1))
        func option(_ word: String) -> CommandDeclaration.Argument? {
            command.arguments.first { argument in
                word.hasPrefix("--")
                    ? argument.names.contains(String(word.dropFirst(2)))
                    : argument.letters.contains(String(word.dropFirst()))
            }
        }
        if let last = rest.last, last.hasPrefix("-"), let named = option(last), named.kind == "option" {
            self = CommandCompletion.value(of: named, typed, [], command)
        } else if typed.hasPrefix("--"), let equals = typed.firstIndex(of: "="),
            let named = option(String(typed[..<equals]))
        {
            let value = String(typed[typed.index(after: equals)...])
            self = CommandCompletion.value(of: named, value, [], command).behind(String(typed[...equals]))
        } else if typed.hasPrefix("-") {
            let all = command.arguments.filter { $0.kind != "positional" }.flatMap { $0.names.map { "--\($0)" } }
            self = .words(all.filter { $0.hasPrefix(typed) })
        } else {
            var given: [String] = [], isValue = false
            for word in rest {
                if isValue {
                    isValue = false
                } else if word.hasPrefix("-"), word != "-", word != "--" {
                    isValue = !word.contains("=") && option(word)?.kind == "option"
                } else if word != "--" {
                    given.append(word)
                }
            }
            let places = command.arguments.filter { $0.kind == "positional" }
            let place =
                given.count < places.count ? places[given.count] : places.last.flatMap { $0.isRepeating ? $0 : nil }
            self = place.map { CommandCompletion.value(of: $0, typed, given, command) } ?? .nothing
        }
    }

    private func behind(_ option: String) -> CommandCompletion {
        switch self {
        case .words(let words): .words(words.map { option + $0 })
        case .names(let kind, let typed, let lead, let hidden):
            .names(kind, typed: typed, lead: option + lead, hidden: hidden)
        case .nothing: .nothing
        }
    }

    private static func value(
        of argument: CommandDeclaration.Argument, _ typed: String, _ before: [String], _ command: CommandTree
    ) -> CommandCompletion {
        if !argument.values.isEmpty { return .words(argument.values.filter { $0.hasPrefix(typed) }) }
        let name = argument.kind == "positional" ? argument.valueName : argument.names.first ?? argument.valueName
        switch name {
        case "account", "as": return .names(.account, typed: typed)
        case "service", "services": return .names(.service, typed: typed)
        case "app", "bundle": return .names(.app, typed: typed)
        case "institution": return .names(.institution, typed: typed)
        case "client": return .names(.client, typed: typed)
        case "kid": return .names(.signingKey, typed: typed)
        case "node": return node(typed)
        case "version":
            guard let app = before.last else { return .nothing }
            return .names(.version, typed: typed, hidden: app + ".")
        case "id" where command.words.contains("instances"): return .names(.instance, typed: typed)
        case "id" where command.words.contains("clients"): return .names(.client, typed: typed)
        default: return .nothing
        }
    }

    /// docs/design/cli.md, "Naming a node".
    private static func node(_ typed: String) -> CommandCompletion {
        let kinds: [(word: String, names: KnownNames.Kind?)] = [
            ("version", .version), ("instance", .instance), ("key", nil), ("account", .account), ("password", .account),
            ("session", nil), ("grant", nil), ("client", .client), ("service", .service), ("use", nil),
            ("bundle", .app), ("admission", nil), ("token", nil),
        ]
        guard let colon = typed.firstIndex(of: ":") else {
            return .words(kinds.map { $0.word + ":" }.filter { $0.hasPrefix(typed) })
        }
        guard let names = kinds.first(where: { $0.word == typed[..<colon] })?.names else { return .nothing }
        return .names(names, typed: String(typed[typed.index(after: colon)...]), lead: String(typed[...colon]))
    }
}
