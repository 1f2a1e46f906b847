import Base
import TestSupport
import Testing

@testable import HTTP

@Suite("/openapi.yaml shows what it tells", .server)
struct DescribedExamplesTests {
    private static let form = "application/x-www-form-urlencoded"

    /// With all that a server can serve.
    private func described(_ body: @Sendable @escaping (DescribedAPI) async throws -> Void) async throws {
        var options = TestServerOptions(isTested: true)
        (options.hasMail, options.roles) = (true, ["discovery"])
        try await TestServer.with(options: options) { server in
            try await body(try DescribedAPI(try await server.get("/openapi.yaml").body))
        }
    }

    /// JSON, and what is written in it; forms. Not pages, pictures and JWTs.
    private static func isData(_ type: String) -> Bool {
        type == form || type == "application/json" || (type.hasSuffix("+json") && type.hasPrefix("application/"))
    }

    @Test("each body and each answer in JSON, and each form, has an example that fits its schema")
    func examples() async throws {
        try await described { api in
            var looked: Set<String> = [], forms = 0
            for place in api.operations.keys.sorted() {
                let words = place.split(separator: " ", maxSplits: 1).map { String($0) }
                let operation = try #require(api[words[0], words[1]])
                for holder in [operation.body].compactMap(\.self) + operation.answers.values {
                    for content in holder["content"]?.object?.members ?? [] where Self.isData(content.name) {
                        let schema = try #require(content.value["schema"])
                        // One that JSON shares counts as a form, too.
                        forms += content.name == Self.form ? 1 : 0
                        guard looked.insert(schema.text).inserted else { continue }
                        let example = api.resolved(schema)?["examples"]?.array?.first
                        let faults = example.map { api.faults($0, schema) }
                        #expect(faults == [], "\(place) \(content.name): \(example?.text ?? "no example")")
                    }
                }
            }
            #expect(looked.count > 250 && forms > 100, "\(looked.count) \(forms)")
        }
    }

    @Test("the administration API shows the calls of the manual pages")
    func administration() async throws {
        try await described { api in
            func example(_ command: String) -> JSONValue? {
                api.schemas["Admin\(command)Request"]?["examples"]?.array?.first
            }

            #expect(example("AccountsInvite")?["email"] == "grace@example.org")
            #expect(example("AppsVersionsAdd")?["jwk"]?["kty"] == "EC")
            #expect(example("AccountsPassword") == ["password": "correct horse battery staple"])
            #expect(example("TokensWhy")?.object?.names == ["token"])
            #expect(example("AppsUpdate")?["claim"] == ["email", "name"] && example("AppsUpdate")?["app"] == nil)
            #expect(example("AccountsSuspend")?.object?.names == ["reason"])
        }
    }

    @Test("several resources fit what is told of /authorize and of /par, as one does, and a number does not")
    func resources() async throws {
        let server = try TestServer.ofSuite, api = try DescribedAPI(try await server.get("/openapi.yaml").body)
        let told = try #require(api["get", "/authorize"]?.parameters.first { $0["name"] == "resource" })
        let one: JSONValue = "https://learn.example.org", several: JSONValue = [one, "https://quiet.example.org"]

        for value in [one, several] {
            #expect(api.faults(value, told["schema"]) == [])
            for path in ["/par", "/authorize"] {
                #expect(api.faults(asking: ["resource": value], "post", path) == [], "\(path)")
            }
        }
        for value: JSONValue in [5, [5], [["https://learn.example.org"]]] {
            #expect(api.faults(value, told["schema"]) != [], "\(value.text)")
            #expect(api.faults(asking: ["resource": value], "post", "/par") != [], "\(value.text)")
        }
    }

    // MARK: How they are made

    private func made(_ schemas: [OpenAPISchema], by members: JSONObject) -> JSONValue? {
        let all = schemas.exemplified(by: members)
        return all.first.flatMap { OpenAPIExamples(all).completed($0)["examples"]?.array?.first }
    }

    @Test("an example is made of members' examples, of words of a choice and of other schemas")
    func composed() {
        let schemas = [
            OpenAPISchema("One", "id! kind:=a|b! more note other:Other! list:[Other]! text:<Other>!"),
            OpenAPISchema("Other", "", ["id!": ""]),
        ]

        let example = made(schemas, by: ["id": "x", "Other.id": "y", "note": "z"])

        #expect(
            example == [
                "id": "x", "kind": "a", "note": "z", "other": ["id": "y"], "list": [["id": "y"]],
                "text": #"{"id":"y"}"#,
            ])
    }

    @Test("an example that is declared is the one that stands there")
    func declared() {
        let schema = OpenAPISchema("One", "", ["id!": ""], example: ["id": "own"])

        #expect(made([schema], by: ["id": "x"]) == ["id": "own"])
    }

    @Test(
        "there is none where a needed member is like nothing known, a schema never ends, or nothing would be shown"
    )
    func none() {
        #expect(made([OpenAPISchema("One", "id! name!")], by: ["id": "x"]) == nil)
        #expect(made([OpenAPISchema("One", "one:One!")], by: [:]) == nil)
        #expect(made([OpenAPISchema("One", "id name")], by: [:]) == nil, "all of it may be left out")
    }

    @Test("a form shows what people type, the first word of a choice, and something that a page made up")
    func forms() {
        let form = OpenAPIExamples.form(
            ["form_token!", "decision!:=allow|deny", "name", "request"], known: ["name": "Ada"])

        #expect(
            form["examples"] == [
                ["form_token": "dGhlIGZvcm1fdG9rZW4", "decision": "allow", "name": "Ada"]
            ])
    }
}
