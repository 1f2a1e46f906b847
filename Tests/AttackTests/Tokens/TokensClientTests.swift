import Base
import Foundation
import HTTPTypes
import Registration
import TestSupport
import Testing

/// Who says to be a client. The same code, shown right, is redeemed in every case.
@Suite("Attacks on the token endpoint: client authentication (groups 21 to 23)", .server, .serialized)
struct TokensClientTests {
    private func redeem(
        _ server: TestServer, _ code: String, _ more: KeyValuePairs<String, String?> = [:], headers: HTTPFields = [:],
        query: String = ""
    ) async throws -> Reply {
        let fields =
            [
                ("grant_type", "authorization_code"), ("code", code), ("code_verifier", Phone.verifier),
                ("redirect_uri", Browser.callback),
            ] + more.compactMap { pair in pair.value.map { (pair.key, $0) } }
        return try await server.send(
            .post, "/token\(query)", headers: headers.and(.contentType, "application/x-www-form-urlencoded"),
            body: Array(FormCodec.write(fields).utf8))
    }

    private func basic(_ text: String) -> HTTPFields { basic(Array(text.utf8)) }
    private func basic(_ bytes: [UInt8]) -> HTTPFields {
        [.authorization: "Basic \(Data(bytes).base64EncodedString())"]
    }

    // MARK: Group 21

    @Test(
        "group 21: two ways of authentication at once are refused, though each were right",
        arguments: ["secret", "assertion", "secret and assertion", "another client_id", "two headers", "two secrets"])
    func twoWays(_ what: String) async throws {
        let scene = try await AuthorizationScene.ready(), app = scene.app, code = try await scene.code(),
            type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
        let assertion = try assertion(of: scene.server)
        let reply =
            switch what {
            case "secret":
                try await redeem(
                    scene.server, code, ["client_id": app.id, "client_secret": app.secret], headers: app.basic)
            case "assertion":
                try await redeem(
                    scene.server, code, ["client_assertion": assertion, "client_assertion_type": type],
                    headers: app.basic)
            case "secret and assertion":
                try await redeem(
                    scene.server, code,
                    [
                        "client_id": app.id, "client_secret": app.secret, "client_assertion": assertion,
                        "client_assertion_type": type,
                    ])
            case "another client_id":
                try await redeem(
                    scene.server, code, ["client_id": scene.server.residents.machine.id], headers: app.basic)
            case "two secrets": try await redeem(scene.server, code, ["client_secret": app.secret], headers: app.basic)
            default:
                try await redeem(
                    scene.server, code,
                    headers: {
                        var headers = app.basic
                        headers.append(
                            HTTPField(
                                name: .authorization,
                                value: "Basic \(Data("\(app.id):other".utf8).base64EncodedString())"))
                        return headers
                    }())
            }

        #expect(
            ["400 invalid_request", "401 invalid_client"].contains(reply.outcome) && reply.accessToken == "",
            "\(reply.body)")
        #expect(try await app.redeem(code).outcome == "200")
    }

    /// By a machine that is registered for it.
    private func assertion(of server: TestServer) throws -> String {
        let (id, key) = server.residents.signer
        return try key.sign(
            [
                "iss": .string(id), "sub": .string(id), "aud": .string(ServerParts.root), "iat": .integer(server.now),
                "exp": .integer(server.now + 60),
                "jti": .string(UUID().uuidString),
            ], header: ["kid": "signer"])
    }

    /// Of id and secret: what stands in the Basic header instead.
    struct Header: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let value: @Sendable (String, String) -> String

        init(_ what: String, _ value: @escaping @Sendable (String, String) -> String) {
            (testDescription, self.value) = (what, value)
        }

        static func pair(_ what: String, _ text: @escaping @Sendable (String, String) -> String) -> Header {
            Header(what) { "Basic " + Data(text($0, $1).utf8).base64EncodedString() }
        }
        static func bytes(_ what: String, _ bytes: @escaping @Sendable (String, String) -> [UInt8]) -> Header {
            Header(what) { "Basic " + Data(bytes($0, $1)).base64EncodedString() }
        }
    }

    @Test(
        "group 21: a Basic header that is loosely written is nobody's",
        arguments: [
            .pair("no secret") { id, _ in id }, .pair("an empty secret") { id, _ in id + ":" },
            .pair("an empty id") { ":" + $1 }, .pair("nothing but a colon") { _, _ in ":" },
            .pair("nothing") { _, _ in "" },
            .pair("a percent sign that encodes nothing") { "\($0):\($1)%" },
            .pair("half an escape") { "\($0):\($1)%4" }, .pair("an escape of no digits") { "\($0):%ZZ\($1)" },
            .pair("a plus, which is a blank") { "\($0):\($1)+" }, .pair("a plus before") { "+\($0):\($1)" },
            .pair("a blank before") { " \($0):\($1)" }, .pair("a line end behind") { "\($0):\($1)\r\n" },
            .pair("an escaped NUL behind the id") { "\($0)%00:\($1)" },
            .pair("an escaped NUL behind the secret") { "\($0):\($1)%00" }, .pair("a NUL") { "\($0)\0:\($1)" },
            .pair("a NUL behind") { "\($0):\($1)\0" },
            .pair("an escaped colon") { "\($0)%3A\($1)" },
            .pair("encoded twice") { "\($0):" + $1.utf8.map { "%25" + String($0, radix: 16) }.joined() },
            .pair("the secret in other letters") { "\($0):\($1.uppercased())" },
            .pair("a wildcard") { "%:\($1)" }, .pair("SQL") { "' or ''=':\($1) -- \($0)" },
            .pair("an id of 70 kB") { _, secret in String(repeating: "a", count: 70_000) + ":" + secret },
            .bytes("no UTF-8") { Array($0.utf8) + [0xFF, 0x3A] + Array($1.utf8) },
            .bytes("an overlong NUL") { Array("\($0):\($1)".utf8) + [0xC0, 0x80] },
            Header("no base64") { "Basic \($0):\($1)" },
            Header("blanks inside") { id, secret in
                let text = Data("\(id):\(secret)".utf8).base64EncodedString()
                return "Basic \(text.prefix(8)) \(text.dropFirst(8))"
            },
            Header("something behind") { "Basic \(Data("\($0):\($1)".utf8).base64EncodedString()), Basic x" },
            Header("another scheme") { "Digest \(Data("\($0):\($1)".utf8).base64EncodedString())" },
            Header("the secret as a bearer token") { "Bearer \($1)" }, Header("no value") { _, _ in "Basic" },
            Header("a trailing pad") { "Basic \(Data("\($0):\($1)".utf8).base64EncodedString())====" },
        ] as [Header])
    func loose(_ header: Header) async throws {
        let scene = try await AuthorizationScene.ready(), code = try await scene.code()

        let reply = try await redeem(
            scene.server, code, headers: [.authorization: header.value(scene.app.id, scene.app.secret)])

        #expect(["401 invalid_client", "401 invalid_token"].contains(reply.outcome), "\(reply.body)")
        #expect(try await scene.app.redeem(code).outcome == "200")
    }

    @Test(
        "group 21: what is rightly encoded is read: percent escapes of any letter, the scheme in any case",
        arguments: ["Basic", "basic", "BASIC"])
    func encoded(_ scheme: String) async throws {
        let scene = try await AuthorizationScene.ready(), code = try await scene.code()
        let escaped = [scene.app.id, scene.app.secret].map { $0.utf8.map { "%" + String($0, radix: 16) }.joined() }
            .joined(separator: ":")

        #expect(
            try await redeem(
                scene.server, code, headers: [.authorization: "\(scheme) \(Data(escaped.utf8).base64EncodedString())"]
            ).outcome == "200")
    }

    @Test("group 21: a secret in the query authenticates nobody", arguments: [WebClient.AuthMethod.basic, .post])
    func secretInQuery(_ method: WebClient.AuthMethod) async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(method: method),
            scene = try await AuthorizationScene.ready(app), code = try await scene.code()
        let query = "?" + FormCodec.write([("client_id", app.id), ("client_secret", app.secret)])

        #expect(try await redeem(server, code, query: query).outcome == "401 invalid_client")
        #expect(try await redeem(server, code, ["client_id": app.id], query: query).outcome == "401 invalid_client")
        let tokens = try await redeem(
            server, code, method == .post ? ["client_id": app.id, "client_secret": app.secret] : [:],
            headers: method == .basic ? app.basic : [:])
        #expect(tokens.outcome == "200")
        for path in ["/introspect", "/revoke"] {
            #expect(try await server.post(path + query, ["token": tokens.refreshToken]).outcome == "401 invalid_client")
        }
    }

    // MARK: Group 22

    private static let methods: [WebClient.AuthMethod] = [.basic, .post, .privateKeyJWT, .none]

    @Test(
        """
        group 22: a client authenticates as it registered, and in no weaker or other way; a secret is one, by Basic \
        and in the body
        """, arguments: methods, methods)
    func downgrade(_ registered: WebClient.AuthMethod, _ used: WebClient.AuthMethod) async throws {
        let server = try TestServer.ofSuite, key = PhoneKey()
        let app = try await server.webApp(
            method: registered, jwks: registered == .privateKeyJWT ? ["keys": [key.jwk(kid: "k")]] : nil)
        // Secrets that it has, or that somebody guesses it has.
        let code = try await code(of: app), secret = app.secret.isEmpty ? "guess" : app.secret
        func assertion(_ alg: String) throws -> String {
            let body: JSONObject = [
                "iss": .string(app.id), "sub": .string(app.id), "aud": .string(ServerParts.root),
                "iat": .integer(server.now), "exp": .integer(server.now + 60), "jti": .string(UUID().uuidString),
            ]
            guard alg == "HS256" else { return try key.sign(body, header: ["kid": "k"]) }
            let input =
                Base64URL.encode(Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8)) + "."
                + Base64URL.encode(JSONValue.object(body).bytes)
            return input + "." + Base64URL.encode(Digest.hmac(key: SecretBytes(Array(secret.utf8)), input.utf8))
        }
        func by(_ jwt: String) async throws -> Reply {
            try await redeem(
                server, code,
                [
                    "client_assertion": jwt,
                    "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                    "client_id": app.id,
                ])
        }
        func ask(_ used: WebClient.AuthMethod) async throws -> [Reply] {
            switch used {
            case .basic:
                let shown = try await redeem(server, code, headers: basic("\(app.id):\(secret)"))
                // With an empty one a public client says its name.
                guard registered != .none else { return [shown] }
                return [shown, try await redeem(server, code, headers: basic("\(app.id):"))]
            case .post: return [try await redeem(server, code, ["client_id": app.id, "client_secret": secret])]
            case .privateKeyJWT: return [try await by(try assertion("ES256")), try await by(try assertion("HS256"))]
            default: return [try await redeem(server, code, ["client_id": app.id]), try await redeem(server, code)]
            }
        }

        let isAsGood = registered == used || Set([registered, used]).isSubset(of: [.basic, .post])
        if !isAsGood {
            for reply in try await ask(used) { #expect(reply.outcome == "401 invalid_client", "\(reply.body)") }
        }

        #expect(try await ask(isAsGood ? used : registered)[0].outcome == "200")
    }

    private func code(of app: WebApp) async throws -> String {
        try #require(try await Browser(app.server).signIn(AuthorizationDraft(app.id)).answer["code"])
    }

    @Test(
        "group 22: a client of TLS certificates gets nothing without one",
        arguments: [WebClient.AuthMethod.tls, .selfSignedTLS])
    func withoutCertificate(_ method: WebClient.AuthMethod) async throws {
        let server = try TestServer.ofSuite, key = PhoneKey()
        let app = try await server.webApp(
            method: method, jwks: method == .selfSignedTLS ? ["keys": [key.jwk(kid: "k")]] : nil
        ) { if method == .tls { $0.certificateName = .dns("rp.example.org") } }
        let code = try await code(of: app)

        let told = ["X-Client-Cert", "Client-Cert", "X-SSL-Client-S-DN"].compactMap { name in
            HTTPField.Name(name).map { HTTPFields([HTTPField(name: $0, value: ":YQ==:")]) }
        }
        for headers in [[:], basic("\(app.id):guess"), basic("\(app.id):")] + told {
            #expect(try await redeem(server, code, ["client_id": app.id], headers: headers).status == 401)
        }
    }

    // MARK: Group 23

    @Test(
        "group 23: a public client may not look at tokens, not even its own, by its name",
        arguments: ["/introspect", "/token/validate"], ["name", "empty secret", "guessed secret", "Basic"])
    func publicClient(_ path: String, _ how: String) async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(method: .none),
            tokens = try await app.logIn(Browser(server))
        for token in [tokens.accessToken, tokens.refreshToken, "unknown"] {
            let reply = try await server.post(
                path,
                [
                    "token": token, "jti": tokens.jti, "client_id": how == "Basic" ? nil : app.id,
                    "client_secret": how == "guessed secret" ? "guess" : how == "empty secret" ? "" : nil,
                ],
                headers: how == "Basic" ? basic("\(app.id):") : [:])

            #expect(reply.outcome == "401 invalid_client" && reply[header: "WWW-Authenticate"] != nil, "\(reply.body)")
        }
        #expect(try await app.userInfo(tokens.accessToken).outcome == "200")
        #expect(try await app.refresh(tokens.refreshToken).outcome == "200")
    }

    @Test("group 23: a public client ends a token of its own by its name and the token", arguments: [true, false])
    func publicRevocation(_ byBasic: Bool) async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(method: .none), browser = Browser(server),
            tokens = try await app.logIn(browser), others = try await app.logIn(browser)
        func revoke(_ token: String) async throws -> Reply {
            try await server.post(
                "/revoke", ["token": token, "client_id": byBasic ? nil : app.id],
                headers: byBasic ? basic("\(app.id):") : [:])
        }

        #expect(try await revoke(tokens.refreshToken).outcome == "200")

        #expect(try await app.userInfo(tokens.accessToken).outcome == "401 invalid_token")
        #expect(try await app.refresh(tokens.refreshToken).outcome == "400 invalid_grant")
        #expect(try await app.userInfo(others.accessToken).outcome == "200", "another login lives on")
        #expect(try await revoke(others.accessToken).outcome == "200")
        #expect(try await app.userInfo(others.accessToken).outcome == "401 invalid_token")
    }

    @Test(
        "group 23: and none of another's, whose name it knows or not; who has a secret is not public",
        arguments: ["another's token", "in another's name", "unknown name", "a guessed secret", "a node", "no name"])
    func foreignRevocation(_ what: String) async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(method: .none),
            secretive = try await server.webApp(), tokens = try await app.logIn(Browser(server)),
            others = try await secretive.logIn(Browser(server)), phone = try await Phone.registered(in: server)

        let (parameters, headers, outcome): (KeyValuePairs<String, String?>, HTTPFields, String) =
            switch what {
            case "another's token": (["token": others.refreshToken, "client_id": app.id], [:], "200")
            case "in another's name":
                (["token": others.refreshToken, "client_id": secretive.id], [:], "401 invalid_client")
            case "unknown name": (["token": tokens.refreshToken, "client_id": "unknown"], [:], "401 invalid_client")
            case "a guessed secret": (["token": tokens.refreshToken], basic("\(app.id):guess"), "401 invalid_client")
            case "a node": (["token": tokens.jti, "client_id": app.id, "token_type_hint": "jti"], [:], "200")
            default: (["token": tokens.refreshToken], [:], "401 invalid_client")
            }
        let reply = try await server.post("/revoke", parameters, headers: headers)
        let instance = try await server.post("/revoke", ["token": phone.instance.accessToken, "client_id": app.id])

        #expect(reply.outcome == outcome && instance.outcome == "200", "silent (RFC 7009, 2.2): \(reply.body)")
        #expect(try await app.userInfo(tokens.accessToken).outcome == "200")
        #expect(try await secretive.userInfo(others.accessToken).outcome == "200")
        #expect(try await phone.logIn().outcome == "200", "a phone's token is not an application's to end")
    }

    @Test("group 23: who shows a token is its holder, whatever name stands beside it")
    func holderBeforeName() async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(method: .none), browser = Browser(server),
            tokens = try await app.logIn(browser), others = try await app.logIn(browser)
        let held: HTTPFields = [.authorization: "Bearer \(tokens.accessToken)"]

        #expect(
            try await server.post("/revoke", ["token": others.refreshToken, "client_id": app.id], headers: held).outcome
                == "200")
        #expect(try await app.userInfo(others.accessToken).outcome == "200")
    }

    @Test("group 23: metadata say that public clients revoke, and that none introspects")
    func metadata() async throws {
        let document = try await TestServer.ofSuite.get("/.well-known/oauth-authorization-server").json
        func methods(_ name: String) -> [String] { document["\(name)_endpoint_auth_methods_supported"]?.strings ?? [] }

        #expect(methods("revocation").contains("none") && methods("token").contains("none"))
        #expect(!methods("introspection").isEmpty && !methods("introspection").contains("none"))
    }

    @Test("group 23: whoever holds a token may end it and what is below, by showing it")
    func byHolding() async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(method: .none),
            tokens = try await app.logIn(Browser(server)), others = try await app.logIn(Browser(server))

        #expect(
            try await server.post(
                "/revoke", ["token": others.refreshToken], headers: [.authorization: "Bearer \(tokens.accessToken)"]
            ).outcome == "200", "silent (RFC 7009, 2.2)")
        #expect(try await app.userInfo(others.accessToken).outcome == "200", "and without effect: it is not its own")
        #expect(
            try await server.post(
                "/revoke", ["token": tokens.refreshToken], headers: [.authorization: "Bearer \(tokens.accessToken)"]
            ).outcome == "200")
        #expect(try await app.userInfo(tokens.accessToken).outcome == "401 invalid_token")
    }
}
