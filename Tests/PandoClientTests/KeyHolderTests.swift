import Foundation
import PandoClient
import Testing

@Suite("RFC 9449: proofs of a client")
struct KeyHolderTests {
    private static let url = "https://id.example.org/token"
    private static let asksForNonce = Transport.Response(
        status: 400, headers: [("DPoP-Nonce", "n1")], body: Array(#"{"error":"use_dpop_nonce"}"#.utf8))

    private func proof(_ request: Transport.Request) throws -> JWT { try JWT(request.header("DPoP") ?? "") }

    @Test("a proof names method, URL without query and the token's hash, and is by the key in its header")
    func claims() async throws {
        let server = ScriptedServer { _, _ in Transport.Response(status: 200) }, key = SigningKey()

        let holder = KeyHolder(key: key, transport: server.transport)
        _ = try await holder.send(.get(Self.url + "?a=b#c"), showing: "token")

        let request = try #require(server.requests.first), proof = try proof(request)
        #expect(proof.type == "dpop+jwt" && proof.isSigned(by: key.verificationKey))
        #expect(proof.claims["htm"] == "GET" && proof.claims["htu"]?.string == Self.url)
        #expect(proof.claims["ath"] == "PEaenWxYddN6Q_NT1PiOYfz4EsZu7jRXRlpAsNpBU-A" && proof.header["jwk"] == key.jwk)
        #expect(request.header("Authorization") == "DPoP token")
    }

    @Test("a server that wants a nonce is asked once more with it, and with it from then on")
    func nonce() async throws {
        let server = ScriptedServer { number, _ in
            number == 1 ? Self.asksForNonce : Transport.Response(status: 200, headers: [("dpop-nonce", "n2")])
        }

        let holder = KeyHolder(key: SigningKey(), transport: server.transport)
        let first = try await holder.send(.form(Self.url, [])), second = try await holder.send(.form(Self.url, []))

        #expect(first.status == 200 && second.status == 200)
        let proofs = try server.requests.map(proof)
        #expect(proofs.map { $0.claims["nonce"]?.string } == [nil, "n1", "n2"])
        #expect(Set(proofs.map(\.id)).count == 3, "a proof works once")
    }

    @Test("a server that wants a nonce again and again is asked twice, no more")
    func stubborn() async throws {
        let server = ScriptedServer { _, _ in Self.asksForNonce }

        let answer = try await KeyHolder(key: SigningKey(), transport: server.transport).send(.form(Self.url, []))

        #expect(answer.status == 400 && server.requests.count == 2)
    }

    @Test("a JWT made for a request names the token by kid, and carries no proof")
    func selfMade() async throws {
        let server = ScriptedServer { _, _ in Transport.Response(status: 200) }, key = SigningKey()
        let token = try SigningKey().sign(["jti": "t1"])

        try await _ = KeyHolder(key: key, transport: server.transport).send(.get(Self.url), madeFor: token, of: "me")

        let request = try #require(server.requests.first)
        let made = try JWT(String(request.header("Authorization")?.dropFirst("Bearer ".count) ?? ""))
        #expect(made.keyID == "t1" && made.isSigned(by: key.verificationKey) && made.claims["iss"] == "me")
        #expect(made.audiences == [Self.url] && request.header("DPoP") == nil)
    }

    @Test("nothing with a secret in it tells it when it is printed")
    func descriptions() throws {
        let tokens = Tokens(accessToken: "secret-a", refreshToken: "secret-r", type: "DPoP", expires: .now)
        let request = Transport.Request(method: "GET", url: "https://a/?code=secret-c", headers: [("A", "secret-h")])
        let key = SigningKey()

        for text in ["\(tokens)", "\(request)", "\(key)", "\([tokens])", String(reflecting: request)] {
            #expect(!text.contains("secret"), "\(text)")
        }
        var dumped = ""
        dump(tokens, to: &dumped)
        #expect(!dumped.contains("secret"))
    }
}
