import Administration
import ArgumentParser
import HTTP
import Server

/// `pando admin`: design/cli.md.
public struct Admin: AsyncParsableCommand {
    public static let configuration = CommandConfiguration(
        abstract: "Administer the federation: people, apps, instances, services, tokens.",
        discussion:
            """
            stdout is the result, stderr everything else. --json may stand anywhere; --dry-run shows what a change \
            would do.
            """,
        subcommands: [
            InstitutionsCommand.self, RolesCommand.self, AccountsCommand.self, AppsCommand.self, InstancesCommand.self,
            ServicesCommand.self, ClientsCommand.self,
            TokensCommand.self, TreeCommand.self, StatisticsCommand.self,
        ] + Product.all.flatMap(\.administration.commands) + [
            KeysCommand.self, CrawlCommand.self, EventsCommand.self, AuditCommand.self, EpochCommand.self,
            SettingsCommand.self,
        ]
    )

    public init() {}
}

extension AdminCatalog {
    /// All that `pando admin` does, of the server and of its products.
    public static let ofServer = AdminCatalog(Admin.self, rules: Product.all.flatMap(\.administration.rules))
}

public enum AdminArguments {
    /// `--json` may stand anywhere after `admin`, and options behind `-- ID`: what ArgumentParser wants at the end or
    /// in front is moved there.
    public static func normalised(_ arguments: [String]) -> [String] {
        guard arguments.first == "admin" else { return arguments }
        let arguments = optionsFirst(arguments)
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        let (head, named) = withoutServer(arguments[..<end])
        let json = head.contains("--json") ? ["--json"] : []
        return head.filter { $0 != "--json" } + json + named + arguments[end...]
    }

    /// What names a server, apart from the rest.
    private static func withoutServer(_ words: ArraySlice<String>) -> (rest: [String], named: [String]) {
        var rest: [String] = [], named: [String] = [], words = words
        while let word = words.popFirst() {
            if word == "--server", let url = words.popFirst() {
                named = [word, url]
            } else if word.hasPrefix("--server=") {
                named = [word]
            } else {
                rest.append(word)
            }
        }
        return (rest, named)
    }

    /// Whether errors are told as JSON, too.
    public static func wantJSON(_ arguments: [String]) -> Bool {
        let words = arguments.prefix { $0 != "--" }
        return words.contains("--json") || words.contains("--output=json")
            || zip(words, words.dropFirst()).contains { ["-o", "--output"].contains($0) && $1 == "json" }
    }

    /// `-- ID --yes --reason R` as `--yes --reason R -- ID`. The word behind `--` is an ID whatever it looks like, as
    /// are those behind a second `--`; from the first further word that begins with `--` on, there are options and
    /// their values.
    private static func optionsFirst(_ arguments: [String]) -> [String] {
        guard let separator = arguments.firstIndex(of: "--") else { return arguments }
        let words = arguments[(separator + 1)...]
        let end = words.dropFirst().firstIndex(of: "--") ?? words.endIndex
        guard let options = words[..<end].dropFirst().firstIndex(where: { $0.hasPrefix("--") }) else {
            return arguments
        }
        return [arguments[..<separator], words[options..<end], ["--"], words[..<options], words[end...].dropFirst()]
            .flatMap { $0 }
    }
}
