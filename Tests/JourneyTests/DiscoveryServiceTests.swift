import Base
import Database
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("discovery as a service of its own", .serialized)
struct DiscoveryServiceTests {
    private func basic(_ client: (id: String, secret: String)) -> HTTPFields {
        [.authorization: "Basic \(Data("\(client.id):\(client.secret)".utf8).base64EncodedString())"]
    }

    @Test("an assertion for it opens it, with a proof, as often as one asks, and can be redeemed all the same")
    func assertion() async throws {
        try await DiscoveryPlace.with { place in
            let assertion = try await place.assertion()

            for (question, path) in [
                (DiscoveryPlace.question, "/protocol-discovery"),
                (["org.example.a", "org.ietf.oauth2"], "/protocol-discovery/protocol"),
                ([.string(place.campus.base + "/")], "/protocol-discovery"),
                ([.string(place.campus.base)], "/protocol-discovery/service"),
            ] {
                for scheme in ["DPoP", "Bearer", "dpop"] {
                    let reply = try await place.ask(assertion, question, at: path, scheme: scheme)
                    #expect(reply.outcome == "200" && reply.json == [place.campus.document], "\(path) \(reply.body)")
                }
            }
            #expect(try await place.ask(assertion, ["org.example.none"]).json == [])

            #expect(try await place.redeem(assertion).outcome == "200")
            #expect(try await place.ask(assertion).outcome == "200")
        }
    }

    @Test("so does a service access token of its own, in both ways of showing it")
    func serviceToken() async throws {
        try await DiscoveryPlace.with { place in
            let token = try await place.redeem(try await place.assertion())
            try #require(token.outcome == "200", "\(token.body)")

            let shown = try await place.ask(token.accessToken)
            let own = try place.phone.selfMade(for: token.accessToken, audience: DiscoveryPlace.base)
            let made = try await place.server.post(
                DiscoveryPlace.path + "/protocol-discovery", json: DiscoveryPlace.question,
                headers: [.authorization: "Bearer \(own)"])

            #expect(shown.outcome == "200" && shown.json == [place.campus.document])
            #expect(made.outcome == "200" && made.json == shown.json)
        }
    }

    @Test("the answer is the IdP's: with an ETag, or signed by the issuer for who asks")
    func answers() async throws {
        try await DiscoveryPlace.with { place in
            let assertion = try await place.assertion(), path = "/protocol-discovery"

            let plain = try await place.ask(assertion)
            let atHome = try await place.server.post(
                path, json: DiscoveryPlace.question,
                headers: place.phone.dpop(.post, path, token: place.pat.accessToken))
            let etag = try #require(plain[header: "ETag"])
            let same = try await place.ask(assertion, more: [.ifNoneMatch: etag])
            let signed = try await place.ask(assertion, more: [.accept: "application/jwt"])

            #expect(atHome[header: "ETag"] == etag && atHome.body == plain.body)
            #expect(same.status == 304 && same.body.isEmpty)
            let told = claims(of: signed.body)
            #expect(told["iss"] == .string(ServerParts.root) && told["aud"] == .string(place.phone.clientID))
            #expect(told["services"] == plain.json)
        }
    }

    @Test("it is a service of the federation: in the index, with a document, and it hands nothing on")
    func member() async throws {
        try await DiscoveryPlace.with { place in
            let apis = try await place.server.get(DiscoveryPlace.path + "/rsd").json["apis"]
            #expect(apis?["org.ietf.oauth2"]?["apiLink"] == .string(DiscoveryPlace.base))
            #expect(
                apis?["io.mobinaut.rsd-discovery"]?["apiLink"] == .string(DiscoveryPlace.base + "/protocol-discovery"))
            let list = try await place.server.get("/services.txt")
            #expect(list.body.contains("application/x-rsd+json; \(DiscoveryPlace.base)/rsd\n"))
            let status: String = try await place.server.database.value(
                "select status::text from service where id = 'discovery'")
            #expect(status == "active")

            let token = try await place.redeem(try await place.assertion())
            let path = DiscoveryPlace.path + "/token"
            let code = try place.phone.appCode(changes: ["aud": .string(DiscoveryPlace.base + "/token")])
            let handed = try await place.server.post(
                path,
                [
                    "grant_type": "authorization_code", "code": code, "client_id": Phone.bundle,
                    "scope": "io.mobinaut.rsd-discovery",
                ], headers: place.phone.dpop(.post, path, token: token.accessToken))
            #expect(handed.outcome == "400 invalid_scope")
        }
    }

    @Test("who did not ask for it has none of it")
    func unasked() async throws {
        try await TestServer.with { server in
            try await server.parts.composition.prepare()
            for path in ["/rsd", "/federation/services"] {
                #expect(try await server.get(DiscoveryPlace.path + path).status == 404)
            }
            let count: Int64 = try await server.database.value("select count(*) from service where id = 'discovery'")
            #expect(count == 0)
        }
    }

    @Test("a process can run it and nothing else")
    func apart() async throws {
        try await DiscoveryPlace.with { place in
            let assertion = try await place.assertion(), path = DiscoveryPlace.path + "/protocol-discovery"
            try await ProcessApart.with(roles: "discovery", beside: place.server) { process in
                try await process.composition.prepare()
                var headers = try place.shown(assertion, at: "/protocol-discovery")
                headers[.contentType] = "application/json"
                let body = DiscoveryPlace.question.bytes

                let reply = try await process.send(.post, path, headers: headers, body: body)

                #expect(reply.outcome == "200" && reply.json == [place.campus.document])
                for other in ["/protocol-discovery", "/token", "/services/tiqr/token"] {
                    #expect(try await process.send(.post, other, headers: headers, body: body).status == 404)
                }
                #expect(try await process.send(.get, DiscoveryPlace.path + "/federation/services").status == 200)
            }
        }
    }

    @Test("the list there is for whom the operator says, as the IdP's is")
    func listing() async throws {
        let path = "/federation/services", one = "/federation/services/campus"
        try await DiscoveryPlace.with { place in
            for path in [path, one] {
                let reply = try await place.server.get(DiscoveryPlace.path + path)
                #expect(reply.outcome == "200" && reply[header: "Access-Control-Allow-Origin"] == "*")
                #expect(try await place.server.get(path).body == reply.body)
            }
        }
        try await DiscoveryPlace.with(listing: "federation") { place in
            let assertion = try await place.assertion()
            func get(_ headers: HTTPFields) async throws -> Reply {
                try await place.server.get(DiscoveryPlace.path + path, headers: headers)
            }
            let stranger = try await get([:])
            #expect(stranger.outcome == "401 invalid_token" && stranger[header: "WWW-Authenticate"] != nil)
            #expect(try await get(place.shown(assertion, .get, at: path)).outcome == "200")
            #expect(try await get(basic(place.server.residents.learn)).outcome == "200")
            #expect(try await get(basic((place.server.residents.learn.id, "no"))).outcome == "401 invalid_client")
            #expect(try await get(place.shown(place.pat.accessToken, .get, at: path)).outcome == "401 invalid_token")
            #expect(try await get([.authorization: "Bearer \(assertion)"]).outcome == "401 invalid_token")
        }
        try await DiscoveryPlace.with(listing: "closed") { place in
            let assertion = try await place.assertion()
            for path in [path, one] {
                let reply = try await place.server.get(
                    DiscoveryPlace.path + path, headers: place.shown(assertion, .get, at: path))
                #expect(reply.outcome == "404 not_found")
            }
            #expect(try await place.ask(assertion).json == [place.campus.document])
        }
    }
}
