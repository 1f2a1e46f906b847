import Base
import Database
import Federation
import Foundation
import HTTPTypes
import Keys
import TestSupport
import Testing

@Suite("discovery: metadata, keys, protocols", .server)
struct DiscoveryTests {
    @Test(
        "RFC 8414 and OpenID Connect Discovery name the issuer, and the grants that the endpoint takes",
        arguments: ["oauth-authorization-server", "openid-configuration"])
    func metadata(_ name: String) async throws {
        let reply = try await TestServer.ofSuite.get("/.well-known/\(name)")

        #expect(
            reply["issuer"] == ServerParts.root && reply["token_endpoint"] == ServerParts.root + "/token"
                && reply["jwks_uri"] == ServerParts.root + "/jwks.json")
        #expect(
            reply[header: "Cache-Control"] == "public, max-age=300"
                && reply[header: "Access-Control-Allow-Origin"] == "*")
        for grant in reply.json["grant_types_supported"]?.strings ?? [] {
            #expect(
                try await TestServer.ofSuite.post("/token", ["grant_type": grant]).error != "unsupported_grant_type",
                "\(grant)")
        }
        #expect(reply.json["userinfo_endpoint"] != nil || name == "oauth-authorization-server")
    }

    @Test("the key set verifies what is issued, and shows nothing private")
    func keys() async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server)

        let reply = try await server.get("/jwks.json"), jwt = try JWT(phone.instance.accessToken)

        let keys = try await JSONWebKey.set(reply.json)
        #expect(keys.contains { $0.kid == jwt.kid && jwt.isSigned(by: $0) })
        #expect(keys.count == 2, "the next one is announced")
        #expect(!reply.body.contains("\"d\""))
    }

    @Test("protocols by name and by URL: arrays of documents, in any spelling of the URL")
    func protocols() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            try await crawled(server)
            func ask(_ items: [String], _ path: String = "/protocol-discovery") async throws -> Reply {
                try await server.post(
                    path, json: JSONValue(strings: items), headers: phone.dpop(.post, path, token: pat.accessToken))
            }

            for (items, path) in [
                ([ServerParts.gradesScope], "/protocol-discovery"),
                ([ServerParts.gradesScope, "org.ietf.oauth2"], "/protocol-discovery/protocol"),
                ([ServerParts.base + "/"], "/protocol-discovery"),
                (["HTTP://localhost:8080/services/learn"], "/protocol-discovery/service"),
            ] {
                let reply = try await ask(items, path)
                #expect(reply.outcome == "200" && reply.json.array?.count == 1, "\(items) \(reply.body)")
                #expect(reply.json.array?.first?["engineName"] == "Learn")
            }
            for nothing in [
                ["org.example.none"], [ServerParts.gradesScope, "org.example.none"], ["https://unknown.example.org"],
                [Residents.quietBase],
            ] {
                #expect(try await ask(nothing).json == [])
            }
        }
    }

    @Test("an answer that has not changed is 304")
    func etag() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn(),
                path = "/protocol-discovery"
            func ask(_ etag: String?) async throws -> Reply {
                var headers = try phone.dpop(.post, path, token: pat.accessToken)
                headers[.ifNoneMatch] = etag
                return try await server.post(path, json: [.string(ServerParts.gradesScope)], headers: headers)
            }

            let empty = try await ask(nil), same = try await ask(empty[header: "ETag"])
            try await crawled(server)
            let changed = try await ask(empty[header: "ETag"])

            #expect(empty.json == [] && same.status == 304 && same.body.isEmpty)
            #expect(changed.status == 200 && changed[header: "ETag"] != empty[header: "ETag"])
        }
    }

    /// As the crawler would leave it.
    private func crawled(_ server: TestServer) async throws {
        let document = try await server.get("/services/learn/rsd").json
        let names = document["apis"]?.object?.names ?? []
        let found: [SQL] = ["update service_document set state = 'ok' where service = 'learn'"]
        try await server.database.batch(
            found + ServiceListing.put(document, protocols: names, of: "learn", at: server.time.now))
    }

    @Test(
        "questions that are none",
        arguments: [
            ("/protocol-discovery", "[]"), ("/protocol-discovery", #"["a", "https://x.example.org"]"#),
            ("/protocol-discovery", #"["a", 1]"#),
            ("/protocol-discovery", #"{"name": "a"}"#), ("/protocol-discovery", #"[""]"#),
            ("/protocol-discovery", #"["a"\#(String(repeating: #","a""#, count: 100))]"#),
            ("/protocol-discovery/protocol", #"["https://x.example.org"]"#), ("/protocol-discovery/service", #"["a"]"#),
        ])
    func refused(_ path: String, _ question: String) async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), pat = try await phone.logIn()

        let reply = try await phone.server.post(
            path, json: JSONReader.read(Array(question.utf8)), headers: phone.dpop(.post, path, token: pat.accessToken))

        #expect(reply.outcome == "400 invalid_request")
    }

    @Test("discovery wants a personal access token")
    func person() async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), path = "/protocol-discovery"

        #expect(try await phone.server.post(path, json: ["a"]).outcome == "401 invalid_token")
        #expect(
            try await phone.server.post(
                path, json: ["a"], headers: phone.dpop(.post, path, token: phone.instance.accessToken)
            ).outcome == "403 insufficient_scope")
    }

    @Test("a service publishes its document as JSON or XML, links it, and stands in services.txt")
    func service() async throws {
        let server = try TestServer.ofSuite

        let json = try await server.get("/services/learn/rsd"),
            xml = try await server.get("/services/learn/rsd", headers: [.accept: "application/x-rsd+xml"])
        let home = try await server.get("/services/learn", headers: [.accept: "text/html"]),
            list = try await server.get("/services.txt")

        #expect(json[header: "Content-Type"] == "application/x-rsd+json" && json["engineName"] == "Learn")
        #expect(
            xml[header: "Content-Type"]?.hasPrefix("application/x-rsd+xml") == true
                && xml.body.contains("<engineName>Learn</engineName>"))
        #expect(
            home[header: "Link"] == "<\(ServerParts.base)/rsd>; rel=\"ServiceAPI\"; type=\"application/x-rsd+json\"")
        #expect(list.body.contains("application/x-rsd+json; \(ServerParts.base)/rsd\n"))
    }

    @Test("what a person may ask about themselves")
    func aboutThemselves() async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), pat = try await phone.logIn(),
            sub = try #require(claims(of: pat.accessToken)["sub"]?.string)

        let info = try await phone.get("/userinfo", token: pat.accessToken),
            identities = try await phone.get("/user-profile", token: pat.accessToken)

        #expect(info["sub"] == sub && info["email"] == "ada@example.org" && info["preferred_username"] == "ada")
        #expect(
            identities.json.array?.first?["userid"] == .string("\(sub)@localhost")
                && identities.json.array?.first?["idp_uuid"] == nil)
        #expect(identities.json.array?.first?["extra"] == ["name": "Ada"])
    }
}
