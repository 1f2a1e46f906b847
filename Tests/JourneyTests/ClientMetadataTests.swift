import Base
import Foundation
import Registration
import TestSupport
import Testing
import Vocabulary

@Suite("RFC 7591, 2 and OpenID Connect Registration, 2: client metadata", .server)
struct ClientMetadataTests {
    typealias Variant = Spoilt<JSONObject>

    private static let bad = "400 invalid_client_metadata", badRedirect = "400 invalid_redirect_uri"

    private static func texts(_ count: Int, _ text: (Int) -> String) -> JSONValue {
        JSONValue(strings: (0..<count).map(text))
    }
    private static func keys(_ keys: JSONValue...) -> JSONValue { .object(["keys": .array(keys)]) }
    private static func set(_ changes: JSONObject) -> @Sendable (inout JSONObject) throws -> Void {
        { $0 = $0.with(changes) }
    }

    private static let shapes: [Variant] = [
        Variant("redirect_uris as text", badRedirect, "array", set(["redirect_uris": "https://client.example/cb"])),
        Variant("redirect_uris of numbers", badRedirect, "array", set(["redirect_uris": [1]])),
        Variant("no redirect_uris", badRedirect, "at least one", set(["redirect_uris": .null])),
        Variant("empty redirect_uris", badRedirect, "at least one", set(["redirect_uris": []])),
        Variant("an empty redirect URI", badRedirect, "1 to", set(["redirect_uris": [""]])),
        Variant(
            "a redirect URI of 2001 bytes", badRedirect, "2000 bytes",
            set(["redirect_uris": [.string("https://client.example/" + String(repeating: "a", count: 1_978))]])),
        Variant(
            "group 56: 51 redirect URIs", badRedirect, "at most 50",
            set(["redirect_uris": texts(51) { "https://client.example/\($0)" }])),
        Variant(
            "group 56: 2,000 redirect URIs", badRedirect, "at most 50",
            set(["redirect_uris": texts(2_000) { "https://a.b/\($0)" }])),
        Variant(
            "group 56: 10,000 redirect URIs", "413 too_large", "64 KiB",
            set(["redirect_uris": texts(10_000) { "https://a.b/\($0)" }])),
        Variant("client_name as number", bad, "client_name", set(["client_name": 5])),
        Variant("an empty client_name", bad, "client_name", set(["client_name": ""])),
        Variant("a blank client_name", bad, "client_name", set(["client_name": " \u{3000} "])),
        Variant(
            "a client_name of 201 characters", bad, "client_name",
            set(["client_name": .string(String(repeating: "n", count: 201))])),
        Variant(
            "a client_name of one character and 300 marks", bad, "client_name",
            set(["client_name": .string("a" + String(repeating: "\u{301}", count: 300))])),
        Variant("grant_types as text", bad, "grant_types", set(["grant_types": "authorization_code"])),
        Variant("the password grant alone", bad, "grant_types", set(["grant_types": ["password"]])),
        Variant("the implicit grant alone", bad, "grant_types", set(["grant_types": ["implicit"]])),
        Variant(
            "jwt-bearer alone, which is for services", bad, "grant_types",
            set(["grant_types": ["urn:ietf:params:oauth:grant-type:jwt-bearer"]])),
        Variant("response_types token", bad, "response_types", set(["response_types": ["token"]])),
        Variant("no response type for authorization_code", bad, "response_types", set(["response_types": []])),
        Variant("response_types as text", bad, "response_types", set(["response_types": "code"])),
        Variant(
            "refresh_token alone", bad, "grant_types",
            set(["grant_types": ["refresh_token", "implicit"], "response_types": ["token"]])),
        Variant("scope as array", bad, "scope", set(["scope": ["openid"]])),
        Variant("scope with a quote", bad, "scope", set(["scope": "a\"b"])),
        Variant(
            "scope of 3,000 bytes", bad, "scope", set(["scope": .string(String(repeating: "openid ", count: 430))])),
        Variant("a flag as text", bad, "true or false", set(["dpop_bound_access_tokens": "true"])),
        Variant("a flag as number", bad, "true or false", set(["require_pushed_authorization_requests": 1])),
        Variant("default_max_age as text", bad, "default_max_age", set(["default_max_age": "60"])),
        Variant("a negative default_max_age", bad, "default_max_age", set(["default_max_age": -1])),
        Variant("an endless default_max_age", bad, "default_max_age", set(["default_max_age": 9_000_000_000])),
        Variant("11 default_acr_values", bad, "default_acr_values", set(["default_acr_values": texts(11) { "\($0)" }])),
        Variant("another application_type", bad, "application_type", set(["application_type": "desktop"])),
        Variant("another subject_type", bad, "subject_type", set(["subject_type": "private"])),
        Variant("11 contacts", bad, "contacts", set(["contacts": texts(11) { "\($0)@client.example" }])),
        Variant("a contact with a line end", bad, "contacts", set(["contacts": ["ada@client.example\r\nBcc: all"]])),
        Variant(
            "a software_id of 256 characters", bad, "software_id",
            set(["software_id": .string(String(repeating: "s", count: 256))])),
    ]

    private static let hostile: [Variant] = [
        "\u{202E}gnp.exe", "a\u{2066}b", "a\u{2069}b", "a\u{202A}b", "a\nb", "a\u{1B}[31mb", "a\u{7F}b", "a\u{85}b",
        "a\u{2028}b",
    ].flatMap { name in
        let shown = name.unicodeScalars.map {
            $0.isASCII && $0.value > 31 ? String($0) : "\\u\(String($0.value, radix: 16))"
        }.joined()
        return ["client_name", "client_name#he", "software_version"].map { member in
            Variant("group 56: \(shown) in \(member)", bad, member, set([member: .string(name)]))
        }
    }

    private static let translations: [Variant] = [
        Variant("group 56: 21 names in other languages", bad, "at most 20") {
            for number in 0..<21 { $0["client_name#x-\(number)"] = "n" }
        },
        Variant("group 56: 1,000 names in other languages", bad, "at most 20") {
            for number in 0..<1_000 { $0["client_name#x-\(number)"] = "n" }
        },
        Variant("21 translations, mixed", bad, "at most 20") {
            for number in 0..<11 {
                ($0["client_name#x-\(number)"], $0["tos_uri#x-\(number)"]) = ("n", "https://client.example/")
            }
        },
        Variant("a language tag of markup", bad, "language tag", set(["client_name#<script>": "n"])),
        Variant("an empty language tag", bad, "language tag", set(["client_name#": "n"])),
        Variant("a language tag with a second #", bad, "language tag", set(["client_name#de#de": "n"])),
        Variant(
            "a translated name that is too long", bad, "client_name#de",
            set(["client_name#de": .string(String(repeating: "n", count: 201))])),
        Variant("a translated page of another scheme", bad, "tos_uri#de", set(["tos_uri#de": "javascript:alert(1)"])),
    ]

    private static let pages: [Variant] = ["client_uri", "logo_uri", "policy_uri", "tos_uri", "initiate_login_uri"]
        .flatMap { member in
            [
                "javascript:alert(1)", "data:text/html,x", "http://client.example/", "https:///path",
                "https://ada@client.example/", "https://client.example/\" onload=x",
                "https://client.example/<b>", "//client.example/", "client.example", "",
            ].map { Variant("\(member) \($0)", bad, member, set([member: .string($0)])) }
        }

    private static let peers: [Variant] = ["backchannel_logout_uri", "jwks_uri", "sector_identifier_uri"].flatMap {
        member in
        [
            "http://client.example/x", "javascript:alert(1)", "file:///etc/passwd", "https://ada:pw@client.example/x",
            "https://client.example/x#y",
            "gopher://client.example/", "http://localhost.client.example/", "x",
        ]
        .map { Variant("\(member) \($0)", bad, member, set([member: .string($0)])) }
    }

    private static let keySets: [Variant] = [
        Variant(
            "group 55: jwks and jwks_uri", bad, "not both",
            set(["jwks": keys(PhoneKey().jwk), "jwks_uri": "https://client.example/jwks"])),
        Variant(
            "group 55: empty jwks and jwks_uri", bad, "not both",
            set(["jwks": keys(), "jwks_uri": "https://client.example/jwks"])),
        Variant(
            "group 55: a private key in jwks", bad, "private key",
            set(["jwks": keys(PhoneKey().jwk(changed: ["d": "AAAA"]))])),
        Variant(
            "group 55: a private key of a kind that is not known", bad, "private key",
            set(["jwks": keys(PhoneKey().jwk, ["kty": "OKP", "crv": "X25519", "x": "AAAA", "d": "AAAA"])])),
        Variant(
            "group 55: an oct key in jwks", bad, "shared secret", set(["jwks": keys(["kty": "oct", "k": "AAAA"])])),
        Variant(
            "group 55: duplicate kid", bad, "kid",
            set(["jwks": keys(PhoneKey().jwk(kid: "a"), PhoneKey().jwk(kid: "a"))])),
        Variant(
            "a point off its curve", bad, "jwks",
            set([
                "jwks": keys(
                    PhoneKey().jwk(changed: ["y": .string(Base64URL.encode([UInt8](repeating: 1, count: 32)))]))
            ])),
        Variant("no key at all", bad, "no key", set(["jwks": keys()])),
        Variant("keys for encryption only", bad, "jwks", set(["jwks": keys(PhoneKey().jwk(changed: ["use": "enc"]))])),
        Variant(
            "33 keys", bad, "at most", set(["jwks": .object(["keys": .array((0..<33).map { _ in PhoneKey().jwk })])])),
        Variant("jwks as array", bad, "jwks", set(["jwks": [PhoneKey().jwk]])),
        Variant("jwks as text", bad, "jwks", set(["jwks": "{}"])),
        Variant(
            "private_key_jwt without keys", bad, "needs either",
            set(["token_endpoint_auth_method": "private_key_jwt"])),
        Variant(
            "self_signed_tls_client_auth without keys", bad, "needs either",
            set(["token_endpoint_auth_method": "self_signed_tls_client_auth"])),
        Variant(
            "signed requests without keys", bad, "require_signed_request_object",
            set(["require_signed_request_object": true])),
    ]

    private static let methods: [Variant] =
        [
            Variant(
                "another method", bad, "token_endpoint_auth_method", set(["token_endpoint_auth_method": "nonsense"])),
            Variant(
                "client_secret_jwt", bad, "token_endpoint_auth_method",
                set(["token_endpoint_auth_method": "client_secret_jwt"])),
            Variant(
                "a public machine", bad, "public client",
                set([
                    "token_endpoint_auth_method": "none", "grant_types": ["client_credentials"], "redirect_uris": .null,
                ])),
            Variant(
                "tls_client_auth without a name", bad, "exactly one",
                set(["token_endpoint_auth_method": "tls_client_auth"])),
            Variant(
                "tls_client_auth with two names", bad, "not several",
                set([
                    "token_endpoint_auth_method": "tls_client_auth", "tls_client_auth_san_dns": "a.example",
                    "tls_client_auth_subject_dn": "CN=a",
                ])),
            Variant(
                "an empty tls_client_auth name", bad, "tls_client_auth_san_dns",
                set(["token_endpoint_auth_method": "tls_client_auth", "tls_client_auth_san_dns": ""])),
            Variant(
                "a tls_client_auth address that is none", bad, "IP address",
                set(["token_endpoint_auth_method": "tls_client_auth", "tls_client_auth_san_ip": "256.1.1.1"])),
            Variant(
                "a tls_client_auth name for another method", bad, "tls_client_auth only",
                set(["tls_client_auth_san_dns": "a.example"])),
            Variant(
                "ID tokens with alg none", bad, "id_token_signed_response_alg",
                set(["id_token_signed_response_alg": "none"])),
            Variant(
                "ID tokens with HS256", bad, "id_token_signed_response_alg",
                set(["id_token_signed_response_alg": "HS256"])),
            Variant(
                "ID tokens with an alg not in use here", bad, "id_token_signed_response_alg",
                set(["id_token_signed_response_alg": "RS256"])),
            Variant(
                "userinfo with alg none", bad, "userinfo_signed_response_alg",
                set(["userinfo_signed_response_alg": "none"])),
            Variant(
                "request objects with alg none", bad, "request_object_signing_alg",
                set(["request_object_signing_alg": "none"])),
            Variant(
                "assertions that name anybody", bad, "assertion_audience", set(["assertion_audience": "anybody"])),
            Variant(
                "assertions with HS256", bad, "token_endpoint_auth_signing_alg",
                set(["token_endpoint_auth_signing_alg": "HS256"])),
            Variant(
                "group 55: a software statement", "400 unapproved_software_statement", "software statement",
                set(["software_statement": "eyJhbGciOiJub25lIn0.e30."])),
        ]
        + [
            "id_token_encrypted_response_alg", "userinfo_encrypted_response_enc", "request_object_encryption_alg",
            "authorization_encrypted_response_alg",
            "introspection_encrypted_response_enc",
        ].map { member in
            Variant("\(member)", bad, "encryption", set([member: "RSA-OAEP"]))
        }

    @Test(
        "group 55, group 56: what is refused, and why; nothing is registered and the invitation stays good",
        arguments: shapes + hostile + translations + pages + peers + keySets + methods)
    func refused(_ variant: Variant) async throws {
        let fixture = RegistrationFixture(server: try .ofSuite), token = try await fixture.invitation()

        let reply = try await fixture.ask(try variant.applied(to: RegistrationFixture.usual), token: token)

        #expect(reply.outcome == variant.outcome, "\(reply.body)")
        #expect(reply["error_description"]?.contains(variant.why) == true, "\(reply.body)")
        #expect(reply[header: "Cache-Control"] == "no-store")
        #expect(try await fixture.ask(RegistrationFixture.usual, token: token).outcome == "201")
    }

    @Test(
        "a body that is no JSON object is refused",
        arguments: [
            ("[]", "400 invalid_client_metadata"), ("\"x\"", "400 invalid_client_metadata"),
            ("{", "400 invalid_request"), ("", "400 invalid_request"),
            (#"{"redirect_uris":[],"redirect_uris":[]}"#, "400 invalid_request"),
            (String(repeating: "[", count: 60_000), "400 invalid_request"),
        ])
    func malformed(_ body: String, _ outcome: String) async throws {
        let fixture = RegistrationFixture(server: try .ofSuite)

        let reply = try await fixture.server.send(
            .post, "/register",
            headers: [.authorization: "Bearer \(try await fixture.invitation())", .contentType: "application/json"],
            body: Array(body.utf8))

        #expect(reply.outcome == outcome)
    }

    @Test("group 56: markup in names is stored and told as it is, as JSON that may stand in a page")
    func markup() async throws {
        let name = "<script>alert('x')</script> & \"Söhne\" {{name}} עברית"
        let client = try await RegistrationFixture(server: try .ofSuite).registered([
            "client_name": .string(name), "client_name#de": .string(name),
        ])

        let read = try await client.manage(.get)

        #expect(read["client_name"] == name && read["client_name#de"] == name)
        #expect(
            !read.body.contains("<") && read[header: "Content-Type"] == "application/json"
                && read[header: "X-Content-Type-Options"] == "nosniff")
    }

    @Test(
        "what is at the edge is accepted",
        arguments: [
            Variant(
                "a name of 200 characters", "201", "", set(["client_name": .string(String(repeating: "語", count: 200))])
            ),
            Variant(
                "50 redirect URIs", "201", "", set(["redirect_uris": texts(50) { "https://client.example/\($0)" }])),
            Variant(
                "a redirect URI of 2000 bytes", "201", "",
                set(["redirect_uris": [.string("https://client.example/" + String(repeating: "a", count: 1_977))]])),
            Variant("20 translations", "201") { for number in 0..<20 { $0["client_name#x-\(number)"] = "n" } },
            Variant("null everywhere", "201") {
                for name in [
                    "client_uri", "jwks", "scope", "contacts", "default_max_age", "software_statement",
                    "id_token_encrypted_response_alg",
                ] { $0[name] = .null }
            },
            Variant(
                "eduID's spelling of a grant", "201", "",
                set(["grant_types": ["authorization_code", "urn:ietf:param:oauth:grant-type:device_code"]])),
            Variant(
                "a key for encryption beside one for signatures", "201", "",
                set(["jwks": keys(PhoneKey().jwk, PhoneKey().jwk(changed: ["use": "enc"]))])),
            Variant("an empty scope", "201", "", set(["scope": ""])),
            Variant(
                "a logout URI on loopback, for development", "201", "",
                set(["backchannel_logout_uri": "http://127.0.0.1:5000/logout"])),
            Variant(
                "tls_client_auth by name", "201", "",
                set([
                    "token_endpoint_auth_method": "tls_client_auth",
                    "tls_client_auth_subject_dn": "CN=client,O=Example",
                ])),
        ])
    func accepted(_ variant: Variant) async throws {
        let reply = try await RegistrationFixture(server: try .ofSuite).ask(
            try variant.applied(to: RegistrationFixture.usual))

        #expect(reply.outcome == variant.outcome, "\(reply.body)")
    }

    @Test(
        """
        where loopback is not allowed, nothing on this machine
            and no bare address may be named for the server to call
        """,
        arguments: [
            "http://127.0.0.1/x", "https://127.0.0.1/x", "https://localhost/x", "https://a.localhost/x",
            "https://[::1]/x", "https://10.0.0.1/x", "https://169.254.169.254/x",
            "https://[::ffff:7f00:1]/x", "http://client.example/x",
        ])
    func strangers(_ uri: String) async throws {
        let server = try TestServer.ofSuite, fixture = RegistrationFixture(server: server)
        let flow = RegisterClient(
            database: server.database, revocation: server.parts.revocation, issuer: ServerParts.root,
            algorithms: [.es256], allowsLoopback: false,
            fetch: { _ in throw CancellationError() }, clock: server.time.clock, randomness: .system)
        for member in ["jwks_uri", "backchannel_logout_uri", "sector_identifier_uri"] {
            let token = try await fixture.invitation()
            let request = PresentedRequest(
                method: "POST", url: "\(ServerParts.root)/register", authorization: "Bearer \(token)", proofs: [],
                origin: nil)

            let error = await #expect(throws: OAuthError.self, "\(member)") {
                _ = try await flow.register(request) { .object(RegistrationFixture.usual.with([member: .string(uri)])) }
            }
            #expect(
                error?.code == .invalidClientMetadata && error?.description.hasPrefix("\(member) must ") == true,
                "\(error?.description ?? "")")
        }
    }
}
