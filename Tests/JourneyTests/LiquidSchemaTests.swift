import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@testable import HTTP
@testable import IdentityProvider
@testable import Liquid
@testable import Operations
@testable import Passkeys
@testable import Tiqr

@Suite("liquid: what /openapi.yaml tells is what is asked and answered", .server)
struct LiquidSchemaTests {
    private func read(_ server: TestServer) async throws -> DescribedAPI {
        try DescribedAPI(try await server.get("/openapi.yaml").body)
    }

    @Test("every name of a schema has one, every schema is of use, and no two have a name")
    func names() async throws {
        var options = TestServerOptions(isTested: true)
        options.flags["security-contact"] = "https://idp.example.org/security"
        try await TestServer.with(options: options) { server in
            let described = try await read(server), told = Set(described.schemas.keys)
            #expect(described.named == told, "\(described.named.symmetricDifference(told))")
            let ofIdP =
                OpenAPISchema.oauthEndpoints + OpenAPISchema.registrations + OpenAPISchema.federation
                + OpenAPISchema.accountTree + OpenAPISchema.ownData + OpenAPISchema.ownService + EventRoutes.schemas
                + SharedSignalsSchemas.all
            let ofProducts =
                OpenAPISchema.liquid + OpenAPISchema.conformance + OpenAPISchema.passkeys + OpenAPISchema.operations
                + OpenAPISchema.phones + OpenAPISchema.tiqr
            let own = (OpenAPISchema.shared + OpenAPISchema.index + ofIdP + ofProducts).map(\.name)
            #expect(told.isSuperset(of: own), "\(Set(own).subtracting(told))")
            #expect(own.count == Set(own).count)
        }
        let closed = try await read(TestServer.ofSuite)
        #expect(!closed.schemas.keys.contains("ConformanceDone") && closed.schemas.keys.contains("Wallet"))
    }

    @Test(
        "every method of liquid has its answers by status, with words, and every one that takes a body has its schema")
    func operations() async throws {
        let described = try await read(TestServer.ofSuite), bodyless = ["get", "delete", "options", "put", "patch"]
        for (path, methods) in LiquidWalletTests.described {
            for method in methods {
                let operation = try #require(described[method, path], "\(method) \(path)")
                #expect(bodyless.contains(method) || operation.bodySchema?["$ref"]?.string != nil, "\(method) \(path)")
                #expect(!operation.answers.isEmpty && !operation.answers.keys.contains("default"), "\(method) \(path)")
                for (status, answer) in operation.answers {
                    let hasBody =
                        !["101", "204", "302", "426"].contains(status) && !(status == "413" && path == "/socket.io/")
                    let isTold = DescribedAPI.schema(of: answer)?.object != nil
                    #expect(
                        answer["description"]?.string?.isEmpty == false && isTold == hasBody,
                        "\(method) \(path) \(status)")
                }
                let inPath = operation.parameters.filter { $0["in"] == "path" }
                #expect(
                    inPath.compactMap { $0["name"]?.string } == (path.contains("{credential}") ? ["credential"] : []),
                    "\(method) \(path)")
                let shown = try #require(operation.members["security"]?.array, "\(method) \(path)").flatMap {
                    $0.object?.names ?? []
                }
                #expect(shown.allSatisfy { $0 == "wallet" }, "\(method) \(path)")
            }
        }
        #expect(
            described.securitySchemes["wallet"]?["in"] == "cookie"
                && described.securitySchemes["wallet"]?["name"] == "connect.sid")
        #expect(described["get", "/auth/user"]?.members["security"] == [["wallet": []]])
    }

    @Test("every example is what its schema says, and a value that is not is told from one that is")
    func examples() async throws {
        let described = try await read(TestServer.ofSuite)
        var seen = 0
        for (name, schema) in described.schemas {
            for example in schema["examples"]?.array ?? [] {
                let faults = described.faults(example, schema)
                #expect(faults == [], "\(name)")
                seen += 1
            }
        }
        #expect(seen >= 10)

        let wallet = described.schemas["Wallet"], right: JSONValue = ["id": "a", "wallet": "b", "credentials": []]
        let wrong: [JSONValue] = [
            "a", [:], ["id": "a", "wallet": "b"], ["id": 1, "wallet": "b", "credentials": []],
            ["id": "a", "wallet": "b", "credentials": [[:]]],
            ["id": "a", "wallet": "b", "credentials": [], "error": "c"],
        ]
        #expect(described.faults(right, wallet) == [])
        for value in wrong { #expect(described.faults(value, wallet) != [], "\(value.text)") }
        #expect(described.faults(["success": false], described.schemas["WalletKeyRemoved"]) != [])
        #expect(described.faults(["user": 1, "session": [:]], described.schemas["WalletSessionState"]) != [])
    }

    @Test("a wallet's journey has no member in question or answer that is not told, and none is missing")
    func journey() async throws {
        let server = try TestServer.ofSuite, described = try await read(server),
            request = UUID().uuidString.lowercased()
        var wallet = WalletDevice()

        /// One call, of which both sides are looked at.
        func call(
            _ method: HTTPRequest.Method, _ path: String, as told: String? = nil, _ body: JSONValue? = Optional.none,
            status: Int
        ) async throws -> JSONValue {
            let name = method.rawValue.lowercased(), reply = try await wallet.send(method, path, body, in: server)
            let asked = body.map { described.faults(asking: $0, name, told ?? path) } ?? [],
                answered = described.faults(reply, name, told ?? path)
            #expect(reply.status == status && asked == [] && answered == [], "\(name) \(path): \(reply.body)")
            return reply.json
        }
        func signed(_ answer: JSONValue, _ liquid: JSONValue) -> JSONValue {
            var members = answer.object ?? [:]
            members["clientExtensionResults"] = ["liquid": liquid]
            members["device"] = "Pixel 8"
            return .object(members)
        }

        let nobody = try await call(.get, "/auth/session", status: 200)
        let asked: JSONValue = [
            "username": .string(wallet.address), "displayName": "Ada", "extensions": ["liquid": true],
            "authenticatorSelection": [
                "authenticatorAttachment": "platform", "userVerification": "required", "requireResidentKey": false,
            ],
        ]
        let creation = try await call(.post, "/attestation/request", asked, status: 201)
        let liquid = try wallet.signed(creation, requestID: .string(request))
        let user = try await call(
            .post, "/attestation/response", signed(wallet.passkey.create(creation), liquid), status: 201)
        let named = "/assertion/request/{credential}", id = wallet.passkey.name
        _ = try await call(.post, "/assertion/request", [:], status: 201)
        let options = try await call(.post, "/assertion/request/\(id)", as: named, ["extensions": true], status: 201)
        let answer = try wallet.passkey.get(options, withHandle: false)
        var assertion = answer.object ?? [:]
        assertion["clientExtensionResults"] = ["liquid": ["requestId": .string(request)]]
        _ = try await call(.post, "/assertion/response", .object(assertion), status: 201)
        let own = try await call(.get, "/auth/user", status: 200),
            session = try await call(.get, "/auth/session", status: 200)
        _ = try await call(.post, "/attestation/request", asked, status: 201)
        _ = try await call(.delete, "/auth/keys/bm9ib2R5", as: "/auth/keys/{credential}", status: 404)
        _ = try await call(.delete, "/auth/keys/\(id)", as: "/auth/keys/{credential}", status: 200)
        _ = try await call(.get, "/auth/logout", status: 302)

        let empty: JSONValue = ["user": .null, "session": [:]]
        #expect(nobody == empty && own["wallet"]?.string == wallet.address)
        #expect(user["credentials"]?.array?.first?["device"]?.string == "Pixel 8")
        #expect(session["session"]?.object?.names == described.schemas["WalletSession"]?["properties"]?.object?.names)
    }

    @Test("refusals have the form and the status that are told")
    func refusals() async throws {
        let server = try TestServer.ofSuite, described = try await read(server),
            json: HTTPFields = [.contentType: "application/json"]
        let long = [UInt8](repeating: 0x20, count: 70_000)
        func refused(
            _ method: HTTPRequest.Method, _ path: String, as told: String? = nil, _ body: [UInt8]? = nil,
            headers: HTTPFields = [:], status: Int
        ) async throws {
            let reply = try await server.send(method, path, headers: headers, body: body),
                faults = described.faults(reply, method.rawValue.lowercased(), told ?? path)
            #expect(reply.status == status && faults == [], "\(method) \(path): \(reply.status) \(reply.body)")
        }
        for path in ["/attestation/request", "/attestation/response", "/assertion/request", "/assertion/response"] {
            try await refused(.post, path, Array("{".utf8), headers: json, status: 400)
            try await refused(.post, path, long, headers: json, status: 413)
            try await refused(.post, path, Array("{}".utf8), headers: [.origin: "https://evil.example"], status: 403)
            try await refused(.options, path, headers: [.origin: "https://evil.example"], status: 403)
            try await refused(.options, path, headers: [.origin: ServerParts.root], status: 204)
        }
        try await refused(.post, "/attestation/request", Array("{}".utf8), headers: json, status: 501)
        try await refused(.post, "/attestation/response", Array("{}".utf8), headers: json, status: 401)
        try await refused(.post, "/assertion/response", Array("{}".utf8), headers: json, status: 401)
        try await refused(.post, "/assertion/request/bm9ib2R5", as: "/assertion/request/{credential}", status: 401)
        try await refused(.get, "/auth/user", status: 403)
        try await refused(.delete, "/auth/keys/bm9ib2R5", as: "/auth/keys/{credential}", status: 403)
        try await refused(.get, "/auth/session", headers: [.origin: "https://evil.example"], status: 403)
    }

    @Test("a database that is away is told as it is answered")
    func away() async throws {
        let described = try await read(TestServer.ofSuite), asked: JSONValue = ["extensions": ["liquid": true]]
        try await TestServer.ofSuite.withoutDatabase { server in
            let wallet = try await server.post("/attestation/request", json: asked),
                faults = described.faults(wallet, "post", "/attestation/request")
            #expect(wallet.status == 503 && faults == [], "\(wallet.body)")
        }
    }

    @Test("documents of the host and packets of a socket are what is told")
    func others() async throws {
        let server = try TestServer.ofSuite, described = try await read(server),
            polling = "/socket.io/?EIO=4&transport=polling"
        for path in [
            "/.well-known/assetlinks.json", "/.well-known/apple-app-site-association", "/.well-known/webauthn",
        ] {
            let reply = try await server.get(path), faults = described.faults(reply, "get", path)
            #expect(reply.status == 200 && faults == [], "\(path): \(reply.body)")
        }
        let opened = try await server.get(polling), hello = try JSONReader.read(Array(opened.body.dropFirst().utf8)),
            sid = try #require(hello["sid"]?.string)
        let posted = try await server.send(.post, "\(polling)&sid=\(sid)", body: Array("40".utf8)),
            unknown = try await server.get("\(polling)&sid=nobody")
        let method = try await server.send(.put, polling),
            stranger = try await server.get(polling, headers: [.origin: "https://evil.example"])
        for (reply, name, status) in [
            (opened, "get", 200), (posted, "post", 200), (unknown, "get", 400), (method, "put", 400),
            (stranger, "get", 403),
        ] {
            let faults = described.faults(reply, name, "/socket.io/")
            #expect(reply.status == status && faults == [], "\(name): \(reply.body)")
        }
    }

    @Test("FIDO's conformance calls are as they are told")
    func conformance() async throws {
        try await TestServer.with(options: TestServerOptions(isTested: true)) { server in
            let described = try await read(server)
            var tool = WalletDevice()
            let named: JSONValue = [
                "username": "ada", "displayName": "Ada", "extensions": ["example": 1],
                "authenticatorSelection": ["requireResidentKey": false],
            ]
            let creation = try await tool.send(.post, "/attestation/options", named, in: server),
                registration = tool.passkey.create(creation.json)
            let made = try await tool.send(.post, "/attestation/result", registration, in: server)
            let request = try await tool.send(.post, "/assertion/options", ["username": "ada"], in: server),
                assertion = try tool.passkey.get(request.json)
            let used = try await tool.send(.post, "/assertion/result", assertion, in: server)
            let again = try await tool.send(.post, "/assertion/result", assertion, in: server)
            let broken = try await server.send(.post, "/assertion/result", body: Array("{".utf8))

            let asked =
                described.faults(asking: named, "post", "/attestation/options")
                + described.faults(asking: registration, "post", "/attestation/result")
                + described.faults(asking: ["username": "ada"], "post", "/assertion/options")
                + described.faults(asking: assertion, "post", "/assertion/result")
            #expect(asked == [])
            for (reply, path, status) in [
                (creation, "/attestation/options", 200), (made, "/attestation/result", 200),
                (request, "/assertion/options", 200),
                (used, "/assertion/result", 200), (again, "/assertion/result", 400), (broken, "/assertion/result", 400),
            ] {
                let faults = described.faults(reply, "post", path)
                #expect(reply.status == status && faults == [], "\(path): \(reply.body)")
            }
        }
    }
}
