import Base
import Foundation
import HTTPTypes
import Keys
import Registration
import TestSupport
import Testing
import Vocabulary

@Suite("RFC 6749, 2.3 and RFC 8705, 2: how a registered client authenticates", .server)
struct ClientRegistrationAuthenticationTests {
    private var fixture: RegistrationFixture { get throws { RegistrationFixture(server: try .ofSuite) } }

    private func authenticate(
        _ parameters: [String: String], authorization: String? = nil, certificate: ClientCertificate? = nil,
        allowingPublic: Bool = false
    ) async throws -> WebClient? {
        let request = PresentedRequest(
            method: "POST", url: "\(ServerParts.root)/token", authorization: authorization, proofs: [], origin: nil,
            certificate: certificate)
        return try await TestServer.ofSuite.parts.clients.authenticate(
            request, OAuthParameters(parameters), allowingPublic: allowingPublic)
    }

    // MARK: Public clients

    @Test("a public client passes by its name where it asks for its own tokens, and nowhere else")
    func named() async throws {
        let client = try await fixture.registered(["token_endpoint_auth_method": "none"])

        #expect(try await authenticate(["client_id": client.id], allowingPublic: true)?.id == client.id)
        #expect(try await authenticate(["client_id": client.id]) == nil)
        #expect(try await authenticate([:], allowingPublic: true) == nil)
        #expect(try await authenticate(["client_id": "unknown"], allowingPublic: true) == nil)
        #expect(try await authenticate(["client_id": "a\0b"], allowingPublic: true) == nil)
    }

    @Test(
        "group 22: who has a secret, a key or a certificate and shows none is nobody",
        arguments: [
            "client_secret_basic", "client_secret_post", "private_key_jwt", "tls_client_auth",
            "self_signed_tls_client_auth",
        ])
    func downgrade(_ method: String) async throws {
        var changes: JSONObject = ["token_endpoint_auth_method": .string(method)]
        if ["private_key_jwt", "self_signed_tls_client_auth"].contains(method) {
            changes["jwks"] = ["keys": [PhoneKey().jwk]]
        }
        if method == "tls_client_auth" { changes["tls_client_auth_san_dns"] = "one.client.example" }
        let client = try await fixture.registered(changes)

        #expect(try await authenticate(["client_id": client.id], allowingPublic: true) == nil)
        #expect(try await authenticate(["client_id": client.id, "client_secret": ""], allowingPublic: true) == nil)
    }

    @Test("group 23: a public client does not introspect; it may ask to revoke, and hears the same whatever it shows")
    func introspection() async throws {
        let client = try await fixture.registered(["token_endpoint_auth_method": "none"])

        for path in ["/introspect", "/token/validate"] {
            let reply = try await client.server.post(path, ["token": "x", "jti": "x", "client_id": client.id])
            #expect(reply.status == 401, "\(reply.body)")
        }
        #expect(try await client.server.post("/revoke", ["token": "x", "client_id": client.id]).outcome == "200")
        #expect(
            try await client.server.post("/revoke", ["client_id": client.id]).outcome == "400 invalid_request",
            "the token is missing")
    }

    @Test("a secret is good by Basic and in the body, whichever is registered; a wrong one in neither")
    func eitherWay() async throws {
        for method in ["client_secret_basic", "client_secret_post"] {
            let client = try await fixture.registered(["token_endpoint_auth_method": .string(method)])
            func header(_ secret: String) -> String {
                "Basic \(Data("\(client.id):\(secret)".utf8).base64EncodedString())"
            }

            #expect(try await authenticate([:], authorization: header(client.secret))?.id == client.id)
            let shown = ["client_id": client.id, "client_secret": client.secret]
            #expect(try await authenticate(shown)?.id == client.id)
            for (parameters, authorization, code) in [
                ([:], header("wrong"), .invalidClient), ([:], header(""), .invalidClient),
                (["client_id": client.id, "client_secret": "wrong"], nil, .invalidClient),
                (shown, header(client.secret), .invalidRequest), (shown, header(""), .invalidRequest),
            ] as [([String: String], String?, OAuthError.Code)] {
                let error = await #expect(throws: OAuthError.self) {
                    try await authenticate(parameters, authorization: authorization, allowingPublic: true)
                }
                #expect(error?.code == code)
            }
        }
    }

    @Test("a public client may say its name by Basic with an empty secret, where its name is enough, and no other one")
    func emptySecret() async throws {
        let client = try await fixture.registered(["token_endpoint_auth_method": "none"])
        func header(_ text: String) -> String { "Basic \(Data(text.utf8).base64EncodedString())" }

        let named = header("\(client.id):")
        #expect(try await authenticate([:], authorization: named, allowingPublic: true)?.id == client.id)
        #expect(
            try await authenticate(["client_id": client.id], authorization: named, allowingPublic: true)?.id
                == client.id)
        for (authorization, allowingPublic) in [
            (named, false), (header("\(client.id):x"), true), (header("\(client.id): "), true),
            (header("\(client.id)"), true), (header("unknown:"), true), (header(":"), true),
        ] {
            let error = await #expect(throws: OAuthError.self, "\(authorization)") {
                try await authenticate([:], authorization: authorization, allowingPublic: allowingPublic)
            }
            #expect(error?.code == .invalidClient)
        }
        let error = await #expect(throws: OAuthError.self) {
            try await authenticate(["client_id": "another"], authorization: named, allowingPublic: true)
        }
        #expect(error?.code == .invalidRequest)
    }

    @Test("a public client that shows a secret all the same is refused")
    func publicWithSecret() async throws {
        let client = try await fixture.registered(["token_endpoint_auth_method": "none"])

        let error = await #expect(throws: OAuthError.self) {
            try await authenticate(["client_id": client.id, "client_secret": "x"], allowingPublic: true)
        }
        #expect(error?.code == .invalidClient)
    }

    // MARK: Basic

    @Test(
        "group 21: Basic is form-encoded, and read strictly",
        arguments: [
            ("ID:SECRET", true), ("ID:SECRET%", false), ("ID%2:SECRET", false), ("ID:%zz", false),
            ("ID%00:SECRET", false), ("ID:SECRET%00", false),
            ("ID\0:SECRET", false), (":SECRET", false), (":", false), ("ID", false), ("ID:SECRET%FF", false),
            ("ID:SECRET ", false), ("ID :SECRET", false), ("ID+:SECRET", false),
            ("", false), ("ID:", false),
        ])
    func basic(_ pattern: String, _ passes: Bool) async throws {
        let client = try await fixture.registeredMachine()
        let text = pattern.replacing("ID", with: client.id).replacing("SECRET", with: client.secret)

        let reply = try await client.server.post(
            "/token", ["grant_type": "client_credentials"],
            headers: [.authorization: "Basic \(Data(text.utf8).base64EncodedString())"])

        #expect(reply.outcome == (passes ? "200" : "401 invalid_client"), "\(reply.body)")
    }

    @Test("group 21: what encodes the same bytes is the same, and what is no base64 is nothing")
    func encoded() async throws {
        let client = try await fixture.registeredMachine()
        let encoded = client.id.utf8.map { "%" + String($0, radix: 16) }.joined() + ":" + client.secret
        func ask(_ value: String) async throws -> String {
            try await client.server.post(
                "/token", ["grant_type": "client_credentials"], headers: [.authorization: "Basic \(value)"]
            ).outcome
        }

        #expect(try await ask(Data(encoded.utf8).base64EncodedString()) == "200")
        #expect(
            try await ask(Data("\(client.id):\(client.secret)".utf8).base64EncodedString() + "!")
                == "401 invalid_client")
        #expect(try await ask(Data([0xFF, 0x3A, 0xFE]).base64EncodedString()) == "401 invalid_client")
    }

    // MARK: Assertions

    @Test(
        "an assertion is by the registered algorithm",
        arguments: [("ES256", true), ("ES384", false), ("EdDSA", false), (nil, true)] as [(String?, Bool)])
    func algorithm(_ registered: String?, _ passes: Bool) async throws {
        let key = PhoneKey()
        let client = try await fixture.registeredMachine([
            "token_endpoint_auth_method": "private_key_jwt", "jwks": ["keys": [key.jwk]],
            "token_endpoint_auth_signing_alg": JSONValue(registered),
        ])
        let claims: JSONObject = [
            "iss": .string(client.id), "sub": .string(client.id), "aud": .string(ServerParts.root),
            "iat": .integer(client.server.now), "exp": .integer(client.server.now + 60),
            "jti": .string(UUID().uuidString),
        ]

        let reply = try await client.server.post(
            "/token",
            [
                "grant_type": "client_credentials", "client_assertion": try key.sign(claims),
                "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
            ])

        #expect(reply.outcome == (passes ? "200" : "401 invalid_client"), "\(reply.body)")
    }

    // MARK: Certificates

    @Test(
        "tls_client_auth: a trusted certificate of exactly the registered name",
        arguments: [
            ("subject_dn", "O=Example,CN=one", true), ("subject_dn", "o=Example, cn=one", true),
            ("subject_dn", "CN=one,O=Example", false), ("subject_dn", "CN=one", false),
            ("subject_dn", "CN=two,O=Example", false), ("subject_dn", "one", false),
            ("san_dns", "one.client.example", true), ("san_dns", "ONE.client.example", true),
            ("san_dns", "two.client.example", false), ("san_dns", "client.example", false),
            ("san_dns", "*.wild.example", false), ("san_dns", "a.wild.example", false),
            ("san_uri", "urn:client:one", true), ("san_uri", "urn:client:ONE", false),
            ("san_ip", "192.0.2.1", true), ("san_ip", "2001:DB8:0::1", true), ("san_ip", "192.0.2.2", false),
            ("san_email", "one@client.example", true), ("san_email", "two@client.example", false),
            ("san_email", "client.example", false),
        ])
    func tls(_ member: String, _ name: String, _ passes: Bool) async throws {
        let client = try await fixture.registered([
            "token_endpoint_auth_method": "tls_client_auth", "tls_client_auth_\(member)": .string(name),
        ])

        let found = try? await authenticate(
            ["client_id": client.id], certificate: try ClientRegistrationCertificates.one())

        #expect((found?.id == client.id) == passes)
        let untrusted = try ClientRegistrationCertificates.one(isTrusted: false)
        await #expect(throws: OAuthError.self) {
            _ = try await authenticate(["client_id": client.id], certificate: untrusted)
        }
    }

    @Test(
        """
        self_signed_tls_client_auth: a certificate of a registered key, or the registered certificate itself; trust \
        says nothing
        """,
        arguments: [
            "key", "x5c", "jwks_uri",
        ])
    func selfSigned(_ way: String) async throws {
        let fixture = try fixture, uri = "https://client.example/\(UUID()).json"
        let certified = PhoneKey().jwk(changed: ["x5c": [.string(ClientRegistrationCertificates.first)]])
        fixture.server.wire.publish(JSONValue.object(["keys": [ClientRegistrationCertificates.key]]).text, at: uri)
        let keys: JSONObject =
            switch way {
            case "key": ["jwks": ["keys": [PhoneKey().jwk, ClientRegistrationCertificates.key]]]
            case "x5c": ["jwks": ["keys": [certified]]]
            default: ["jwks_uri": .string(uri)]
            }
        let client = try await fixture.registered(
            keys.with(["token_endpoint_auth_method": "self_signed_tls_client_auth"]))

        #expect(
            try await authenticate(
                ["client_id": client.id], certificate: try ClientRegistrationCertificates.one(isTrusted: false))?.id
                == client.id)
        let error = await #expect(throws: OAuthError.self) {
            _ = try await authenticate(["client_id": client.id], certificate: try ClientRegistrationCertificates.two())
        }
        #expect(
            error?.code == .invalidClient && error?.description.contains("certificate") == false,
            "told as every other failure")
        #expect(try await authenticate(["client_id": client.id]) == nil)
        #expect(try await authenticate([:], certificate: try ClientRegistrationCertificates.one()) == nil)
    }

    @Test("a certificate is nobody's secret: clients of other methods do not pass with it")
    func otherMethods() async throws {
        let client = try await fixture.registered(),
            open = try await fixture.registered(["token_endpoint_auth_method": "none"])
        let certificate = try ClientRegistrationCertificates.one(),
            parameters = ["client_id": client.id, "client_secret": "wrong"]

        #expect(try await authenticate(["client_id": client.id], certificate: certificate) == nil)
        #expect(try await authenticate(["client_id": open.id], certificate: certificate) == nil)
        #expect(
            try await authenticate(["client_id": open.id], certificate: certificate, allowingPublic: true)?.id
                == open.id)
        let error = await #expect(throws: OAuthError.self) {
            _ = try await authenticate(parameters, certificate: certificate)
        }
        #expect(error?.code == .invalidClient, "a secret is still looked at")
    }
}
