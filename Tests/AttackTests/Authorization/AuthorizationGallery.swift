import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// Every page that the server can show, with one name in every place where somebody else chooses what is shown.
struct AuthorizationGallery {
    let server: TestServer
    let name: String
    private(set) var pages: [(name: String, reply: Reply)] = []

    static func hung(in server: TestServer, name: String) async throws -> AuthorizationGallery {
        var gallery = AuthorizationGallery(server: server, name: name)
        try await gallery.hangPublic()
        try await gallery.hangLogin()
        try await gallery.hangAccount()
        try await gallery.hangDevice()
        try await gallery.hangLogout()
        return gallery
    }

    private func app() async throws -> WebApp {
        let name = self.name, scope = "openid profile email offline_access <pando-canary/onload=x>"
        return try await server.webApp(
            name, scope: scope,
            grants: ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"]
        ) {
            $0.postLogoutRedirectURIs = ["https://rp.example.org/bye"]
            $0.shown = [
                "client_uri": .string("javascript:alert('\(name)')"),
                "policy_uri": .string("https://x.example/\(name)"), "tos_uri": "data:text/html,x",
                "logo_uri": .string("https://x.example/\(name)"), "client_name#de": .string(name + " de"),
            ]
        }
    }

    private mutating func hang(_ name: String, _ reply: Reply) { pages.append((name, reply)) }

    private mutating func hangPublic() async throws {
        let browser = Browser(server), phone = try await Phone.registered(in: server),
            user = try await server.newcomer(name: name)
        hang("home", try await browser.open(.get, "/"))
        hang("service", try await browser.open(.get, "/services/learn"))
        let service = try await phone.redeem(assertion: try await phone.assertion(try await phone.logIn(as: user)))
        let token = try await phone.authorizeApp(service).accessToken
        hang(
            "attributes",
            try await browser.open(.get, "/services/learn/attributes", headers: [.authorization: "Bearer \(token)"]))
        let twice = FormCodec.encode(name)
        hang("problem: a name that comes twice", try await browser.open(.get, "/authorize?\(twice)=1&\(twice)=2"))
        hang("problem: unknown client", try await browser.open(.get, "/authorize?client_id=\(twice)"))
        hang("problem: no page of ours", try await browser.open(.get, "/login?return_to=\(twice)"))
        hang("problem: forged form", try await browser.open(.post, "/login", form: [("username", name)]))
    }

    private mutating func hangLogin() async throws {
        let browser = Browser(server), app = try await app(), user = try await server.newcomer(name: name)
        let draft = AuthorizationDraft(
            app.id, scope: "openid profile email <pando-canary/onload=x>",
            changes: ["login_hint": name, "ui_locales": name, "state": name, "nonce": name])
        hang("login", try #require(try await browser.follow(try await browser.open(.get, draft.path)).page))
        let login = pages[pages.count - 1].reply
        hang(
            "login in German",
            try await browser.open(
                .get, "/login?request=\(Browser.form(login).fields.first { $0.0 == "request" }?.1 ?? "")",
                headers: [.acceptLanguage: "de"]))
        hang("login refused", try await browser.submit(login, ["username": name, "password": name]))
        let stranger = Browser(server), page = try await stranger.open(.get, "/login")
        for _ in 0..<11 { _ = try await stranger.submit(page, ["username": name, "password": "wrong"]) }
        hang("login paused", try await stranger.submit(page, ["username": name, "password": "wrong"]))
        let consent = try #require(try await browser.goOn(.page(login), as: user, stopsAt: "/consent").page)
        hang("consent", consent)
        _ = try await browser.submit(consent, ["decision": "allow"])
        hang("consent answered", try await browser.submit(consent, ["decision": "allow"]))
        var again = draft
        again.set("prompt", "login")
        hang("login again", try #require(try await browser.follow(try await browser.open(.get, again.path)).page))
    }

    private mutating func hangAccount() async throws {
        let browser = Browser(server), app = try await app(), user = try await server.newcomer(name: name)
        _ = try await app.logIn(browser, as: user)
        var draft = RegistrationDraft(server)
        draft.set(["name": .string(name), "device_type": .string(name), "os_version": .string(name)])
        _ = try await Phone(server: server, key: draft.key, device: draft.device, instance: try await draft.send())
            .logIn(as: user)
        try await server.database.execute("update browser_session set device = \(name)")
        for done in ["", "?done=disconnected", "?done=\(FormCodec.encode(name))"] {
            hang("account\(done)", try await browser.open(.get, "/account" + done))
        }
        let page = try await browser.open(.get, "/account/password")
        hang("password", page)
        hang(
            "password refused",
            try await browser.submit(
                page, ["current": "wrong", "new": "another password", "again": "another password"]))
        hang(
            "password too short",
            try await browser.submit(page, ["current": Residents.password, "new": "short", "again": "short"]))
        hang("passwords differ", try await browser.submit(page, ["current": name, "new": "one", "again": "two"]))
        hang(
            "nothing of theirs",
            try await browser.open(
                .post, "/account/withdraw",
                form: [
                    ("form_token", Browser.form(page).fields.first { $0.0 == "form_token" }?.1 ?? ""), ("client", name),
                ]))
    }

    private mutating func hangDevice() async throws {
        let browser = Browser(server), app = try await app(), user = try await server.newcomer(name: name)
        _ = try await app.logIn(browser, as: user)
        hang("device", try await browser.open(.get, "/device"))
        hang("device, unknown code", try await browser.open(.get, "/device?user_code=\(FormCodec.encode(name))"))
        for decision in ["allow", "deny"] {
            let begun = try await server.post("/device_authorization", ["scope": nil], headers: app.basic)
            let page = try await browser.open(.get, "/device?user_code=\(begun["user_code"] ?? "")")
            hang("device, to \(decision)", page)
            hang(
                "device, after \(decision)",
                try await browser.open(
                    .post, "/device", form: Browser.form(page, action: "/device").fields + [("decision", decision)]))
        }
    }

    private mutating func hangLogout() async throws {
        let browser = Browser(server), app = try await app(), user = try await server.newcomer(name: name),
            query = FormCodec.write([("client_id", app.id), ("state", name), ("ui_locales", name)])
        _ = try await app.logIn(browser, as: user)
        let page = try await browser.open(.get, "/logout?\(query)")
        hang("logout", page)
        hang("logged out", try await browser.submit(page))
        hang("logged out before", try await browser.open(.get, "/logout?\(query)"))
    }
}
