import Foundation
import PandoClient
import Testing

@Suite("What a service checks")
struct VerifierTests {
    private static let issuer = "https://id.example.org"
    private static let base = "https://learn.example.org"
    private static let now = Date(timeIntervalSince1970: 1_795_000_000)

    private let signer = SigningKey(), phone = SigningKey()

    private var keys: KeySource { .fixed([signer.verificationKey]) }

    private var assertion: [String: JSON] {
        [
            "iss": .string(Self.issuer), "sub": "person", "aud": .string(Self.base + "/token"),
            "azp": "org.example.app", "client_id": "instance", "jti": "1", "iat": 1_795_000_000, "exp": 1_795_000_300,
            "cnf": ["jwk": phone.jwk], "lineage": ["root", "leaf"], "name": "Ada",
        ]
    }

    private func verify(
        _ changes: [String: JSON?], type: String = "oauth-id-jag+jwt"
    ) async throws -> ServiceAssertion {
        var claims = assertion
        for (name, value) in changes { claims[name] = value }
        let verifier = AssertionVerifier(
            issuer: Self.issuer, tokenEndpoint: Self.base + "/token", keys: keys, now: { Self.now })
        return try await verifier.verify(try signer.sign(claims, header: ["typ": .string(type)]))
    }

    @Test("an assertion is read: whose it is, what it hangs from with its signer, and what was released")
    func good() async throws {
        let read = try await verify([:])

        #expect(read.subject == "person" && read.app == "org.example.app" && read.node == "leaf")
        #expect(read.key.thumbprint == phone.thumbprint && read.released == ["name": "Ada"])
        #expect(read.ancestors == ["root", "leaf", "signer:" + signer.thumbprint])
    }

    @Test(
        "an assertion that is another's, too old, too long, unbound or without lineage is invalid_grant",
        arguments: [
            ["iss": "https://x.example.org"], ["aud": "https://learn.example.org"], ["exp": 1_794_999_900],
            ["exp": 1_795_000_400], ["iat": 1_795_000_100], ["nbf": 1_795_000_100], ["nbf": "now"], ["cnf": .null],
            ["cnf": ["jkt": "abc"]], ["lineage": []], ["sub": 1], ["jti": .null],
        ] as [[String: JSON]])
    func refused(_ changes: [String: JSON]) async throws {
        let refusal = await #expect(throws: OAuthError.self) {
            try await verify(changes.mapValues { $0 == .null ? nil : $0 })
        }

        #expect(refusal?.status == 400 && refusal?.code == .invalidGrant)
    }

    @Test("another type, another key and none at all are no assertion")
    func forged() async throws {
        let verifier = AssertionVerifier(
            issuer: Self.issuer, tokenEndpoint: Self.base + "/token", keys: keys, now: { Self.now })
        let forged = try phone.sign(assertion, header: ["typ": "oauth-id-jag+jwt"])

        await #expect(throws: OAuthError.self) { try await verify([:], type: "at+jwt") }
        await #expect(throws: OAuthError.self) { try await verifier.verify(forged) }
        await #expect(throws: OAuthError.self) { try await verifier.verify("a.b.c") }
    }

    @Test("a bound token needs its proof, once; one that is bare or by another key is 401")
    func bound() async throws {
        let proofs = ProofVerifier(replays: .inMemory()), url = Self.base + "/api"
        let verifier = AccessTokenVerifier(issuer: Self.base, audience: Self.base, keys: keys, proofs: proofs)
        let made = Int(Date().timeIntervalSince1970)
        // A `kid` of the token's issuer, which the phone's proofs do not have, makes no other key of it.
        let named = JSON.object((phone.jwk.object ?? [:]).merging(["kid": "phone"]) { _, kid in kid })
        let token = try signer.sign(
            [
                "iss": .string(Self.base), "aud": .string(Self.base), "sub": "person", "jti": "t", "scope": "a b",
                "iat": .integer(made), "exp": .integer(made + 60), "cnf": ["jwk": named],
            ], header: ["typ": "at+jwt"])
        func ask(_ scheme: String, _ proof: String?) async throws -> VerifiedToken {
            try await verifier.verify(authorization: "\(scheme) \(token)", proof: proof, method: "GET", url: url)
        }
        func proof(by key: SigningKey) throws -> String {
            try KeyHolder(key: key, transport: Transport { _ in throw ScriptedServer.Away() })
                .proof("GET", url, token: token)
        }
        let good = try proof(by: phone)

        #expect(try await ask("DPoP", good).scope == ["a", "b"])
        await #expect(throws: OAuthError.self, "used before") { try await ask("DPoP", good) }
        await #expect(throws: OAuthError.self) { try await ask("Bearer", nil) }
        await #expect(throws: OAuthError.self) { try await ask("DPoP", nil) }
        await #expect(throws: OAuthError.self) { try await ask("DPoP", proof(by: SigningKey())) }
    }

    @Test("a key set is read once, again for a kid that it lacks, and serves while its issuer is away")
    func keySet() async throws {
        let old = SigningKey(), new = SigningKey(), time = ScriptedTime(Self.now)
        func entry(_ key: SigningKey, _ kid: String) -> JSON {
            .object((key.jwk.object ?? [:]).merging(["kid": .string(kid)]) { _, kid in kid })
        }
        let sets: [JSON] = [["keys": [entry(old, "a")]], ["keys": [entry(old, "a"), entry(new, "b")]]]
        let server = ScriptedServer { number, _ in
            guard number <= 2 else { throw ScriptedServer.Away() }
            return Transport.Response(status: 200, body: try sets[number - 1].bytes())
        }
        let keys = KeySource.keySet(at: Self.issuer + "/jwks.json", transport: server.transport, now: { time.now })
        let verifier = AssertionVerifier(
            issuer: Self.issuer, tokenEndpoint: Self.base + "/token", keys: keys, now: { Self.now })
        func verify(_ key: SigningKey, _ kid: String) async throws {
            let text = try key.sign(assertion, header: ["typ": "oauth-id-jag+jwt", "kid": .string(kid)])
            _ = try await verifier.verify(text)
        }

        try await verify(old, "a")
        try await verify(old, "a")
        await #expect(throws: OAuthError.self, "looked a moment ago") { try await verify(new, "b") }
        #expect(server.requests.count == 1)
        time.advance(11)
        try await verify(new, "b")
        #expect(server.requests.count == 2)
        time.advance(700)
        try await verify(new, "b")
    }
}
