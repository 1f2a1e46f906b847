import Base
import Foundation
import HTTPTypes
import Registration
import TestSupport
import Testing
import TokenTree

@Suite("RFC 7591: a web client registers itself", .server)
struct ClientRegistrationTests {
    private static let device = "urn:ietf:params:oauth:grant-type:device_code",
        exchange = "urn:ietf:params:oauth:grant-type:token-exchange"

    private var fixture: RegistrationFixture { get throws { RegistrationFixture(server: try .ofSuite) } }

    @Test("it gets an id, a secret that does not expire, and what it needs to look after itself")
    func registered() async throws {
        let client = try await fixture.registered(), reply = client.reply

        #expect(
            reply.status == 201 && reply[header: "Cache-Control"] == "no-store"
                && reply[header: "Content-Type"] == "application/json")
        #expect(
            Base64URL.decode(client.id)?.count == 16 && Base64URL.decode(client.secret)?.count == 32
                && Base64URL.decode(client.token)?.count == 32)
        #expect(
            reply.json["client_secret_expires_at"] == 0
                && reply.json["client_id_issued_at"] == .integer(client.server.now))
        #expect(reply["registration_client_uri"] == "\(ServerParts.root)/register/\(client.id)")
        #expect(reply["client_name"] == "Reg" && reply.json["redirect_uris"] == [.string(RegistrationFixture.redirect)])
        #expect(
            reply.json["grant_types"] == ["authorization_code", "refresh_token"]
                && reply.json["response_types"] == ["code"])
        #expect(
            reply["scope"] == "openid profile email" && reply["token_endpoint_auth_method"] == "client_secret_basic")
        #expect(
            reply["application_type"] == "web" && reply["subject_type"] == "pairwise" && reply.json["sector"] == nil)
    }

    @Test("what it says of itself comes back as it was said, and stays")
    func everything() async throws {
        let said: JSONObject = [
            "client_name": "Läs & <b>skriv</b>", "client_name#de": "Lesen", "client_name#zh-Hant-TW": "讀寫",
            "logo_uri#de": "https://client.example/de.png",
            "redirect_uris": ["https://client.example/cb", "https://client.example/cb?x=1"],
            "grant_types": ["authorization_code", "refresh_token", .string(Self.device)],
            "response_types": ["code"], "scope": "openid email offline_access",
            "token_endpoint_auth_method": "private_key_jwt",
            "token_endpoint_auth_signing_alg": "ES256", "assertion_audience": "endpoint",
            "jwks": ["keys": [PhoneKey().jwk(kid: "a"), PhoneKey().jwk(kid: "b")]], "application_type": "web",
            "subject_type": "public",
            "post_logout_redirect_uris": ["https://client.example/bye"],
            "backchannel_logout_uri": "https://client.example/logout",
            "backchannel_logout_session_required": true,
            "id_token_signed_response_alg": "ES256", "userinfo_signed_response_alg": "ES256",
            "request_object_signing_alg": "ES256",
            "require_signed_request_object": true,
            "require_pushed_authorization_requests": true, "dpop_bound_access_tokens": true,
            "tls_client_certificate_bound_access_tokens": true,
            "default_max_age": 3_600, "default_acr_values": ["urn:pando:mfa"], "client_uri": "https://client.example/",
            "logo_uri": "https://client.example/logo.png",
            "policy_uri": "https://client.example/#policy", "tos_uri": "https://client.example/tos",
            "initiate_login_uri": "https://client.example/login",
            "contacts": ["ada@client.example"], "software_id": "reg", "software_version": "1.0 beta",
        ]

        let client = try await fixture.registered(
            said.with(["unknown_member": ["deep": [1]], "jwks_uri": .null, "software_statement": .null]))

        let told = try await client.manage(.get).json
        for (name, value) in said {
            #expect(client.reply.json[name] == value, "\(name)")
            #expect(told[name] == value, "\(name)")
        }
        #expect(
            told["unknown_member"] == nil && told["client_secret"] == nil && told["client_secret_expires_at"] == nil)
    }

    @Test("what is left out has the default of RFC 7591, 2; a client without a name bears its id")
    func defaults() async throws {
        let client = try await fixture.registered(["client_name": .null, "grant_types": .null])
        let machine = try await fixture.registeredMachine(), openly: JSONValue = "none"
        let device = try await fixture.registered([
            "grant_types": [.string(Self.device)], "redirect_uris": .null, "token_endpoint_auth_method": openly,
        ])

        #expect(client.reply["client_name"] == client.id && client.reply.json["grant_types"] == ["authorization_code"])
        #expect(machine.reply["scope"] == "" && machine.reply.json["response_types"] == [])
        #expect(
            device.reply["scope"] == "openid profile email" && device.reply["client_secret"] == nil
                && device.reply.json["client_secret_expires_at"] == nil)
    }

    @Test(
        "without a good initial access token nothing is registered, told in one way",
        arguments: [
            "none", "unknown", "expired", "used up", "Basic", "DPoP", "NUL", "a registration access token",
        ])
    func refused(_ what: String) async throws {
        let fixture = try fixture
        let token =
            switch what {
            case "expired": try await fixture.invitation(lifetime: -1)
            case "used up": try await fixture.invitation(uses: 0)
            case "a registration access token": try await fixture.registered().token
            case "unknown": Base64URL.encode(Randomness.system.bytes(32))
            case "NUL": "a\0b"
            default: try await fixture.invitation()
            }
        let headers: HTTPFields =
            what == "none" ? [:] : [.authorization: "\(["Basic", "DPoP"].contains(what) ? what : "Bearer") \(token)"]

        let reply = try await fixture.server.post(
            "/register", json: .object(RegistrationFixture.usual), headers: headers)

        #expect(reply.outcome == "401 invalid_token")
        #expect(reply.headers[values: .wwwAuthenticate].contains { $0.hasPrefix("Bearer ") })
    }

    @Test("group 55: initial token reuse: as many clients as it has uses, and a refused registration is none")
    func uses() async throws {
        let fixture = try fixture, token = try await fixture.invitation(uses: 2)

        #expect(
            try await fixture.ask(
                RegistrationFixture.usual.with(["redirect_uris": ["javascript:alert(1)"]]), token: token
            ).outcome == "400 invalid_redirect_uri")
        #expect(try await fixture.ask(RegistrationFixture.usual, token: token).outcome == "201")
        #expect(try await fixture.ask(RegistrationFixture.usual, token: token).outcome == "201")
        #expect(try await fixture.ask(RegistrationFixture.usual, token: token).outcome == "401 invalid_token")
    }

    @Test("group 55: mass registration: of twenty who register at once with a token for one, one does")
    func race() async throws {
        let fixture = try fixture, token = try await fixture.invitation(), name = "race \(UUID())"

        let outcomes = try await crowd(20) { _ in
            try await fixture.ask(RegistrationFixture.usual.with(["client_name": .string(name)]), token: token).outcome
        }

        #expect(
            outcomes.filter { $0 == "201" }.count == 1 && outcomes.filter { $0 == "401 invalid_token" }.count == 19,
            "\(outcomes)")
        let made: Int = try await fixture.server.database.value("select count(*) from client where name = \(name)")
        #expect(made == 1)
    }

    @Test("an initial access token is for what its policy says, when registering and ever after")
    func policy() async throws {
        let fixture = try fixture,
            narrow = RegistrationPolicy(grantTypes: ["client_credentials", Self.exchange], scopes: ["read", "openid"])
        func told(_ changes: JSONObject) async throws -> Reply {
            let body: JSONObject = ["grant_types": ["client_credentials"]]
            return try await fixture.ask(body.with(changes), policy: narrow)
        }
        func ask(_ changes: JSONObject) async throws -> String { try await told(changes).outcome }

        #expect(try await ask([:]) == "201")
        #expect(try await ask(["scope": "openid read"]) == "201")
        #expect(try await told(["scope": "read email"])["scope"] == "read")
        #expect(try await ask(["grant_types": ["client_credentials", .string(Self.exchange)]]) == "201")
        #expect(
            try await ask([
                "grant_types": ["authorization_code"], "redirect_uris": [.string(RegistrationFixture.redirect)],
            ]) == "400 invalid_client_metadata")
        #expect(
            try await fixture.ask(["grant_types": [.string(Self.exchange)]]).outcome == "400 invalid_client_metadata",
            "exchange is for those who are told so")
        let client = RegisteredClient(
            server: fixture.server,
            reply: try await fixture.ask(["grant_types": ["client_credentials"], "scope": "read"], policy: narrow))
        #expect(
            try await client.manage(
                .put, ["client_id": .string(client.id), "grant_types": ["client_credentials"], "scope": "read openid"]
            ).outcome == "200")
        #expect(
            try await client.manage(
                .put,
                [
                    "client_id": .string(client.id), "grant_types": ["client_credentials"],
                    "scope": "email read",
                ]
            )["scope"] == "read")
        #expect(
            try await client.update().outcome == "400 invalid_client_metadata",
            "authorization_code is none of its grants")
    }

    @Test("an invitation for what is not offered cannot be made")
    func unknownPolicy() async throws {
        let fixture = try fixture

        await #expect(throws: WebClientStore.Unacceptable.self) {
            try await fixture.invitation(policy: .init(grantTypes: ["password"]))
        }
        await #expect(throws: WebClientStore.Unacceptable.self) {
            try await fixture.invitation(policy: .init(scopes: ["two words"]))
        }
        await #expect(throws: WebClientStore.Unacceptable.self) {
            try await fixture.invitation(policy: .init(scopes: ["ünïcode"]))
        }
    }

    @Test("a registered machine gets tokens with its secret, and is told apart by client_id")
    func works() async throws {
        let client = try await fixture.registeredMachine(["scope": "email offline_access"])

        let reply = try await client.askToken()

        #expect(reply.outcome == "200" && claims(of: reply.accessToken)["sub"] == .string(client.id))
    }

    @Test("who registered what with which invitation is in the audit trail; neither secret nor token is anywhere in it")
    func audited() async throws {
        let client = try await fixture.registered()
        _ = try await client.update(["client_name": "Other", "default_max_age": 5])
        _ = try await client.manage(.delete)

        let rows = try await client.server.database.query(
            "select actor, action, detail::text as detail from audit where node = \("client:\(client.id)") order by id")

        let told: [[String]] = try rows.map { [try $0("action"), try $0("actor")] }
        #expect(told.map(\.first) == ["clients.register", "clients.update", "revoke", "clients.delete"])
        #expect(told.first?.last?.hasPrefix("invitation:") == true && told.last?.last == "client:\(client.id)")
        let detail: String = try rows[1]("detail")
        #expect(detail.contains("client_name") && detail.contains("default_max_age") && !detail.contains("Other"))
        let leaked: Int = try await client.server.database.value(
            """
            select count(*) from audit a where strpos(a::text, \(client.token)) > 0
                or strpos(a::text, \(client.secret)) > 0
            """)
        #expect(leaked == 0)
    }

    @Test("of secrets and tokens the database holds hashes alone")
    func hashed() async throws {
        let client = try await fixture.registered()

        let row: String = try await client.server.database.value("select c::text from client c where id = \(client.id)")

        #expect(!row.contains(client.secret) && !row.contains(client.token) && row.contains("client.example"))
    }

    @Test("nor is any of them in the log, at trace level")
    func logged() async throws {
        let log = CapturedLog()
        try await TestServer.with(logger: log.logger) { server in
            let fixture = RegistrationFixture(server: server), invitation = try await fixture.invitation(uses: 2)
            let client = RegisteredClient(
                server: server, reply: try await fixture.ask(RegistrationFixture.usual, token: invitation))
            _ = try await client.update(["client_secret": .string(client.secret)])
            _ = try await client.update(["client_secret": "wrong-but-secret-all-the-same"])
            _ = try await client.manage(.get, token: "another-secret-token")
            _ = try await client.manage(.delete)
            _ = try await fixture.ask(RegistrationFixture.usual.with(["redirect_uris": .null]), token: invitation)

            #expect(
                log.text.contains("refused") && log.text.contains("insert into client"),
                "the log was captured, at trace level")
            for secret in [
                invitation, client.secret, client.token, "wrong-but-secret-all-the-same", "another-secret-token",
            ] {
                #expect(secret.count > 16 && !log.text.contains(secret))
            }
        }
    }

    @Test("a database that is away is no refusal of a token")
    func away() async throws {
        let client = try await fixture.registered(), invitation = try await fixture.invitation()

        try await client.server.withoutDatabase { away in
            let lost = RegisteredClient(server: away, reply: client.reply)
            let replies = [
                try await RegistrationFixture(server: away).ask(RegistrationFixture.usual, token: invitation),
                try await lost.manage(.get), try await lost.update(), try await lost.manage(.delete),
            ]
            #expect(Set(replies.map(\.outcome)) == ["503 temporarily_unavailable"])
        }
        #expect(try await client.manage(.get).outcome == "200")
    }

    @Test("JSON is the only body", arguments: ["application/x-www-form-urlencoded", "text/plain", nil])
    func mediaType(_ type: String?) async throws {
        let fixture = try fixture
        var headers: HTTPFields = [.authorization: "Bearer \(try await fixture.invitation())"]
        headers[.contentType] = type

        let reply = try await fixture.server.send(
            .post, "/register", headers: headers, body: JSONValue.object(RegistrationFixture.usual).bytes)

        #expect(reply.outcome == "415 unsupported_media_type")
    }

    @Test("the token is looked at before the body")
    func order() async throws {
        let reply = try await fixture.server.send(
            .post, "/register", headers: [.contentType: "text/plain"], body: Array("x".utf8))

        #expect(reply.outcome == "401 invalid_token")
    }
}
