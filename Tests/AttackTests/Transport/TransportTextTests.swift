import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// Text that costs more than it is long, or that two readers take for different things.
@Suite("Attacks by text: hashes, patterns, normal forms and NUL (group 59)", .server)
struct TransportTextTests {
    /// Swift's tables are seeded anew in every process, so names that collide here are not known to anybody; thousands
    /// with one prefix are as good as any.
    @Test(
        "group 59: thousands of names that are alike are read like others, and twice the same is refused",
        arguments: [8, 16])
    func names(_ width: Int) async throws {
        let server = try TestServer.ofSuite,
            names = (0..<3_000).map { number in
                String((0..<width).map { number >> $0 & 1 == 0 ? "A" : "\u{61}" }) + "\(number)"
            }
        let body = names.map { "\($0)=" }.joined(separator: "&")
        try #require(body.utf8.count < 65_536)
        #expect(
            try await server.send(
                .post, "/token", headers: [.contentType: "application/x-www-form-urlencoded"], body: Array(body.utf8)
            ).outcome == "400 invalid_request")
        #expect(
            try await server.send(
                .post, "/token", headers: [.contentType: "application/x-www-form-urlencoded"],
                body: Array((body + "&\(names[0])=").utf8))["error_description"]?.contains("twice") == true)
    }

    private static let patterns = [
        String(repeating: "a", count: 30_000) + "!", String(repeating: "a ", count: 15_000) + "\u{1}",
        String(repeating: "https://", count: 3_000), "https://" + String(repeating: "a.", count: 15_000) + "example",
        "http://127.0.0.1:" + String(repeating: "9", count: 30_000),
        "https://rp.example.org/" + String(repeating: "%2e%2e/", count: 4_000), String(repeating: "(", count: 30_000),
        String(repeating: "\u{301}", count: 14_000), String(repeating: "x:", count: 15_000),
        "[" + String(repeating: ":", count: 30_000) + "]",
    ]

    @Test(
        """
        group 59: no pattern hangs on text made for it: scope, redirect_uri, resource, verifier, challenge, \
        client_id, user code and the rest
        """,
        arguments: patterns.indices)
    func hanging(_ index: Int) async throws {
        let server = try TestServer.ofSuite, text = TransportTextTests.patterns[index], app = try await server.webApp()
        for name in [
            "scope", "redirect_uri", "resource", "code_challenge", "state", "nonce", "prompt", "max_age", "claims",
            "acr_values", "ui_locales", "login_hint", "dpop_jkt", "request", "request_uri", "response_mode",
            "id_token_hint",
        ] {
            let draft = AuthorizationDraft(app.id, changes: [name: text]),
                reply = try await server.post("/par", KeyValuePairs(draft, name: name), headers: app.basic)
            #expect(
                [201, 400].contains(reply.status) || reply.status == 413,
                "\(name): \(reply.status) \(reply.body.prefix(200))")
        }
        for (name, path) in [
            ("code", "/token"), ("code_verifier", "/token"), ("redirect_uri", "/token"), ("token", "/introspect"),
            ("token_type_hint", "/revoke"), ("scope", "/device_authorization"),
        ] {
            let reply = try await server.post(
                path,
                [
                    "grant_type": "authorization_code", "code": name == "code" ? text : "x",
                    "code_verifier": name == "code_verifier" ? text : Phone.verifier,
                    "redirect_uri": name == "redirect_uri" ? text : nil,
                    "token": name == "token" ? text : "x", "token_type_hint": name == "token_type_hint" ? text : nil,
                    "scope": name == "scope" ? text : nil,
                ], headers: app.basic)
            #expect(reply.status < 500, "\(name): \(reply.status) \(reply.body.prefix(200))")
        }
        for path in [
            "/device?user_code=", "/login?return_to=", "/authorize?continue=", "/logout?post_logout_redirect_uri=",
            "/register/",
        ] {
            #expect(try await Browser(server).open(.get, path + FormCodec.encode(text)).status < 500, "\(path)")
        }
        let registered = try await OperationsFixture.register(
            server,
            ["client_name": "x", "redirect_uris": [.string(text)], "scope": .string(text), "contacts": [.string(text)]])
        #expect(registered.status == 400 || registered.status == 413, "\(registered.body.prefix(200))")
    }

    /// Names in other spellings of Unicode than the one that was registered.
    @Test(
        "group 59: no other spelling of a username is that person's",
        arguments: [
            "ａｄａ", "ad\u{430}", "ada\u{200B}", "\u{FEFF}ada", "ada ", "a\u{301}da", "ada\u{0}", "ﾠada", "ad\u{AA}",
            "\u{1D41A}da", "ada\u{34F}", "%61da", "ada@example.org",
        ])
    func usernames(_ name: String) async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), reply = try await phone.logInForCode(as: name)
        #expect(
            ["403 access_denied", "400 invalid_request", "401 access_denied"].contains(reply.outcome), "\(reply.body)")
    }

    @Test(
        "group 59: no other spelling of a client_id is that client",
        arguments: ["upper", "full-width", "combining", "blank", "NUL", "zero width", "pattern", "percent"])
    func clients(_ what: String) async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(),
            id: String =
                switch what {
                case "upper": app.id.uppercased() == app.id ? app.id.lowercased() : app.id.uppercased()
                case "full-width": app.id.applyingTransform(.fullwidthToHalfwidth, reverse: true) ?? ""
                case "combining": app.id + "\u{301}"
                case "blank": app.id + " "
                case "NUL": app.id + "\0"
                case "zero width": app.id + "\u{200B}"
                case "pattern": "%"
                default: app.id.utf8.map { "%" + String($0, radix: 16) }.joined()
                }
        try #require(id != app.id)
        #expect(
            [400, 401].contains(
                try await server.post(
                    "/token", ["grant_type": "client_credentials", "client_id": id, "client_secret": app.secret]
                ).status))
        #expect(
            try await server.post(
                "/introspect", ["token": "x"],
                headers: [.authorization: "Basic \(Data("\(id):\(app.secret)".utf8).base64EncodedString())"]
            ).status == (what == "percent" ? 200 : 401), "Basic is percent-encoded")
        #expect(try await Browser(server).open(.get, AuthorizationDraft(id).path).status == 400)
    }

    // MARK: NUL

    private static let places: [(String, [String])] = [
        (
            "/token",
            [
                "grant_type", "code", "refresh_token", "code_verifier", "redirect_uri", "client_id", "client_secret",
                "client_assertion", "client_assertion_type", "scope", "resource", "device_code", "assertion",
                "subject_token", "extra",
            ]
        ),
        ("/introspect", ["token", "token_type_hint", "client_id"]), ("/revoke", ["token", "token_type_hint"]),
        (
            "/par",
            [
                "client_id", "redirect_uri", "scope", "state", "nonce", "login_hint", "claims", "acr_values",
                "code_challenge",
            ]
        ),
        ("/device_authorization", ["client_id", "scope"]),
        ("/authorize/challenge", ["username", "password", "code_challenge"]),
        ("/authorization", ["redirect_uri", "state"]), ("/token/validate", ["jti"]),
        ("/services/learn/token", ["assertion", "code", "client_id"]),
    ]

    @Test(
        "group 59: NUL is 400 in every parameter, as a form and as JSON, and never reaches the database",
        arguments: places.indices)
    func nul(_ index: Int) async throws {
        let server = try TestServer.ofSuite, (path, names) = TransportTextTests.places[index],
            app = try await server.webApp(), phone = try await Phone.registered(in: server)
        for name in names {
            for grant in name == "grant_type" ? [] : ["authorization_code", "refresh_token"] {
                let form = "grant_type=\(grant)&\(name)=a%00b"
                let reply = try await server.send(
                    .post, path,
                    headers: [
                        .contentType: "application/x-www-form-urlencoded",
                        .authorization: app.basic[.authorization] ?? "",
                    ], body: Array(form.utf8))
                #expect(reply.outcome == "400 invalid_request", "\(path) \(name): \(reply.status) \(reply.body)")
            }
            let json = "{\"\(name)\":\"a\\u0000b\"}"
            for headers in [app.basic, try phone.dpop(.post, path, token: phone.instance.accessToken)] {
                var headers = headers
                headers[.contentType] = "application/json"
                let reply = try await server.send(.post, path, headers: headers, body: Array(json.utf8))
                #expect(reply.outcome == "400 invalid_request", "\(path) \(name): \(reply.status) \(reply.body)")
            }
        }
    }

    @Test(
        "group 59: NUL in an address or a query is 400 or 404",
        arguments: [
            "/authorize?client_id=%00", "/authorize?continue=%00", "/login?request=%00", "/login?return_to=%00",
            "/consent?request=%00", "/device?user_code=%00", "/logout?id_token_hint=%00", "/register/%00",
            "/register/a%00b", "/%00", "/instances/%00", "/services/%00/token", "/account?done=%00", "/authorize?%00=x",
        ])
    func nulInPath(_ path: String) async throws {
        let server = try TestServer.ofSuite, browser = Browser(server)
        _ = try await browser.goOn(try await browser.follow(try await browser.open(.get, "/login")))
        for accept in ["text/html", "application/json"] {
            let reply = try await browser.open(.get, path, headers: [.accept: accept])
            #expect([303, 400, 401, 404, 405].contains(reply.status), "\(reply.status) \(reply.body.prefix(200))")
        }
        #expect(
            [400, 401, 404, 405].contains(
                try await server.send(.delete, path, headers: [.authorization: "Bearer x"]).status))
    }

    @Test(
        "group 59: NUL in what a client registers, or an app says of its device, is 400 or 401",
        arguments: ["client_name", "scope", "contacts", "client_uri", "policy_uri", "software_id", "redirect_uris"])
    func nulInRegistration(_ name: String) async throws {
        let server = try TestServer.ofSuite,
            value = ["contacts", "redirect_uris"].contains(name) ? "[\"https://a.example/\\u0000\"]" : "\"a\\u0000b\""
        let reply = try await server.send(
            .post, "/register",
            headers: [
                .authorization: "Bearer \(try await OperationsFixture.invitation(server))",
                .contentType: "application/json",
            ],
            body: Array(
                "{\"client_name\":\"x\",\"\(name)\":\(value)}".replacing(
                    "\"client_name\":\"x\",\"client_name\"", with: "\"client_name\""
                ).utf8))
        #expect(reply.status == 400, "\(reply.body)")
        for claim in ["name", "sub", "jti", "os_version", "extra"] {
            var draft = RegistrationDraft(server)
            draft.claims[claim] = "a\0b"
            #expect(try await draft.send().outcome == "401 invalid_client")
        }
    }
}

extension KeyValuePairs where Key == String, Value == String? {
    /// A draft with the one parameter that literals cannot name twice.
    fileprivate init(_ draft: AuthorizationDraft, name: String) {
        func value(_ name: String) -> String? { draft.parameters.first { $0.0 == name }?.1 }
        self = [
            "response_type": value("response_type"), "client_id": value("client_id"),
            "code_challenge_method": value("code_challenge_method"),
            "redirect_uri": value("redirect_uri"), "code_challenge": value("code_challenge"), "scope": value("scope"),
            ["redirect_uri", "code_challenge", "scope"].contains(name) ? "extra" : name: value(name),
        ]
    }
}
