import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// A browser whose person logged in and agreed before: between a request and its code stands nothing but the check in
/// question.
struct AuthorizationScene: Sendable {
    let app: WebApp
    let browser: Browser
    let redirectURI: String

    var server: TestServer { app.server }

    static func ready(
        _ app: WebApp, redirectURI: String = Browser.callback, scope: String = "openid profile email",
        as user: String = "ada"
    ) async throws -> AuthorizationScene {
        let browser = await AuthorizationLogins.all.browser(app.server, user),
            draft = AuthorizationDraft(app.id, redirectURI: redirectURI, scope: scope)
        let place = try await browser.signIn(draft, as: user)
        try #require(place.answer["code"] != nil, "login: \(place)")
        await AuthorizationLogins.all.keep(browser, user)
        let scene = AuthorizationScene(app: app, browser: browser, redirectURI: redirectURI)
        try #require(
            try await scene.ask(draft).authorizationAnswer["code"] != nil, "the second request is answered at once")
        return scene
    }

    /// In a client of its own.
    static func ready() async throws -> AuthorizationScene { try await ready(try await TestServer.ofSuite.webApp()) }

    func draft(_ changes: KeyValuePairs<String, String?> = [:]) -> AuthorizationDraft {
        AuthorizationDraft(app.id, redirectURI: redirectURI, changes: changes)
    }

    func ask(_ draft: AuthorizationDraft) async throws -> Reply { try await browser.open(.get, draft.path) }

    /// By a form of the client's page, which becomes a GET.
    func askByForm(_ draft: AuthorizationDraft) async throws -> Reply {
        let reply = try await browser.open(.post, "/authorize", form: draft.parameters)
        guard reply.status == 303, let location = reply.location, location.hasPrefix(ServerParts.root) else {
            return reply
        }
        return try await browser.open(.get, String(location.dropFirst(ServerParts.root.count)))
    }

    func push(_ draft: AuthorizationDraft) async throws -> Reply {
        var headers = app.basic
        headers[.contentType] = "application/x-www-form-urlencoded"
        return try await server.send(
            .post, "/par", headers: headers, body: Array(FormCodec.write(draft.parameters).utf8))
    }

    /// Over all three doors it is refused where nobody is sent anywhere.
    func isRefusedEverywhere(_ draft: AuthorizationDraft, _ code: String = "invalid_request") async throws -> Bool {
        let (asked, posted, pushed) = (try await ask(draft), try await askByForm(draft), try await push(draft))
        return asked.isRefusedOnPage(code) && posted.isRefusedOnPage(code) && pushed.status == 400
            && pushed["request_uri"] == nil
    }

    func code(_ changes: KeyValuePairs<String, String?> = [:]) async throws -> String {
        let reply = try await ask(draft(changes))
        return try #require(reply.authorizationAnswer["code"], "\(reply.status) \(reply.location ?? reply.body)")
    }
}

/// Browsers that are logged in already: a login costs a password hash, and most tests are not about it.
actor AuthorizationLogins {
    static let all = AuthorizationLogins()

    private var cookies: [String: [String: String]] = [:]

    private func key(_ server: TestServer, _ user: String) -> String { "\(ObjectIdentifier(server.wire)) \(user)" }

    /// One that may be: it logs in where it is asked to.
    func browser(_ server: TestServer, _ user: String = "ada") async -> Browser {
        let browser = Browser(server)
        for (name, value) in cookies[key(server, user)] ?? [:] { await browser.set(cookie: name, to: value) }
        return browser
    }

    func keep(_ browser: Browser, _ user: String) async { cookies[key(browser.server, user)] = await browser.cookies }
}

extension Reply {
    var location: String? { self[header: "Location"] }

    /// The protocol's code on a problem page.
    var problemCode: String? { body.firstMatch(of: #/<code>([a-z_]+)<\/code>/#).map { String($0.1) } }

    /// A page for people that leads nowhere, and changes nothing in the browser but the cookie that every browser is
    /// given.
    func isRefusedOnPage(_ code: String, status: Int = 400) -> Bool {
        self.status == status && location == nil && problemCode == code && self[header: "Refresh"] == nil
            && !headers[values: .setCookie].contains { $0.contains("pando_session") }
    }

    /// Parameters of the address that the browser is sent to.
    var authorizationAnswer: [String: String] { Browser.Place.outside(location ?? "").answer }

    /// An error that goes back to the client, and tells nothing else: the fields of RFC 6749, 4.1.2.1 and `iss`.
    func isErrorTo(_ redirectURI: String, _ code: String) -> Bool {
        let answer = authorizationAnswer
        return status == 303 && location?.hasPrefix(redirectURI + (redirectURI.contains("?") ? "&" : "?")) == true
            && location?.contains("#") == false && answer["error"] == code
            && Set(answer.keys).isSubset(of: ["error", "error_description", "state", "iss"])
    }
}
