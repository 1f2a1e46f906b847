import Base
import Database
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// Requests that are wrong in what they ask, by a person who is logged in and has agreed.
@Suite("Attacks on the authorization endpoint: requests (groups 5 to 8 and 14)", .server, .serialized)
struct AuthorizationRequestTests {
    // MARK: Group 5

    /// Each is an error of its own; none may move the browser while client or address are not verified.
    private static let faults: [KeyValuePairs<String, String?>] = [
        [:], ["scope": "admin"], ["response_type": "token"], ["response_type": nil], ["response_mode": "fragment"],
        ["code_challenge": nil], ["prompt": "none"], ["prompt": "none login"],
        ["request": "x.y.z"], ["request_uri": "https://evil.example/request.jwt"],
        ["request_uri": "urn:ietf:params:oauth:request_uri:unknown"], ["max_age": "-1"], ["claims": "{"],
        ["registration": "{}"], ["id_token_hint": "x"], ["resource": "https://evil.example"], ["dpop_jkt": "x"],
        ["error_uri": "https://evil.example/"], ["state": "https://evil.example/"],
    ]

    @Test(
        "group 5: nobody is redirected to an address that was not verified, whatever else is wrong",
        arguments: faults.indices)
    func group5Address(_ index: Int) async throws {
        let scene = try await AuthorizationScene.ready(), evil = "https://evil.example/collect"
        var draft = scene.draft(["redirect_uri": evil])
        for (name, value) in AuthorizationRequestTests.faults[index] { draft.set(name, value) }

        for reply in [try await scene.ask(draft), try await scene.askByForm(draft)] {
            #expect(reply.status == 400 && reply.location == nil && reply.problemCode != nil)
            #expect(
                !reply.body.contains("evil.example") && !reply.headers.contains { $0.value.contains("evil.example") },
                "the page does not even name it")
        }
    }

    @Test(
        "group 5: nobody is redirected for a client that is not known, whatever the address",
        arguments: ["unknown", "", "\u{0}", "admin' or '1'='1", String(repeating: "a", count: 5_000)],
        [Browser.callback, "https://evil.example/"])
    func group5Client(_ client: String, _ uri: String) async throws {
        let scene = try await AuthorizationScene.ready()

        let reply = try await scene.ask(scene.draft(["client_id": client, "redirect_uri": uri]))

        #expect(reply.isRefusedOnPage("invalid_request"))
    }

    @Test("group 5: a client that was deleted takes its addresses with it, also from a login that is under way")
    func group5Deleted() async throws {
        let server = try TestServer.ofSuite, scene = try await AuthorizationScene.ready(), under = Browser(server)
        let page = try #require(try await under.follow(try await under.open(.get, scene.draft().path)).page)

        try await server.database.execute("delete from client where id = \(scene.app.id)")

        #expect(try await scene.ask(scene.draft()).isRefusedOnPage("invalid_request"))
        #expect(
            try await under.submit(page, ["username": "ada", "password": Residents.password]).isRefusedOnPage(
                "invalid_request"))
    }

    @Test(
        "group 5: a client and address that are verified get the error, at the registered address alone",
        arguments: [
            (["scope": "admin"], "invalid_scope"), (["response_type": "token"], "unsupported_response_type"),
            (["response_type": nil], "invalid_request"),
            (["response_mode": "fragment"], "invalid_request"), (["code_challenge": nil], "invalid_request"),
            (["prompt": "none login"], "invalid_request"), (["prompt": "wat"], "invalid_request"),
            (["request": "x.y.z"], "invalid_request_object"),
            (["request_uri": "https://evil.example/request.jwt"], "request_uri_not_supported"),
            (["max_age": "-1"], "invalid_request"),
            (["claims": "{"], "invalid_request"), (["registration": "{}"], "invalid_request"),
            (["id_token_hint": "x"], "invalid_request"), (["resource": "https://evil.example"], "invalid_target"),
            (["dpop_jkt": "x"], "invalid_request"),
        ] as [(KeyValuePairs<String, String?>, String)])
    func group5Verified(_ fault: KeyValuePairs<String, String?>, _ code: String) async throws {
        let scene = try await AuthorizationScene.ready()

        let reply = try await scene.ask(scene.draft(fault))

        #expect(reply.isErrorTo(Browser.callback, code), "\(reply.location ?? reply.body)")
    }

    @Test("group 5: a pushed request is the pushing client's, and goes to one browser")
    func group5Pushed() async throws {
        let scene = try await AuthorizationScene.ready(), other = try await AuthorizationScene.ready()
        let uri = try #require(try await scene.push(scene.draft())["request_uri"])
        func ask(_ browser: Browser, _ client: String) async throws -> Reply {
            try await browser.open(
                .get,
                "/authorize?"
                    + FormCodec.write([
                        ("client_id", client), ("request_uri", uri), ("redirect_uri", "https://evil.example/"),
                    ]))
        }

        #expect(try await ask(other.browser, other.app.id).isRefusedOnPage("invalid_request"), "another client's")
        #expect(
            try await ask(scene.browser, scene.app.id).authorizationAnswer["code"] != nil,
            "what stands outside no longer counts (RFC 9126, 4)")
        #expect(try await ask(scene.browser, scene.app.id).isRefusedOnPage("invalid_request"), "used")
    }

    // MARK: Group 6

    private static let names = [
        "client_id", "redirect_uri", "state", "code_challenge", "code_challenge_method", "response_type", "scope",
        "nonce", "prompt", "%63lient_id", "redirect%5Furi",
    ]

    @Test(
        "group 6: a parameter that comes twice is refused on a page, be it with the same value", arguments: names,
        [true, false])
    func group6(_ name: String, _ isSame: Bool) async throws {
        let scene = try await AuthorizationScene.ready(), plain = name.removingPercentEncoding ?? name
        var draft = scene.draft()
        if !draft.parameters.contains(where: { $0.0 == plain }) { draft.set(plain, "login") }
        let value = draft.parameters.first { $0.0 == plain }?.1 ?? "", other = isSame ? value : value + "x"
        let doubled = FormCodec.write(draft.parameters) + "&\(name)=\(FormCodec.encode(other))",
            form: HTTPFields = [.contentType: "application/x-www-form-urlencoded"]

        let asked = try await scene.browser.open(.get, "/authorize?" + doubled)
        let posted = try await scene.server.send(.post, "/authorize", headers: form, body: Array(doubled.utf8))
        let both = try await scene.server.send(
            .post, "/authorize?\(name)=\(FormCodec.encode(other))", headers: form,
            body: Array(FormCodec.write(draft.parameters).utf8))
        let pushed = try await scene.server.send(
            .post, "/par", headers: scene.app.basic.with(form), body: Array(doubled.utf8))

        #expect(asked.isRefusedOnPage("invalid_request"))
        for reply in [posted, both, pushed] {
            #expect(reply.outcome == "400 invalid_request" && reply.location == nil, "\(reply.body)")
        }
    }

    @Test(
        "group 6: the same of a pushed request as JSON, and of a parameter that is no text",
        arguments: [
            #"{"client_id":"ID","client_id":"ID"}"#,
            #"{"redirect_uri":"URI","redirect\u005furi":"https://evil.example/"}"#,
            #"{"redirect_uri":["URI","https://evil.example/"]}"#,
            #"{"redirect_uri":{"0":"URI"}}"#, #"{"redirect_uri":7}"#,
        ])
    func group6JSON(_ shape: String) async throws {
        let scene = try await AuthorizationScene.ready()
        let members = scene.draft().parameters.filter { !shape.contains("\"\($0.0)\"") }.map {
            "\"\($0.0)\":\"\($0.1)\""
        }
        let open = shape.replacing("ID", with: scene.app.id).replacing("URI", with: Browser.callback).prefix { _ in true
        }.dropLast()
        let body = "\(open),\(members.joined(separator: ","))}"

        let reply = try await scene.server.send(
            .post, "/par", headers: scene.app.basic.with([.contentType: "application/json"]), body: Array(body.utf8))

        #expect(reply.outcome == "400 invalid_request", "\(reply.body)")
    }

    // MARK: Group 7

    @Test(
        "group 7: nothing but a code is given, and nothing in a fragment",
        arguments: [
            "token", "id_token", "code token", "token code", "code id_token", "id_token token", "code id_token token",
            "none", "Code", "CODE", "code ", " code", "code code", "code,token", "code+token",
        ])
    func group7(_ type: String) async throws {
        let scene = try await AuthorizationScene.ready()

        for reply in [
            try await scene.ask(scene.draft(["response_type": type])),
            try await scene.askByForm(scene.draft(["response_type": type])),
        ] {
            #expect(reply.isErrorTo(Browser.callback, "unsupported_response_type"), "\(reply.location ?? reply.body)")
        }
        #expect(try await scene.push(scene.draft(["response_type": type])).outcome == "400 unsupported_response_type")
    }

    @Test(
        "group 7: no other response mode is taken",
        arguments: [
            "fragment", "form_post", "web_message", "jwt", "query.jwt", "fragment.jwt", "Query", "query fragment", "#",
        ])
    func group7Mode(_ mode: String) async throws {
        let scene = try await AuthorizationScene.ready()

        #expect(
            try await scene.ask(scene.draft(["response_mode": mode])).isErrorTo(Browser.callback, "invalid_request"))
        #expect(
            try await scene.ask(scene.draft(["response_mode": mode, "response_type": "token"])).isErrorTo(
                Browser.callback, "unsupported_response_type"))
        #expect(try await scene.push(scene.draft(["response_mode": mode])).outcome == "400 invalid_request")
    }

    // MARK: Group 8

    private static let good = Phone.challenge
    private static let challenges: [(String?, String?)] = [
        (nil, "S256"), (nil, nil), ("", "S256"), (good, nil), (good, ""), (good, "plain"), (good, "s256"),
        (good, "S512"), (good, "S256 plain"), (good, "none"), (Phone.verifier, "plain"),
        (String(good.dropLast()), "S256"), (good + "A", "S256"), (good + "=", "S256"),
        (String(repeating: "A", count: 129), "S256"), (String(repeating: "A", count: 128), "S256"),
        (String(good.dropLast()) + "+", "S256"), (String(good.dropLast()) + "/", "S256"),
        (String(good.dropLast()) + "é", "S256"), (String(good.dropLast()) + "N", "S256"),
        (String(good.dropLast()) + " ", "S256"), (" " + good, "S256"), (good + "\n", "S256"),
        (String(good.dropLast()) + "\u{212A}", "S256"), (good.lowercased() + "=", "S256"),
    ]

    @Test("group 8: without a SHA-256 challenge in 43 letters there is no code", arguments: challenges.indices)
    func group8(_ index: Int) async throws {
        let (challenge, method) = AuthorizationRequestTests.challenges[index],
            scene = try await AuthorizationScene.ready()
        let draft = scene.draft(["code_challenge": challenge, "code_challenge_method": method])

        #expect(try await scene.ask(draft).isErrorTo(Browser.callback, "invalid_request"))
        #expect(try await scene.push(draft).outcome == "400 invalid_request")
    }

    @Test("group 8: nor for a phone", arguments: challenges.indices)
    func group8Instance(_ index: Int) async throws {
        let (challenge, method) = AuthorizationRequestTests.challenges[index],
            phone = try await Phone.registered(in: TestServer.ofSuite), path = "/authorize/challenge"

        let reply = try await phone.server.post(
            path,
            [
                "username": "ada", "password": Residents.password, "code_challenge": challenge,
                "code_challenge_method": method,
            ],
            headers: phone.dpop(.post, path, token: phone.instance.accessToken))

        #expect(reply.outcome == "400 invalid_request" && reply["authorization_code"] == nil, "\(reply.body)")
    }

    // MARK: Group 14

    static let wideScopes = [
        "admin", "admin root", "OPENID", "openid ｅmail",
        "openid\u{00A0}admin", "openid\u{2003}email", "openid\temail", "openid\nemail", "openid,email",
        "openid \"email\"", "openid \\", "openid e\u{0301}mail", "openid email\u{200B}", "*",
        (0..<10_000).map { "scope\($0)" }.joined(separator: " "),
    ]

    @Test(
        """
        group 14: a scope of which the client has nothing, that is none by its letters, or one of ten thousand is \
        invalid_scope
        """,
        arguments: wideScopes.indices)
    func group14(_ index: Int) async throws {
        let scope = AuthorizationRequestTests.wideScopes[index], scene = try await AuthorizationScene.ready()

        #expect(try await scene.ask(scene.draft(["scope": scope])).isErrorTo(Browser.callback, "invalid_scope"))
        #expect(
            ["400 invalid_scope", "413 too_large"].contains(try await scene.push(scene.draft(["scope": scope])).outcome)
        )
    }

    @Test("group 14: the same of a machine, a refresh and a device", arguments: wideScopes.indices)
    func group14Elsewhere(_ index: Int) async throws {
        let scope = AuthorizationRequestTests.wideScopes[index], server = try TestServer.ofSuite,
            refusals = ["400 invalid_scope", "413 too_large"]
        let app = try await server.webApp(grants: [
            "authorization_code", "refresh_token", "client_credentials", "urn:ietf:params:oauth:grant-type:device_code",
        ])
        let tokens = try await app.logIn(Browser(server))

        #expect(
            refusals.contains(
                try await server.post(
                    "/token", ["grant_type": "client_credentials", "scope": scope], headers: app.basic
                ).outcome))
        #expect(refusals.contains(try await app.refresh(tokens.refreshToken, scope: scope).outcome))
        #expect(
            refusals.contains(
                try await server.post("/device_authorization", ["scope": scope], headers: app.basic).outcome))
        #expect(try await app.refresh(tokens.refreshToken).outcome == "200", "the refused ones used nothing up")
    }

    @Test(
        "group 14: what is over the registration is not given, whatever is beside it (OpenID Connect Core, 3.1.2.1)",
        arguments: ["openid admin", "openid profile email offline admin", "admin openid OPENID * write"])
    func group14LeftOut(_ scope: String) async throws {
        let scene = try await AuthorizationScene.ready()
        let asked = scope.split(separator: " ").map(String.init)

        let reply = try await scene.app.redeem(try await scene.code(["scope": scope]))

        let given = asked.filter { ["openid", "profile", "email"].contains($0) }
        #expect(reply.outcome == "200" && reply["scope"] == given.joined(separator: " "), "\(reply.body)")
        #expect(try await scene.app.refresh(reply.refreshToken, scope: scope).outcome == "400 invalid_scope")
    }

    @Test(
        "group 14: a scope named many times is granted once, and blanks count for nothing",
        arguments: ["openid openid", "openid   email  openid", String(repeating: "openid ", count: 500)])
    func group14Repeated(_ scope: String) async throws {
        let scene = try await AuthorizationScene.ready()

        let reply = try await scene.app.redeem(try await scene.code(["scope": scope]))

        #expect(reply.outcome == "200" && ["openid", "openid email"].contains(reply["scope"]), "\(reply.body)")
    }
}

extension HTTPFields {
    /// With those of the other in place of the same of these.
    fileprivate func with(_ others: HTTPFields) -> HTTPFields { others.reduce(into: self) { $0[$1.name] = $1.value } }
}
