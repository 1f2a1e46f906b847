import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// What another site, another person or a curious one can do to the forms: nothing.
@Suite("Attacks on the authorization endpoint: forged forms (group 11)", .server, .serialized)
struct AuthorizationForgeryTests {
    private typealias Open = AuthorizationForm.Open

    /// A request that some other page, tab or program makes in place of the person.
    enum Forgery: String, Sendable, CaseIterable {
        case foreignOrigin, nullOrigin, crossSite, sameSite, noToken, emptyToken, guessedToken, strangersToken,
            otherFormsToken, noCookies, strangersCookies, plainText, inTheQuery
    }

    private func send(
        _ forgery: Forgery, of form: AuthorizationForm, _ open: Open, _ stranger: Open, _ server: TestServer
    ) async throws -> Reply {
        let browser = open.browser
        func post(_ fields: [(String, String)], _ headers: HTTPFields = [:]) async throws -> Reply {
            try await browser.open(.post, open.action, form: fields, headers: headers)
        }
        func from(_ other: Open) -> [(String, String)] { open.with(["form_token": other.field("form_token")]) }
        switch forgery {
        case .foreignOrigin: return try await post(open.fields, [.origin: "https://evil.example"])
        case .nullOrigin: return try await post(open.fields, [.origin: "null"])
        case .crossSite: return try await post(open.fields, [.fetchSite: "cross-site"])
        case .sameSite: return try await post(open.fields, [.fetchSite: "same-site"])
        case .noToken: return try await post(open.with(["form_token": nil]))
        case .emptyToken: return try await post(open.with(["form_token": ""]))
        case .guessedToken: return try await post(open.with(["form_token": Base64URL.encode(Digest.sha256("guess"))]))
        case .strangersToken: return try await post(from(stranger))
        case .otherFormsToken:
            // The same browser's token of the form that lies next.
            let page = try await browser.open(
                .get, form == .logout ? "/account/password" : form == .login ? "/login?return_to=/account" : "/logout")
            return try await post(from(Open(browser: browser, action: "", fields: Browser.form(page).fields)))
        case .noCookies: return try await Browser(server).open(.post, open.action, form: open.fields)
        case .strangersCookies: return try await stranger.browser.open(.post, open.action, form: open.fields)
        case .plainText:
            let cookies = await browser.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
            return try await server.send(
                .post, open.action, headers: [.cookie: cookies, .contentType: "text/plain", .accept: "text/html"],
                body: Array(FormCodec.write(open.fields).utf8))
        case .inTheQuery:
            return try await browser.open(.post, open.action + "?" + FormCodec.write(open.fields), form: [])
        }
    }

    @Test(
        """
        group 11: every form is refused from elsewhere, without its token, with another's, and does nothing; from \
        its own page it works
        """,
        arguments: AuthorizationForm.allCases)
    func group11(_ form: AuthorizationForm) async throws {
        let server = try TestServer.ofSuite, (open, effect) = try await form.open(in: server),
            (stranger, strangers) = try await form.open(in: server)
        for forgery in Forgery.allCases {
            let reply = try await send(forgery, of: form, open, stranger, server)

            // What comes to /logout without our token is an application's request: it is put to the person, by a page.
            let isQuestion =
                form == .logout && reply.status == 303
                && reply.location?.hasPrefix("\(ServerParts.root)/logout?") == true
            #expect(
                [403, 400, 415].contains(reply.status) || isQuestion,
                "\(forgery): \(reply.status) \(reply.location ?? "")")
            #expect(reply.location == nil || isQuestion, "\(forgery)")
            #expect(!reply.headers[values: .setCookie].contains { $0.contains("pando_session") }, "\(forgery)")
            #expect(try await !effect.happened(), "\(forgery)")
        }
        #expect(try await !strangers.happened())
        let right = try await open.browser.open(.post, open.action, form: open.fields)
        #expect([200, 303].contains(right.status), "\(right.body)")
        #expect(try await effect.happened())
    }

    @Test("group 11: consent that is sent many times at once is answered with one code, and later with none")
    func doubleSubmit() async throws {
        let server = try TestServer.ofSuite, (open, _) = try await AuthorizationForm.consent.open(in: server)

        let replies = try await crowd(20) { _ in try await open.browser.open(.post, open.action, form: open.fields) }

        #expect(replies.count { $0.authorizationAnswer["code"] != nil } == 1)
        #expect(replies.count { $0.isRefusedOnPage("invalid_request") } == 19)
        #expect(try await open.browser.open(.post, open.action, form: open.fields).isRefusedOnPage("invalid_request"))
        #expect(
            try await open.browser.open(.post, open.action, form: open.with(["decision": "deny"])).isRefusedOnPage(
                "invalid_request"))
    }

    @Test("group 11: a consent page of one person is worth nothing to the next at the same browser, nor after logout")
    func anotherPerson() async throws {
        let server = try TestServer.ofSuite, (open, effect) = try await AuthorizationForm.consent.open(in: server),
            browser = open.browser

        let asked = try await browser.open(.get, "/logout")
        _ = try await browser.submit(asked)
        #expect(
            try await browser.open(.post, open.action, form: open.fields).isRefusedOnPage("forbidden", status: 403),
            "logged out")
        let login = try await browser.open(.get, "/login")
        _ = try await browser.submit(login, ["username": "bob", "password": Residents.password])
        try #require(try await browser.isLoggedIn())

        #expect(
            try await browser.open(.post, open.action, form: open.fields).isRefusedOnPage("forbidden", status: 403),
            "bob's session")
        #expect(try await !effect.happened())
    }

    @Test(
        """
        group 11: what stands in the consent form besides request and decision changes nothing: neither scope nor \
        client nor address
        """,
        arguments: ["scope", "client_id", "redirect_uri", "state", "response_mode", "claims"])
    func tampering(_ name: String) async throws {
        let server = try TestServer.ofSuite, browser = Browser(server), app = try await server.webApp(),
            other = try await server.webApp("Other", redirectURIs: ["https://evil.example/"])
        let login = try await browser.follow(
            try await browser.open(.get, AuthorizationDraft(app.id, scope: "openid").path))
        let page = try #require(try await browser.goOn(login, stopsAt: "/consent").page)
        let value =
            [
                "scope": "openid profile email offline_access", "client_id": other.id,
                "redirect_uri": "https://evil.example/", "state": "other", "response_mode": "fragment",
            ][name] ?? "{}"

        let reply = try await browser.submit(page, ["decision": "allow", name: value]),
            code = reply.authorizationAnswer["code"]

        #expect(
            reply.location?.hasPrefix(Browser.callback + "?code=") == true
                && reply.authorizationAnswer["state"] == "s-1")
        let tokens = try await app.redeem(code)
        #expect(tokens.outcome == "200" && tokens["scope"] == "openid" && tokens.refreshToken != "")
        let given: [String] = try await server.database.value("select scopes from consent where client = \(app.id)")
        #expect(given == ["openid"])
    }

    @Test("group 11: a form for one request does not answer another of the same browser, and only `allow` is allow")
    func otherRequest() async throws {
        let server = try TestServer.ofSuite, (open, effect) = try await AuthorizationForm.consent.open(in: server),
            browser = open.browser
        let other = try await server.webApp("Other"),
            place = try await browser.follow(try await browser.open(.get, AuthorizationDraft(other.id).path))
        let second = Browser.form(try #require(place.page), action: "/consent").fields.first { $0.0 == "request" }?.1

        #expect(
            try await browser.open(.post, open.action, form: open.with(["request": second])).isRefusedOnPage(
                "forbidden", status: 403))
        #expect(
            try await browser.open(.post, open.action, form: open.with(["request": nil])).isRefusedOnPage(
                "invalid_request"))
        #expect(
            try await browser.open(.post, open.action, form: open.with(["decision": nil])).isRefusedOnPage(
                "invalid_request"))
        #expect(
            try await browser.open(.post, open.action, form: open.with(["decision": "ALLOW"])).authorizationAnswer[
                "error"] == "access_denied")
        #expect(try await !effect.happened())
    }

    @Test(
        "group 11: the API that a page may use by its cookie takes no other site's word",
        arguments: [
            [.origin: "https://evil.example"], [.origin: "null"], [.fetchSite: "cross-site"], [.fetchSite: "same-site"],
            [.origin: ServerParts.root, .fetchSite: "cross-site"], [:],
        ] as [HTTPFields], [HTTPRequest.Method.patch, .delete])
    func cookieAPI(_ headers: HTTPFields, _ method: HTTPRequest.Method) async throws {
        let server = try TestServer.ofSuite, user = try await server.newcomer(),
            phone = try await Phone.registered(in: server), pat = try await phone.logIn(as: user)
        let browser = Browser(server)
        _ = try await (try await server.webApp()).logIn(browser, as: user)
        let cookies = await browser.cookies.map { "\($0.key)=\($0.value)" }.joined(separator: "; ")
        func send(_ more: HTTPFields) async throws -> Reply {
            var all: HTTPFields = [.cookie: cookies, .contentType: "application/json"]
            for field in more { all[field.name] = field.value }
            return try await server.send(
                method, "/instances/\(phone.clientID)", headers: all, body: Array(#"{"name":"Mine"}"#.utf8))
        }

        #expect(try await send(headers).outcome == "403 forbidden")
        #expect(try await phone.get("/userinfo", token: pat.accessToken).outcome == "200")
        #expect((200..<300).contains(try await send([.origin: ServerParts.root, .fetchSite: "same-origin"]).status))
    }
}

extension HTTPField.Name {
    fileprivate static let fetchSite = HTTPField.Name("Sec-Fetch-Site") ?? .server
}
