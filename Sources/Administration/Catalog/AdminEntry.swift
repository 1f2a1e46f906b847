import ArgumentParser
import Base

/// Where the administration API has a command, below `/admin/api/v1`: a parameter of the path is `{name}`.
public struct AdminRoute: Sendable, Equatable {
    /// GET, POST, PATCH or DELETE.
    public let method: String
    public let path: String

    public init(_ method: String, _ path: String) { (self.method, self.path) = (method, path) }
}

/// A command of the catalog.
public struct AdminEntry: Sendable {
    /// `["apps", "versions", "add"]`.
    public let words: [String]
    /// It changes something; what only looks may be asked by auditors.
    public let isChange: Bool
    public let route: AdminRoute
    public let abstract: String
    public let discussion: String
    public let arguments: [AdminArgument]
    /// The call that its manual page shows, as members of JSON (`CommandExample`).
    public let example: JSONObject
    /// Whose besides the federation's it is; `nil`: nobody's.
    public let rule: AdminRule?

    init?(
        _ words: [String], _ type: any AdminCommand.Type, _ declaration: CommandDeclaration, _ rule: AdminRule?
    ) {
        self.rule = rule
        guard type is any AdminQuery.Type || type is any AdminChange.Type else { return nil }
        self.words = words
        isChange = type is any AdminChange.Type
        (abstract, discussion) = (declaration.abstract, declaration.discussion)
        arguments = AdminArgument.paired(declaration.arguments.compactMap(AdminArgument.init))
        example = CommandExample.members(type.example, declaration, arguments)
        route = type.route ?? AdminEntry.route(words, arguments, isChange: isChange)
    }

    /// Whether it is for whoever is logged in, without a role too.
    public var isForAnybody: Bool { rule?.audience == .anybody }

    /// Those that its path does not hold.
    public var bodyArguments: [AdminArgument] { arguments.filter { !route.path.contains("{\($0.name)}") } }

    /// The same, each value as the text that the command reads: permission is asked about just what is done, however
    /// it was written. Throws `AdminFailure` of code `usage`.
    func plain(_ values: JSONObject) throws -> JSONObject {
        var plain = values
        for argument in arguments where argument.kind != .flag && !argument.isFile {
            guard let value = values[argument.name], value != .null else { continue }
            let texts = try argument.texts(value)
            plain[argument.name] = argument.isRepeating ? JSONValue(strings: texts) : texts.first.map(JSONValue.string)
        }
        return plain
    }

    /// What was asked for, as words for ArgumentParser: no value is ever read as an option.
    func commandLine(_ values: JSONObject) throws -> [String] {
        var options: [String] = [], positionals: [String] = [], known: Set<String> = [AdminArgument.stdin]
        for argument in arguments {
            known.insert(argument.name)
            guard let value = values[argument.name], value != .null else {
                // A later one would take its place.
                if argument.kind == .positional, !argument.isOptional {
                    throw AdminFailure(.usage, "\(argument.name) is missing")
                }
                continue
            }
            let texts = try argument.texts(value)
            switch argument.kind {
            case .positional: positionals += texts
            case .flag: options += texts.map { "--\($0)" }
            // Behind an equals sign ArgumentParser takes nothing for a value that is missing.
            case .option:
                options += texts.flatMap { $0.isEmpty ? ["--\(argument.option)", ""] : ["--\(argument.option)=\($0)"] }
            }
        }
        if let unknown = values.names.first(where: { !known.contains($0) }) {
            throw AdminFailure(.usage, "there is no member \(unknown.prefix(80))")
        }
        return words + options + ["--"] + positionals
    }

    /// Nouns with the names of their things between, then what is done where the method does not say it.
    private static func route(_ words: [String], _ arguments: [AdminArgument], isChange: Bool) -> AdminRoute {
        let verb = words.last ?? "", nouns = words.dropLast()
        let needed = arguments.filter { $0.kind == .positional && !$0.isOptional && !$0.isRepeating }.map(\.name)
        let isOfCollection = ["list", "create", "add"].contains(verb)
        // What is made has its name in the body; what is listed hangs from the first nouns, what is named is of the
        // last.
        let names = isOfCollection ? Array(needed.prefix(nouns.count - 1)) : Array(needed.suffix(nouns.count))
        let first = isOfCollection ? 0 : nouns.count - names.count
        var path = ""
        for (place, noun) in nouns.enumerated() {
            path += "/" + noun
            if place >= first, place - first < names.count { path += "/{\(names[place - first])}" }
        }
        switch verb {
        case "list", "show": return AdminRoute("GET", path)
        case "create", "add": return AdminRoute("POST", path)
        case "update": return AdminRoute("PATCH", path)
        case "delete", "remove": return AdminRoute("DELETE", path)
        default: return AdminRoute(isChange ? "POST" : "GET", path + "/" + verb)
        }
    }
}

extension AdminRoute {
    /// Its path with these names in place of its parameters. All of a name that is not plain is percent-encoded, and
    /// the first letter of one that might be a word of a path.
    public func filled(_ names: [String]) -> String {
        var rest = names[...]
        return path.split(separator: "/").map { part in
            guard part.hasPrefix("{") else { return "/" + part }
            return "/" + AdminRoute.segment(rest.popFirst() ?? "")
        }.joined()
    }

    private static func segment(_ name: String) -> String {
        let isWord = name.utf8.allSatisfy { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == 45 }
        return name.utf8.enumerated().map { place, byte in
            let isPlain = plain.contains(byte) && !(isWord && place == 0)
            let digits = String(byte, radix: 16, uppercase: true)
            return isPlain ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + digits
        }.joined()
    }

    private static let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:".utf8)
}
