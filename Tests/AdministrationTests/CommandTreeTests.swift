import Administration
import Commands
import Testing

@Suite("Commands explain themselves")
struct CommandTreeTests {
    private static let tree = CommandTree(Admin.self)

    @Test("every argument of every command is explained")
    func explained() throws {
        let leaves = try #require(Self.tree).leaves

        let silent = leaves.filter { !$0.unexplained.isEmpty }.map {
            "\($0.words.joined(separator: " ")): \($0.unexplained.joined(separator: " "))"
        }

        #expect(leaves.count > 90)
        #expect(silent == [])
        #expect(leaves.filter { $0.abstract.isEmpty }.map(\.words) == [])
    }

    @Test("every command has an example that it understands")
    func examples() throws {
        for leaf in try #require(Self.tree).leaves {
            let words = leaf.example.split(separator: " ").map(String.init).prefix { $0 != "<" && $0 != "|" }

            #expect(throws: Never.self, "\(leaf.example)") { _ = try Admin.parseAsRoot(Array(words.dropFirst())) }
        }
    }

    @Test(
        "a word that is no command is asked about, where one is near",
        arguments: [
            (["acounts", "list"], "`admin` has no command `acounts`; did you mean `accounts`?"),
            (["accounts", "lst"], "`admin accounts` has no command `lst`; did you mean `list`?"),
            (["apps", "versions", "ad", "x"], "`admin apps versions` has no command `ad`; did you mean `add`?"),
        ])
    func questions(line: [String], question: String) throws {
        #expect(try #require(Self.tree).question(line) == question)
    }

    @Test("what is a command, an option or far from all of them is not guessed")
    func noQuestions() throws {
        let tree = try #require(Self.tree)

        #expect(tree.question(["accounts", "list", "nonsense"]) == nil)
        #expect(tree.question(["accounts", "--json"]) == nil)
        #expect(tree.question(["accounts"]) == nil)
        #expect(tree.question(["accounts", "xyzzy"])?.contains("there are create") == true)
    }

    @Test("manual pages: one for each noun, with all its commands, and no line that is a request by accident")
    func manual() throws {
        let pages = ManualPage.all(try #require(Self.tree), version: "1")
        let requests: Set<Substring> = [
            ".TH", ".SH", ".SS", ".TP", ".PP", ".B", ".BR", ".br", ".nf", ".fi", ".RS", ".RE",
        ]

        #expect(pages.map(\.name).contains("admin-accounts"))
        let accounts = try #require(pages.first { $0.name == "admin-accounts" }).text
        #expect(accounts.contains(".SS \"admin accounts suspend\""))
        #expect(accounts.contains("\\-\\-reason"))
        for line in pages.flatMap({ $0.text.split(separator: "\n") }) where line.hasPrefix(".") || line.hasPrefix("'") {
            #expect(requests.contains(line.prefix { $0 != " " }), "\(line)")
        }
    }
}

@Suite("Completion")
struct CommandCompletionTests {
    private func wanted(_ line: String) throws -> CommandCompletion {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        return CommandCompletion(words, below: try #require(CommandTree(Admin.self)))
    }

    @Test("commands, where a command is missing")
    func commands() throws {
        #expect(try wanted("acc") == .words(["accounts"]))
        #expect(try wanted("apps ver") == .words(["versions"]))
        #expect(try wanted("apps versions re") == .words(["refuse"]))
    }

    @Test("options by their beginning, and the values of those that have few")
    func options() throws {
        #expect(try wanted("accounts suspend --rea") == .words(["--reason"]))
        #expect(try wanted("accounts list -o ya") == .words(["yaml"]))
        #expect(try wanted("accounts list --output=ya") == .words(["--output=yaml"]))
    }

    @Test(
        "names of the federation, by what the argument is",
        arguments: [
            ("accounts show gr", CommandCompletion.names(.account, typed: "gr")),
            ("accounts refuse grace --service l", .names(.service, typed: "l")),
            ("accounts refuse --service learn g", .names(.account, typed: "g")),
            ("accounts refuse grace --service=l", .names(.service, typed: "l", lead: "--service=")),
            ("apps versions refuse org.example.app 7", .names(.version, typed: "7", hidden: "org.example.app.")),
            ("instances show x", .names(.instance, typed: "x")),
            ("tokens revoke account:gr", .names(.account, typed: "gr", lead: "account:")),
            ("tokens revoke --dry-run version:o", .names(.version, typed: "o", lead: "version:")),
            ("tokens revoke token:x", .nothing),
            ("accounts show grace x", .nothing),
        ])
    func names(line: String, expected: CommandCompletion) throws {
        #expect(try wanted(line) == expected)
    }

    @Test("names that a shell would run, expand or take for an option are never offered")
    func hostile() {
        let names = [
            "grace", "zoë@example.org", "$(id>/tmp/x)", "`id`", "a;id", "a|id", "a&id", "*", "gr?ce", "[a-z]", "{a,b}",
            "~root", "a\"b", "a'b", "a\\b", "a!b", "=id", "--yes", "-o", "a\nb", "a\u{202E}b", "<x", "#x",
        ]

        #expect(CompletedNames.offered(names, lead: "account:") == ["account:grace", "account:zoë@example.org"])
        #expect(CompletedNames.offered(["app.7", "app.$(id)", "other.7"], hidden: "app.") == ["7"])
    }

    @Test("kinds of nodes, where none is named yet")
    func nodes() throws {
        #expect(try wanted("tree show se") == .words(["session:", "service:"]))
    }
}
