import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("RFC 8693 token exchange", .server)
struct ExchangeTests {
    typealias Variant = Spoilt<JSONObject>

    private static let accessToken = "urn:ietf:params:oauth:token-type:access_token"

    private func request(_ pat: Reply) -> JSONObject {
        [
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "subject_token": .string(pat.accessToken),
            "subject_token_type": .string(ExchangeTests.accessToken),
            "resource": .string(ServerParts.base),
        ]
    }

    @Test(
        "a personal access token becomes an assertion that the service takes",
        arguments: [nil, "urn:ietf:params:oauth:token-type:jwt", "urn:ietf:params:oauth:token-type:id-jag"])
    func exchanged(_ wanted: String?) async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), pat = try await phone.logIn()
        var body = request(pat)
        body["requested_token_type"] = wanted.map(JSONValue.string)

        let reply = try await phone.server.post("/token", json: .object(body), headers: phone.dpop(.post, "/token"))

        #expect(
            reply.outcome == "200" && reply["token_type"] == "N_A" && reply.json["expires_in"] == 300
                && reply.json["refresh_token"] == nil)
        #expect(reply["issued_token_type"] == wanted ?? "urn:ietf:params:oauth:token-type:jwt")
        #expect(try await phone.redeem(assertion: reply.accessToken).outcome == "200")
    }

    @Test("the old spelling of the namespace, audience for resource, and eduID's proof are taken too")
    func spelling() async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), pat = try await phone.logIn()
        let jwt = try phone.selfMade(for: pat.accessToken, audience: ServerParts.root)
        var body = request(pat)
        body["grant_type"] = "urn:ietf:param:oauth:grant-type:token-exchange"
        (body["audience"], body["resource"]) = (body["resource"], nil)

        let reply = try await phone.server.post(
            "/token", json: .object(body), headers: [.authorization: "Bearer \(jwt)"])

        #expect(reply.outcome == "200", "\(reply.body)")
    }

    @Test(
        "what is refused",
        arguments: [
            Variant("another kind of subject", "400 invalid_request", "subject_token_type") {
                $0["subject_token_type"] = "urn:ietf:params:oauth:token-type:refresh_token"
            },
            Variant("no kind of subject", "400 invalid_request", "subject_token_type") {
                $0["subject_token_type"] = nil
            },
            Variant("a kind that is not issued", "400 invalid_request", "requested_token_type") {
                $0["requested_token_type"] = "urn:ietf:params:oauth:token-type:saml2"
            },
            Variant("no token", "400 invalid_request", "subject_token") { $0["subject_token"] = nil },
            Variant("no token of ours", "400 invalid_request", "live personal access token") {
                $0["subject_token"] = "abc"
            },
            Variant("an actor", "400 invalid_request", "actor_token") { $0["actor_token"] = "x" },
            Variant("two services", "400 invalid_request", "one service") {
                $0["audience"] = .string(Residents.quietBase)
            },
            Variant("no service", "400 invalid_request", "one service") { $0["resource"] = nil },
            Variant("an unknown service", "400 invalid_target", "no active service") {
                $0["resource"] = "https://unknown.example.org"
            },
        ])
    func refused(_ variant: Variant) async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), pat = try await phone.logIn()
        let body = try variant.applied(to: request(pat))

        let reply = try await phone.server.post("/token", json: .object(body), headers: phone.dpop(.post, "/token"))

        #expect(reply.outcome == variant.outcome)
        #expect(reply["error_description"]?.contains(variant.why) == true, "\(reply.body)")
    }

    @Test("the key must be shown, and be the token's; the token must be a person's")
    func holder() async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server),
            pat = try await phone.logIn(), thief = try await Phone.registered(in: server)

        #expect(try await server.post("/token", json: .object(request(pat))).outcome == "400 invalid_dpop_proof")
        #expect(
            try await server.post("/token", json: .object(request(pat)), headers: thief.dpop(.post, "/token")).outcome
                == "400 invalid_grant")
        #expect(
            try await server.post(
                "/token", json: .object(request(phone.instance)), headers: phone.dpop(.post, "/token")
            ).outcome == "400 invalid_request")
    }
}
