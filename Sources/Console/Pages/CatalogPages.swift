import Administration
import Base

/// The pages that are made of the catalog: one for each command, at an address of its words.
enum CatalogPages {
    /// Of a list, its noun; of anything else its words.
    static func path(_ words: [String]) -> String {
        "/admin/" + (words.last == "list" ? words.dropLast() : words[...]).joined(separator: "/")
    }

    /// Such a page with arguments in its query.
    static func address(_ words: [String], _ arguments: [(String, String)]) -> String {
        arguments.isEmpty ? path(words) : "\(path(words))?\(FormCodec.write(arguments))"
    }

    /// What has pages of its own, or belongs to the machine of the server: files of secrets, the master key.
    private static let others: Set<String> = [
        "audit list", "audit export", "tokens why", "tree show", "tree find", "statistics show", "keys generate",
        "keys reseal",
        "tiqr import",
    ]

    static func has(_ entry: AdminEntry) -> Bool { !others.contains(entry.words.joined(separator: " ")) }

    /// What stands in the navigation for a page: its list, or where it came from.
    static func active(_ words: [String]) -> String {
        let places = ConsoleNavigation.groups.flatMap(\.places)
        for count in (1...max(1, words.count)).reversed() {
            let prefix = Array(words.prefix(count))
            if let place = places.first(where: { $0.words == prefix || Array($0.words.dropLast()) == prefix }) {
                return place.href
            }
        }
        return ""
    }
}

extension AdminEntry {
    var noun: [String] { Array(words.dropLast()) }
    var verb: String { words.last ?? "" }

    /// Those that it cannot do without.
    var needed: [AdminArgument] { arguments.filter { $0.kind == .positional && !$0.isOptional } }

    var makes: Bool { ["create", "add", "import", "propose", "grant"].contains(verb) }

    /// It makes something, or can do without a thing: it stands above a list.
    var isOfCollection: Bool { makes || needed.isEmpty }

    /// It stands beside one thing.
    var isOfThing: Bool { !makes && arguments.contains { $0.kind == .positional } }

    /// The kind of what comes of it: a proposal is no service yet.
    var nounAfter: [String] { verb == "propose" ? noun + ["proposals"] : noun }

    /// What it tells is on no page of a thing.
    var tellsOnce: Bool { words == ["services", "check"] }

    /// Not those that would be refused beside what the link names: a thing that is there is not made, and one that is
    /// to be made is not there.
    func isAsked(_ argument: AdminArgument, named: Set<String>) -> Bool {
        guard words == ["accounts", "invite"] else { return true }
        return named.contains("account")
            ? argument.name == "language" || argument.name == "account" : argument.name != "account"
    }

    func isSecret(_ name: String) -> Bool { arguments.contains { $0.name == name && $0.isSecret } }

    /// Of these arguments, those that it takes.
    func taking(_ arguments: [(String, String)]) -> [(String, String)] {
        arguments.filter { name, _ in self.arguments.contains { $0.name == name } }
    }
}

extension AdminArgument {
    /// Those of every change, or of every list, that the pages have their own ways for.
    var isShared: Bool { ["dry_run", "reason", "limit", "after"].contains(name) }
}
