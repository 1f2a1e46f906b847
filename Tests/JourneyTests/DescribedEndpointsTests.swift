import Base
import TestSupport
import Testing

@Suite("/openapi.yaml tells all of every endpoint", .server)
struct DescribedEndpointsTests {
    /// With all that a server can serve.
    private func described(_ body: @Sendable @escaping (DescribedAPI) async throws -> Void) async throws {
        var options = TestServerOptions(isTested: true)
        (options.hasMail, options.roles) = (true, ["discovery"])
        try await TestServer.with(options: options) { server in
            try await body(try DescribedAPI(try await server.get("/openapi.yaml").body))
        }
    }

    @Test("no endpoint is without a shape: what it takes, what it answers, who may, what it belongs to")
    func shapes() async throws {
        try await described { api in
            let untold = api.operations.filter { $0.value.members["security"] == nil }.map(\.key).sorted()
            #expect(untold == [], "give these a shape: .telling(…), see CONTRIBUTING.md, \"An endpoint\"")
            #expect(api.operations.count > 230)
            for (place, operation) in api.operations {
                #expect(operation.members["operationId"]?.string?.isEmpty == false, "\(place)")
                #expect(operation.members["tags"]?.strings?.count == 1, "\(place)")
                #expect(!operation.answers.isEmpty && operation.answers["default"] == nil, "\(place)")
            }
        }
    }

    @Test("an operationId is one operation's, and a name that programs can have")
    func names() async throws {
        try await described { api in
            let names = api.operations.values.compactMap { $0.members["operationId"]?.string }
            let twice = Dictionary(grouping: names) { $0 }.filter { $0.value.count > 1 }.keys.sorted()
            #expect(twice == [])
            for name in names { #expect(name.wholeMatch(of: #/[a-z][A-Za-z0-9]{1,80}/#) != nil, "\(name)") }
            let known = ["token", "introspect", "revoke", "authorize", "registerClient", "userInfo", "tiqrToken"]
            #expect(Set(names).isSuperset(of: known))
        }
    }

    @Test("whatever a reference names is there, and all that is there is named")
    func references() async throws {
        try await described { api in
            #expect(api.named == Set(api.schemas.keys), "\(api.named.symmetricDifference(api.schemas.keys))")
            let answers = api.operations.values.flatMap(\.answers.values).compactMap { answer in
                answer["$ref"]?.string.map { String($0.split(separator: "/").last ?? "") }
            }
            #expect(Set(answers) == Set(api.responses.keys))
        }
    }

    @Test("each grant that is offered has a schema of its own, by its name on the wire")
    func grants() async throws {
        let server = try TestServer.ofSuite, api = try DescribedAPI(try await server.get("/openapi.yaml").body)
        let metadata = try await server.get("/.well-known/oauth-authorization-server")
        let offered = metadata.json["grant_types_supported"]?.strings ?? []
        let mapping = api.schemas["TokenRequest"]?["discriminator"]?["mapping"]?.object?.names ?? []

        #expect(!offered.isEmpty && Set(mapping) == Set(offered))
        #expect(api.faults(metadata, "get", "/.well-known/oauth-authorization-server") == [])
    }

    @Test("what takes a body says which, and what wants something shown says how it refuses who shows nothing")
    func kinds() async throws {
        try await described { api in
            for (place, operation) in api.operations {
                let shown = operation.members["security"]?.array ?? [], statuses = Set(operation.answers.keys)
                if operation.body != nil { #expect(statuses.contains("413"), "\(place)") }
                let isByHeader = shown.contains { way in
                    (way.object?.names ?? []).contains { api.securitySchemes[$0]?["in"] != "cookie" }
                }
                if isByHeader { #expect(statuses.contains("401"), "\(place)") }
            }
            #expect(api.responses["Unauthorized"]?["headers"]?["WWW-Authenticate"] != nil)
            #expect(api.responses["ServiceUnavailable"]?["headers"]?["Retry-After"] != nil)
        }
    }

    @Test("a refusal is what is told of it: status, body, challenge")
    func refusals() async throws {
        let server = try TestServer.ofSuite, api = try DescribedAPI(try await server.get("/openapi.yaml").body)
        let token = try await server.post("/token", json: ["grant_type": "nothing"])
        let introspection = try await server.post("/introspect", json: ["token": "a"])
        let registration = try await server.post("/register", json: [:])

        #expect(token.status == 400 && api.faults(token, "post", "/token") == [])
        #expect(introspection.status == 401 && api.faults(introspection, "post", "/introspect") == [])
        #expect(registration.status == 401 && api.faults(registration, "post", "/register") == [])
        #expect(registration[header: "WWW-Authenticate"] != nil)
    }
}
