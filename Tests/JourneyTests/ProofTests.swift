import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("RFC 9449 DPoP and eduID's JWT for one request", .server)
struct ProofTests {
    typealias Variant = Spoilt<Shown>

    /// What is shown at GET /userinfo, to be spoilt.
    struct Shown: Sendable {
        var claims: JSONObject = [:]
        var header: JSONObject = [:]
        var key: PhoneKey?
        var now = 0
    }

    private static let path = "/userinfo"

    @Test(
        "a DPoP proof opens; what is wrong with it closes",
        arguments: [
            Variant("nothing wrong", "200") { _ in },
            Variant("htu in another spelling", "200") { $0.claims["htu"] = "HTTP://LOCALHOST:8080/userinfo/?x=1#y" },
            Variant("a minute old", "200") { $0.claims["iat"] = .integer($0.now - 60) },
            Variant("typ in capitals", "200") { $0.header["typ"] = "DPOP+JWT" },
            Variant("older than a minute", "401 invalid_dpop_proof", "iat") {
                $0.claims["iat"] = .integer($0.now - 61)
            },
            Variant("from the future", "401 invalid_dpop_proof", "iat") { $0.claims["iat"] = .integer($0.now + 61) },
            Variant("no iat", "401 invalid_dpop_proof", "iat") { $0.claims["iat"] = .null },
            Variant("nbf a minute ahead", "200") { $0.claims["nbf"] = .integer($0.now + 60) },
            Variant("not yet valid", "401 invalid_dpop_proof", "nbf") { $0.claims["nbf"] = .integer($0.now + 61) },
            Variant("nbf as text", "401 invalid_dpop_proof", "nbf") { $0.claims["nbf"] = .string("\($0.now)") },
            Variant("another method", "401 invalid_dpop_proof", "htm") { $0.claims["htm"] = "POST" },
            Variant("another URL", "401 invalid_dpop_proof", "htu") {
                $0.claims["htu"] = .string(ServerParts.root + "/user-profile")
            },
            Variant("another host", "401 invalid_dpop_proof", "htu") { $0.claims["htu"] = "http://localhost/userinfo" },
            Variant("no ath", "401 invalid_dpop_proof", "hash") { $0.claims["ath"] = .null },
            Variant("another token's ath", "401 invalid_dpop_proof", "hash") {
                $0.claims["ath"] = .string(Base64URL.encode(Digest.sha256("x")))
            },
            Variant("no jti", "401 invalid_dpop_proof", "jti") { $0.claims["jti"] = .null },
            Variant("a jti of 257 bytes", "401 invalid_dpop_proof", "jti") {
                $0.claims["jti"] = .string(String(repeating: "x", count: 257))
            },
            Variant("typ JWT", "401 invalid_dpop_proof", "typ") { $0.header["typ"] = "JWT" },
            Variant("no jwk", "401 invalid_dpop_proof", "jwk") { $0.header["jwk"] = .null },
            Variant("another jwk than the signer's", "401 invalid_dpop_proof", "signature") {
                $0.header["jwk"] = PhoneKey().jwk
            },
            Variant("a private jwk", "401 invalid_dpop_proof", "private") {
                $0.header["jwk"] = PhoneKey().jwk(changed: ["d": "AAAA"])
            },
            Variant("another key", "401 invalid_token", "another key") { $0.key = PhoneKey() },
            Variant("alg none", "401 invalid_dpop_proof", "JWS") { $0.header["alg"] = "none" },
        ])
    func dpop(_ variant: Variant) async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), pat = try await phone.logIn()
        let shown = try variant.applied(to: Shown(now: phone.server.now))
        let proof = try phone.proof(
            .get, ProofTests.path, token: pat.accessToken, by: shown.key, changes: shown.claims, header: shown.header)

        let reply = try await phone.server.get(
            ProofTests.path, headers: [.authorization: "DPoP \(pat.accessToken)", .proof: proof])

        try expect(reply, variant)
    }

    @Test(
        "eduID's JWT opens; what is wrong with it closes",
        arguments: [
            Variant("nothing wrong", "200") { _ in },
            Variant("aud the issuer", "200") { $0.claims["aud"] = .string(ServerParts.root) },
            Variant("typ JWT", "200") { $0.header["typ"] = "JWT" },
            Variant("another audience", "401 invalid_dpop_proof", "aud") {
                $0.claims["aud"] = .string(ServerParts.root + "/user-profile")
            },
            Variant("a service as audience", "401 invalid_dpop_proof", "aud") {
                $0.claims["aud"] = .string(ServerParts.base)
            },
            Variant("two audiences", "401 invalid_dpop_proof", "aud") {
                $0.claims["aud"] = [.string(ServerParts.root), .string(ServerParts.root)]
            },
            Variant("another issuer", "401 invalid_dpop_proof", "iss") { $0.claims["iss"] = "somebody" },
            Variant("no issuer", "401 invalid_dpop_proof", "iss") { $0.claims["iss"] = .null },
            Variant("expired", "401 invalid_dpop_proof", "exp") { $0.claims["exp"] = .integer($0.now - 60) },
            Variant("without end", "401 invalid_dpop_proof", "exp") { $0.claims["exp"] = .null },
            Variant("from the future", "401 invalid_dpop_proof", "iat") { $0.claims["iat"] = .integer($0.now + 61) },
            Variant("nbf a minute ahead", "200") { $0.claims["nbf"] = .integer($0.now + 60) },
            Variant("not yet valid", "401 invalid_dpop_proof", "nbf") { $0.claims["nbf"] = .integer($0.now + 61) },
            Variant("nbf as text", "401 invalid_dpop_proof", "nbf") { $0.claims["nbf"] = .string("\($0.now)") },
            Variant("for too long", "401 invalid_dpop_proof", "300 seconds") {
                $0.claims["exp"] = .integer($0.now + 361)
            },
            Variant("no jti", "401 invalid_dpop_proof", "jti") { $0.claims["jti"] = .null },
            Variant("another key", "401 invalid_dpop_proof", "signed") { $0.key = PhoneKey() },
            Variant("the typ of a proof", "401 invalid_dpop_proof", "typ") { $0.header["typ"] = "dpop+jwt" },
            Variant("the typ of a client assertion", "401 invalid_dpop_proof", "typ") {
                $0.header["typ"] = "client-authentication+jwt"
            },
            Variant("the typ of an access token", "401 invalid_token", "unknown, expired or revoked") {
                $0.header["typ"] = "at+jwt"
            },
            Variant("no kid", "401 invalid_token", "unknown, expired or revoked") { $0.header["kid"] = .null },
            Variant("an unknown kid", "401 invalid_token", "unknown, expired or revoked") {
                $0.header["kid"] = "00000000-0000-8000-8000-000000000000"
            },
        ])
    func selfMade(_ variant: Variant) async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), pat = try await phone.logIn()
        let shown = try variant.applied(to: Shown(now: phone.server.now))
        let jwt = try phone.selfMade(
            for: pat.accessToken, audience: ServerParts.root + ProofTests.path, by: shown.key, changes: shown.claims,
            header: shown.header)

        let reply = try await phone.server.get(ProofTests.path, headers: [.authorization: "Bearer \(jwt)"])

        try expect(reply, variant)
    }

    private func expect(_ reply: Reply, _ variant: Variant) throws {
        #expect(reply.outcome == variant.outcome, "\(reply.body)")
        guard reply.status != 200 else { return }
        #expect(reply["error_description"]?.contains(variant.why) == true, "\(reply.body)")
        #expect(
            reply.headers[values: .wwwAuthenticate].contains {
                $0.hasPrefix("DPoP algs=") && $0.contains("error=\"\(reply.error ?? "")\"")
            })
    }

    @Test("a proof works once, whichever it is")
    func replay() async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), pat = try await phone.logIn()
        let proof = try phone.dpop(.get, ProofTests.path, token: pat.accessToken)
        let jwt: HTTPFields = [
            .authorization: "Bearer \(try phone.selfMade(for: pat.accessToken, audience: ServerParts.root))"
        ]

        for headers in [proof, jwt] {
            #expect(try await phone.server.get(ProofTests.path, headers: headers).outcome == "200")
            let again = try await phone.server.get(ProofTests.path, headers: headers)
            #expect(
                again.outcome == "401 invalid_dpop_proof" && again["error_description"]?.contains("used before") == true
            )
        }
    }

    @Test("of 20 that show one proof at once one gets in")
    func race() async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), pat = try await phone.logIn()
        let headers = try phone.dpop(.get, ProofTests.path, token: pat.accessToken)

        let replies = try await crowd(20) { _ in try await phone.server.get(ProofTests.path, headers: headers) }

        #expect(replies.count { $0.status == 200 } == 1)
    }

    @Test("a bound token shown bare, without proof, or with two, is refused")
    func bare() async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), pat = try await phone.logIn(),
            token = pat.accessToken
        func get(_ authorization: String?, _ proofs: [String] = []) async throws -> String {
            var headers = HTTPFields()
            if let authorization { headers[.authorization] = authorization }
            for proof in proofs { headers.append(HTTPField(name: .proof, value: proof)) }
            return try await phone.server.get(ProofTests.path, headers: headers).outcome
        }
        func proof() throws -> String { try phone.proof(.get, ProofTests.path, token: token) }

        #expect(try await get("Bearer \(token)") == "401 invalid_token")
        #expect(try await get("Bearer \(token)", [proof()]) == "401 invalid_token")
        #expect(try await get("DPoP \(token)") == "401 invalid_dpop_proof")
        #expect(try await get("DPoP \(token)", [proof(), proof()]) == "401 invalid_dpop_proof")
        #expect(try await get(nil, [proof()]) == "401 invalid_token")
        #expect(try await get("Basic \(token)") == "401 invalid_token")
        #expect(try await get("DPoP x", [proof()]) == "401 invalid_token")
        #expect(try await get("dpop \(token)", [proof()]) == "200")
    }

    @Test("tokens of one realm open nothing in the other")
    func realms() async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), pat = try await phone.logIn(),
            service = try await phone.redeem(assertion: phone.assertion(pat))

        #expect(try await phone.get("/userinfo", token: service.accessToken).outcome == "401 invalid_token")
        #expect(try await phone.authorizeApp(pat).outcome == "401 invalid_token")
        #expect(try await phone.get("/userinfo", token: phone.assertion(pat)).outcome == "401 invalid_token")
    }
}
