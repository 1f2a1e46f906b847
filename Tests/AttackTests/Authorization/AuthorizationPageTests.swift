import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// What a page lets a browser do, and what strangers' words on it can do.
@Suite("Attacks on the authorization endpoint: pages (groups 12 and 16)", .server, .serialized)
struct AuthorizationPageTests {
    // MARK: Group 12

    @Test("group 12: no page can be framed, scripted, stored, or told on, and its forms post here or to where it says")
    func headers() async throws {
        try await TestServer.with { server in
            let pages = try await AuthorizationGallery.hung(in: server, name: "Notes").pages

            #expect(pages.count > 25)
            for (name, page) in pages {
                let policy = page[header: "Content-Security-Policy"] ?? ""
                #expect(page[header: "Content-Type"] == "text/html; charset=utf-8", "\(name): \(page.status)")
                for directive in [
                    "default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'",
                ] { #expect(policy.contains(directive), "\(name)") }
                #expect(!policy.contains("unsafe") && !policy.contains("*"), "\(name)")
                // Our own script, and only where a passkey is asked for.
                #expect(
                    policy.hasPrefix("script-src 'self'; connect-src 'self'; default-src")
                        == page.body.contains("src=\"/assets/passkey.js?"), "\(name)")
                #expect(
                    policy.split(separator: ";").count(where: { $0.contains("script-src") && $0 != "script-src 'self'" }
                    ) == 0, "\(name)")
                #expect(
                    page[header: "X-Frame-Options"] == "DENY" && page[header: "X-Content-Type-Options"] == "nosniff"
                        && page[header: "Cache-Control"] == "no-store", "\(name)")
                // Not no-referrer: with that, browsers send `Origin: null` with our own forms (Fetch, 3.2). Nobody but
                // this server gets a Referer either way.
                #expect(page[header: "Referrer-Policy"] == "same-origin", "\(name)")
                #expect(page[header: "Access-Control-Allow-Origin"] == nil, "\(name)")
            }
        }
    }

    @Test("group 12: an answer that carries a code is not stored and sends no Referer, and comes by 303")
    func answers() async throws {
        let server = try TestServer.ofSuite
        let scene = try await AuthorizationScene.ready(try await server.webApp()),
            (open, _) = try await AuthorizationForm.consent.open(in: server)
        let answers = [
            try await scene.ask(scene.draft()), try await open.browser.open(.post, open.action, form: open.fields),
            try await scene.ask(scene.draft(["prompt": "none"])),
        ]

        for answer in answers {
            #expect(answer.status == 303 && answer.authorizationAnswer["code"] != nil && answer.body.isEmpty)
            #expect(answer[header: "Cache-Control"] == "no-store" && answer[header: "Referrer-Policy"] == "no-referrer")
        }
        let tokens = try await scene.app.redeem(answers[0].authorizationAnswer["code"])
        #expect(tokens[header: "Cache-Control"] == "no-store" && tokens[header: "Referrer-Policy"] == "no-referrer")
    }

    @Test(
        "group 12: after a form comes a GET: 303, never 307 or 308, which would repeat the password elsewhere",
        arguments: AuthorizationForm.allCases)
    func seeOther(_ form: AuthorizationForm) async throws {
        let server = try TestServer.ofSuite
        let (open, effect) = try await form.open(in: server)

        let reply = try await open.browser.open(.post, open.action, form: open.fields)

        #expect(reply.status == 303 || reply.status == 200 && reply.location == nil)
        #expect(try await effect.happened())
        let asked = try await open.browser.open(.post, "/authorize", form: AuthorizationDraft("unknown").parameters)
        #expect(asked.status == 303 && asked.location?.hasPrefix(ServerParts.root + "/authorize?") == true)
    }

    // MARK: Group 16

    /// Ends an attribute, with and without a mark that makes the quote another character to Swift; opens a tag; looks
    /// like a template.
    private static let evil = "\"'\"\u{301}'\u{301}><pando-canary onload=x>{{formToken}}"

    @Test("group 16: names, links, hints and codes of strangers stay text on every page")
    func markup() async throws {
        try await TestServer.with { server in
            let pages = try await AuthorizationGallery.hung(in: server, name: AuthorizationPageTests.evil).pages

            for (name, page) in pages {
                // Tags with their attributes, and attributes without their values.
                let tags = page.body.matches(of: #/<[^>]*>/#).map { String($0.0) },
                    bare = tags.map { $0.replacing(#/"[^"]*"/#, with: "") }
                // Our own script, as a file, is all that may be there.
                let others = page.body.replacing(
                    #/<script src="\/assets\/[a-z]+\.js\?v=[A-Za-z0-9_-]+" defer><\/script>/#, with: "")
                #expect(!page.body.contains("<pando-canary") && !others.contains("<script"), "\(name)")
                #expect(
                    !zip(page.body.unicodeScalars, page.body.unicodeScalars.dropFirst()).contains {
                        ["\"", "'"].contains($0) && $1 == "\u{301}"
                    }, "\(name)")
                #expect(!bare.contains { $0.contains(#/\son[a-z]+/#) }, "\(name)")
                #expect(
                    !tags.contains { $0.contains(#/(?:href|src|action)="(?!\/|https?:|data:image\/svg\+xml)/#) },
                    "\(name)")
                #expect(!page.headers.contains { $0.value.contains("pando-canary") }, "\(name)")
            }
            // Or else nothing was tested.
            let showing = Set(pages.filter { $0.reply.body.contains("&lt;pando-canary") }.map(\.name))
            #expect(
                showing.isSuperset(of: [
                    "attributes", "problem: a name that comes twice", "login", "login in German", "login refused",
                    "login paused", "login again", "consent", "account",
                    "device", "device, unknown code", "device, to allow", "logout",
                ]), "\(showing)")
        }
    }

    @Test(
        "group 16: a client cannot register links that run or lead inside",
        arguments: ["client_uri", "logo_uri", "policy_uri", "tos_uri"],
        [
            "javascript:alert(1)", "data:text/html,x", "vbscript:x", "//evil.example", "/logout",
            "https://x.example/\"onmouseover=x", "https://good.example@evil.example/",
        ])
    func links(_ name: String, _ link: String) async throws {
        let server = try TestServer.ofSuite
        let token = try await server.initialAccessToken()
        var document: JSONObject = ["client_name": "Evil", "redirect_uris": ["https://rp.example.org/callback"]]
        document[name] = .string(link)

        let reply = try await server.post(
            "/register", json: .object(document),
            headers: [.authorization: "Bearer \(token)"])

        #expect(reply.outcome == "400 invalid_client_metadata", "\(reply.body)")
    }

    private static let places = [
        "https://evil.example/", "//evil.example/", "///evil.example", "/\\evil.example", "\\\\evil.example",
        "https:evil.example", "/account@evil.example", "/account/../../evil", "/account//evil.example",
        "/account/passkeys/name", "/account/passkeys/name?passkey=", "/account/passkeys/name?passkey=//evil.example",
        "/account/passkeys/name?passkey=a&next=//evil.example", "/account/passkeys/name?passkey=\u{212A}",
        "/account/passkeys/remove?passkey=a",
        "/account?next=https://evil.example", "/account#evil", "javascript:alert(1)",
        "/account\r\nLocation: https://evil.example/", "/account\n", " /account", "/account/password/", "/logout",
        "/authorize?client_id=x", "/device?user_code=BCDF-GHJK&next=//evil.example", "/device?user_code=%2F%2Fevil",
        "/%61ccount", "account", "http://localhost:8080/account",
    ]

    @Test("group 16: a login leads to pages of this server alone, whatever return_to says")
    func returnTo() async throws {
        let server = try TestServer.ofSuite
        let stranger = Browser(server), known = Browser(server),
            page = try await stranger.open(.get, "/login?return_to=/account")
        _ = try await known.submit(
            try await known.open(.get, "/login?return_to=/account"),
            ["username": "ada", "password": Residents.password])
        try #require(try await known.isLoggedIn())
        for place in AuthorizationPageTests.places {
            let encoded = FormCodec.encode(place)

            for browser in [stranger, known] {
                #expect(
                    try await browser.open(.get, "/login?return_to=\(encoded)").isRefusedOnPage("invalid_request"),
                    "\(place)")
                #expect(
                    try await browser.open(.get, "/authorize?continue=\(encoded)").isRefusedOnPage("invalid_request"),
                    "\(place)")
            }
            let posted = try await stranger.submit(
                page, ["username": "ada", "password": Residents.password, "return_to": place])
            #expect([400, 403].contains(posted.status) && posted.location == nil, "\(place)")
        }
        #expect(try await !stranger.isLoggedIn())
        #expect(
            try await stranger.submit(page, ["username": "ada", "password": Residents.password]).location == ServerParts
                .root + "/account")
    }

    @Test("group 16: a logout leads to what the client registered for it, byte for byte, or nowhere")
    func logout() async throws {
        let bye = "https://rp.example.org/bye"
        let wrong = [
            "https://evil.example/", bye + "/", bye + "?x=1", bye + "#x", bye + "/..",
            "https://rp.example.org@evil.example/bye", "https://rp.example.org.evil.example/bye",
            "//rp.example.org/bye",
            "javascript:alert(1)", "data:text/html,x", bye + "\r\nSet-Cookie: x=y", " " + bye,
            "https://RP.example.org/bye", "http://rp.example.org/bye", Browser.callback, "/account",
            bye.replacing("y", with: "\u{FF59}"),
        ]
        let server = try TestServer.ofSuite
        let app = try await server.webApp { $0.postLogoutRedirectURIs = [bye] },
            other = try await server.webApp("Other") { $0.postLogoutRedirectURIs = ["https://other.example.org/bye"] }
        let asked = Browser(server)
        _ = try await app.logIn(asked)
        for target in wrong + ["https://other.example.org/bye"] {
            // By its name the client is not believed: the person is asked, and nothing on the page leads there.
            let question = try await asked.open(
                .get, "/logout?" + FormCodec.write([("client_id", app.id), ("post_logout_redirect_uri", target)]))
            #expect(
                question.status == 200 && question.location == nil
                    && question[header: "Content-Security-Policy"]?.contains("evil") == false, "\(target)")
            // By the session's own ID token it ends at once; afterwards there is nothing to end.
            let browser = Browser(server), hint = try await app.logIn(browser)["id_token"] ?? ""
            for parameters in [
                [("id_token_hint", hint)], [("id_token_hint", hint), ("client_id", other.id)], [("client_id", app.id)],
                [],
            ] {
                let ended = try await browser.open(
                    .get,
                    "/logout?" + FormCodec.write(parameters + [("post_logout_redirect_uri", target), ("state", "x")]))
                #expect(ended.status == 200 && ended.location == nil, "\(target) \(parameters.map(\.0))")
                #expect(try await !browser.isLoggedIn())
            }
        }
        let question = try await asked.open(
            .get,
            "/logout?"
                + FormCodec.write([("client_id", app.id), ("post_logout_redirect_uri", "https://evil.example/")]))
        #expect(try await asked.submit(question).location == nil)
        #expect(try await !asked.isLoggedIn())
        let browser = Browser(server), hint = try await app.logIn(browser)["id_token"] ?? ""
        let right = try await browser.open(
            .get,
            "/logout?"
                + FormCodec.write([("id_token_hint", hint), ("post_logout_redirect_uri", bye), ("state", "a b&c=\r\n")])
        )
        #expect(right.status == 303 && right.location == bye + "?state=a%20b%26c%3D%0D%0A")
        #expect(try await !browser.isLoggedIn())
    }
}
