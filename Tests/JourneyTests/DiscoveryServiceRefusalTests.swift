import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing
import TokenTree

@Suite("discovery as a service of its own: whom it refuses", .serialized)
struct DiscoveryServiceRefusalTests {
    private static let path = "/protocol-discovery"
    private static let faces = [path, path + "/protocol", path + "/service"]

    private func expect(_ reply: Reply, _ outcome: String, _ why: String, _ what: String) {
        #expect(reply.outcome == outcome, "\(what): \(reply.body)")
        #expect(reply["error_description"]?.contains(why) == true, "\(what): \(reply.body)")
        #expect(reply[header: "Cache-Control"] == "no-store", "\(what)")
        guard reply.status == 401 else { return }
        #expect(reply.headers[values: .wwwAuthenticate].contains { $0.hasPrefix("DPoP algs=") }, "\(what)")
    }

    @Test("nobody gets in with nothing, with a token of the IdP, or with what was made for another service")
    func strangers() async throws {
        try await DiscoveryPlace.with { place in
            let phone = place.phone, pat = place.pat.accessToken
            let learn = try await phone.assertion(place.pat), learnToken = try await phone.redeem(assertion: learn)
            for face in Self.faces {
                func post(_ headers: HTTPFields) async throws -> Reply {
                    try await place.server.post(
                        DiscoveryPlace.path + face, json: DiscoveryPlace.question, headers: headers)
                }
                let own = try phone.selfMade(for: pat, audience: DiscoveryPlace.base)

                expect(try await post([:]), "401 invalid_token", "show a service assertion", "nothing")
                expect(
                    try await post([.authorization: "Basic YTpi"]), "401 invalid_token", "show a service assertion",
                    "another scheme")
                for (what, headers) in [
                    ("a PAT", try place.shown(pat, at: face)),
                    ("a PAT as bearer", [.authorization: "Bearer \(pat)"]),
                    ("a JWT in the name of a PAT", [.authorization: "Bearer \(own)"]),
                    ("an instance token", try place.shown(phone.instance.accessToken, at: face)),
                    ("another service's token", try place.shown(learnToken.accessToken, at: face)),
                    ("nonsense", [.authorization: "DPoP x.y.z"]),
                ] as [(String, HTTPFields)] {
                    expect(try await post(headers), "401 invalid_token", "unknown, expired or revoked", what)
                }
                for scheme in ["DPoP", "Bearer"] {
                    expect(
                        try await post(place.shown(learn, at: face, scheme: scheme)), "401 invalid_token",
                        "another service", "an assertion for another service")
                }
            }
        }
    }

    @Test("an assertion alone is not enough: the proof is by its key, for this request, once")
    func proofs() async throws {
        try await DiscoveryPlace.with { place in
            let assertion = try await place.assertion(), path = DiscoveryPlace.path + Self.path
            func post(_ authorization: String, _ proofs: [String]) async throws -> Reply {
                var headers: HTTPFields = [.authorization: authorization]
                for proof in proofs { headers.append(HTTPField(name: .proof, value: proof)) }
                return try await place.server.post(path, json: DiscoveryPlace.question, headers: headers)
            }
            func proof(_ changes: JSONObject = [:], by key: PhoneKey? = nil, token: String? = nil) throws -> String {
                try place.phone.proof(.post, path, token: token ?? assertion, by: key, changes: changes)
            }
            let home: JSONObject = ["htu": .string(ServerParts.root + Self.path)]

            for scheme in ["DPoP", "Bearer"] {
                let shown = "\(scheme) \(assertion)"
                expect(try await post(shown, []), "401 invalid_token", "bound to a key", "bare")
                expect(
                    try await post(shown, [proof(by: PhoneKey())]), "401 invalid_token", "another key", "another's key")
                expect(try await post(shown, [proof(home)]), "401 invalid_dpop_proof", "htu", "the IdP's address")
                expect(
                    try await post(shown, [proof(["ath": .null])]), "401 invalid_dpop_proof", "ath", "no hash of it")
                expect(
                    try await post(shown, [proof(token: place.pat.accessToken)]), "401 invalid_dpop_proof", "ath",
                    "the hash of another token")
                expect(
                    try await post(shown, [proof(), proof()]), "401 invalid_dpop_proof", "exactly one", "two proofs")
                let once = try proof()
                #expect(try await post(shown, [once]).outcome == "200")
                expect(try await post(shown, [once]), "401 invalid_dpop_proof", "used before", "the same proof")
            }
            let own = try place.phone.selfMade(for: assertion, audience: DiscoveryPlace.base)
            expect(
                try await post("Bearer \(own)", []), "401 invalid_token", "unknown, expired or revoked",
                "a JWT in the name of an assertion")
        }
    }

    @Test("an assertion that is changed, by another signer, too old or shown twice at the token endpoint is dead")
    func dead() async throws {
        try await DiscoveryPlace.with { place in
            let assertion = try await place.assertion(), parts = assertion.split(separator: ".").map(String.init)
            let head: JSONObject = ["typ": "oauth-id-jag+jwt"]
            let said = claims(of: assertion)
            let forged = try place.phone.key.sign(said, header: head)
            let none = Base64URL.encode(Array(#"{"typ":"oauth-id-jag+jwt","alg":"none"}"#.utf8))
            for (what, text) in [
                ("a forgery", forged), ("without signature", "\(none).\(parts[1])."),
                ("a changed one", "\(parts[0]).\(Base64URL.encode(JSONValue.object(said).bytes + [32])).\(parts[2])"),
            ] {
                let reply = try await place.ask(text)
                #expect(reply.outcome == "401 invalid_token", "\(what): \(reply.body)")
            }

            let spent = try await place.assertion()
            #expect(try await place.redeem(spent).outcome == "200")
            #expect(try await place.redeem(spent).outcome == "400 invalid_grant")
            expect(try await place.ask(spent), "401 invalid_token", "has been revoked", "one that was redeemed twice")

            place.server.time.advance(361)
            expect(try await place.ask(assertion), "401 invalid_token", "expired", "an old one")
        }
    }

    @Test("what ends at the IdP ends here as soon as the service is told", arguments: ["instance", "account", "pat"])
    func revoked(_ what: String) async throws {
        try await DiscoveryPlace.with { place in
            let assertion = try await place.assertion(), token = try await place.redeem(try await place.assertion())
            let other = try await Phone.registered(in: place.server), bob = try await other.logIn(as: "bob")
            let theirs = try await other.assertion(bob, for: DiscoveryPlace.base)
            let node: Node =
                switch what {
                case "instance": .virtual(Ancestor(.instance, place.phone.clientID))
                case "account":
                    .virtual(Ancestor(.account, claims(of: place.pat.accessToken)["sub"]?.string ?? ""))
                default: .token(try #require(NodeID(place.pat.jti)))
                }
            #expect(try await place.ask(assertion).outcome == "200")

            try await place.tell { try await place.server.parts.revocation.revoke(node, by: .server) }

            expect(try await place.ask(assertion), "401 invalid_token", "has been revoked", "the assertion")
            expect(try await place.ask(token.accessToken), "401 invalid_token", "revoked", "the token")
            let path = DiscoveryPlace.path + Self.path
            let reply = try await place.server.post(
                path, json: DiscoveryPlace.question, headers: other.dpop(.post, path, token: theirs))
            #expect(reply.outcome == "200", "somebody else's")
        }
    }

    @Test("an instance that has moved to a newer version goes on when the old one is refused")
    func moved() async throws {
        try await DiscoveryPlace.with { place in
            let assertion = try await place.assertion(), phone = place.phone
            let newer = RegistrationDraft(place.server, version: "2", key: phone.key, device: phone.device)
            try await place.tell {
                let reply = try await newer.send(
                    headers: phone.dpop(.post, "/token", token: phone.instance.accessToken))
                #expect(reply.outcome == "200", "\(reply.body)")
            }

            try await place.tell {
                try await place.server.parts.revocation.revoke(
                    .virtual(Ancestor(.version, "\(Residents.app).1")), by: .server)
            }
            #expect(try await place.ask(assertion).outcome == "200")

            try await place.tell {
                try await place.server.parts.revocation.revoke(
                    .virtual(Ancestor(.version, "\(Residents.app).2")), by: .server)
            }
            #expect(try await place.ask(assertion).outcome == "401 invalid_token")
        }
    }

    @Test("questions that are none")
    func hostile() async throws {
        let path = Self.path
        try await DiscoveryPlace.with { place in
            let assertion = try await place.assertion()
            for (path, question) in [
                (path, "[]"), (path, #"["a", "https://x.example.org"]"#), (path, #"["a", 1]"#),
                (path, #"{"name": "a"}"#), (path, #"[""]"#), (path, "null"), (path, #"["a"#), (path, #"[["a"]]"#),
                (path, ""), (path, #"["a"\#(String(repeating: #","a""#, count: 100))]"#),
                (path + "/protocol", #"["https://x.example.org"]"#), (path + "/service", #"["a"]"#),
            ] {
                var headers = try place.shown(assertion, at: path)
                headers[.contentType] = "application/json"
                let reply = try await place.server.send(
                    .post, DiscoveryPlace.path + path, headers: headers, body: Array(question.utf8))
                #expect(reply.outcome == "400 invalid_request", "\(question): \(reply.body)")
            }
        }
    }

    @Test("what no question is long enough for, and an order that nobody here has, are refused")
    func bounds() async throws {
        try await DiscoveryPlace.with { place in
            let assertion = try await place.assertion()

            let long = try await place.ask(assertion, [.string(String(repeating: "a", count: 70_000))])
            #expect(long.outcome == "413 too_large")
            for query in ["?order=used", "?order=name", "?order=%FF"] {
                #expect(try await place.ask(assertion, query: query).outcome == "400 invalid_request", "\(query)")
            }
            let read = try await place.server.get(DiscoveryPlace.path + Self.path)
            #expect([404, 405].contains(read.status))
        }
    }

    @Test("without database, or without the issuer's keys, it says to come again")
    func away() async throws {
        try await DiscoveryPlace.with { place in
            let assertion = try await place.assertion(), token = try await place.redeem(try await place.assertion())
            try await place.server.withoutDatabase(options: .init(roles: ["discovery"])) { away in
                for text in [assertion, token.accessToken] {
                    let reply = try await away.post(
                        DiscoveryPlace.path + Self.path, json: DiscoveryPlace.question,
                        headers: place.shown(text, at: Self.path))
                    #expect(reply.outcome == "503 temporarily_unavailable", "\(reply.body)")
                }
            }
        }
        try await DiscoveryPlace.with { place in
            let assertion = try await place.assertion()
            place.server.wire.breakFetches(true)
            #expect(try await place.ask(assertion).outcome == "503 temporarily_unavailable")
        }
    }
}
