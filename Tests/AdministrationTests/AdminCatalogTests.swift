import Administration
import Base
import Commands
import Testing

@Suite("The catalog of commands")
struct AdminCatalogTests {
    @Test("each command has a place of its own in the API")
    func routes() {
        let entries = AdminCatalog.ofServer.entries

        let routes = Dictionary(grouping: entries) { "\($0.route.method) \($0.route.path)" }

        #expect(entries.count > 80)
        #expect(routes.filter { $0.value.count > 1 }.keys.sorted() == [])
    }

    @Test("the example of each command is a call that the API takes, member by member")
    func examples() throws {
        let catalog = AdminCatalog.ofServer
        for entry in catalog.entries {
            let known = Set(entry.arguments.map(\.name) + [AdminArgument.stdin])

            #expect(known.isSuperset(of: entry.example.names), "\(entry.words) \(entry.example.names)")
            #expect(throws: Never.self, "\(entry.words) \(JSONValue.object(entry.example).text)") {
                _ = try catalog.command(entry, entry.example)
            }
        }
    }

    @Test("a parameter has one name, whatever stands behind it: a router knows no other")
    func parameters() {
        var names: [String: Set<String>] = [:]
        for entry in AdminCatalog.ofServer.entries {
            var before = ""
            for part in entry.route.path.split(separator: "/") {
                if part.hasPrefix("{") { names[before, default: []].insert(String(part)) }
                before += part.hasPrefix("{") ? "/{}" : "/\(part)"
            }
        }

        #expect(names.filter { $0.value.count > 1 }.map { "\($0.key) \($0.value.sorted())" }.sorted() == [])
    }

    @Test(
        "nouns, with the names of things between, and what is done where the method does not say it",
        arguments: [
            ("apps create", "POST /apps"), ("apps list", "GET /apps"), ("apps show", "GET /apps/{app}"),
            ("apps update", "PATCH /apps/{app}"), ("apps refuse", "POST /apps/{app}/refuse"),
            ("apps versions add", "POST /apps/{app}/versions"), ("apps versions list", "GET /apps/{app}/versions"),
            ("apps versions refuse", "POST /apps/{app}/versions/{version}/refuse"),
            ("accounts delete", "DELETE /accounts/{account}"), ("services remove", "DELETE /services/{service}"),
            ("events dead list", "GET /events/{service}/dead"), ("events status", "GET /events/status"),
            ("tokens revoke", "POST /tokens/{node}/revoke"), ("tree show", "GET /tree/{node}"),
            ("apps legacy", "POST /apps/{app}/legacy"), ("tokens why", "POST /tokens/why"),
            ("keys rotate", "POST /keys/rotate"), ("tiqr identities block", "POST /tiqr/identities/{identity}/block"),
        ])
    func places(words: String, place: String) throws {
        let entry = try #require(AdminCatalog.ofServer.entry(words.split(separator: " ").map(String.init)))

        #expect("\(entry.route.method) \(entry.route.path)" == place)
    }

    @Test("no value is read as an option, and none reads a file of the server")
    func values() async throws {
        let catalog = AdminCatalog.ofServer
        let show = try #require(catalog.entry(["apps", "show"]))

        let command = try catalog.command(show, ["app": "--set=port=1"])

        #expect("\(command)".contains("--set=port=1"))
        #expect(throws: (any Error).self) { try catalog.command(show, ["app": "a", "config": "/etc/passwd"]) }
        let read = try AdminInput.$given.withValue(GivenInput(stdin: nil)) { try AdminInput.text("/etc/hostname") }
        #expect(read == "/etc/hostname")
    }
}
