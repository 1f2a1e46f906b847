import Foundation
import Registration
import TestSupport
import Testing

/// The forms of the browser side, each on a page that somebody is looking at.
enum AuthorizationForm: String, Sendable, CaseIterable {
    case login, consent, device, disconnect, withdraw, end, password, logout

    /// A form as its person would send it, and the browser in which it is open.
    struct Open: Sendable {
        let browser: Browser
        let action: String
        let fields: [(String, String)]

        func field(_ name: String) -> String? { fields.first { $0.0 == name }?.1 }

        func with(_ changes: KeyValuePairs<String, String?>) -> [(String, String)] {
            fields.filter { field in !changes.contains { $0.key == field.0 } }
                + changes.compactMap { change in change.value.map { (change.key, $0) } }
        }
    }

    /// What came of it.
    struct Effect: Sendable { let happened: @Sendable () async throws -> Bool }

    /// By a person of its own, whose password may change.
    func open(in server: TestServer) async throws -> (Open, Effect) {
        let user = try await server.newcomer()
        let
            app = try await server.webApp(grants: [
                "authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code",
            ]), browser = Browser(server)
        if self == .login || self == .consent {
            let first = try await browser.follow(try await browser.open(.get, AuthorizationDraft(app.id).path))
            guard self == .consent else {
                let (action, fields) = Browser.form(try #require(first.page))
                let filled =
                    fields.filter { !["username", "password"].contains($0.0) } + [
                        ("username", user), ("password", Residents.password),
                    ]
                return (
                    Open(browser: browser, action: action, fields: filled), Effect { try await browser.isLoggedIn() }
                )
            }
            let page = try #require(try await browser.goOn(first, as: user, stopsAt: "/consent").page)
            return (
                open(page, browser, ["decision": "allow"]),
                Effect { try await Self.count("token", "kind = 'code' and client = '\(app.id)'", server) > 0 }
            )
        }
        let tokens = try await app.logIn(browser, as: user)
        switch self {
        case .device:
            let begun = try await server.post("/device_authorization", ["scope": "openid"], headers: app.basic),
                code = try #require(begun["user_code"])
            let page = try await browser.open(.get, "/device?user_code=\(code)")
            return (
                open(page, browser, ["decision": "allow"]),
                Effect {
                    try await Self.count("device_authorization", "client = '\(app.id)' and status <> 'pending'", server)
                        > 0
                }
            )
        case .disconnect:
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn(as: user)
            let page = try await browser.open(.get, "/account")
            return (
                open(page, browser, ["instance": phone.clientID]),
                Effect { try await phone.get("/userinfo", token: pat.accessToken).status != 200 }
            )
        case .withdraw:
            let page = try await browser.open(.get, "/account")
            return (
                open(page, browser, ["client": app.id]),
                Effect { try await app.userInfo(tokens.accessToken).status != 200 }
            )
        case .end, .logout:
            let page = try await browser.open(.get, self == .end ? "/account" : "/logout")
            let session = claims(of: try #require(tokens["id_token"]))["sid"]?.string
            return (
                open(page, browser, self == .end ? ["session": session] : [:]),
                Effect { try await !browser.isLoggedIn() }
            )
        default:
            let page = try await browser.open(.get, "/account/password"), new = "another \(UUID().uuidString)"
            let filled = open(page, browser, ["current": Residents.password, "new": new, "again": new])
            return (
                filled,
                Effect {
                    try await Self.count(
                        "audit",
                        "action = 'password' and account = (select id from account where username = '\(user)')", server)
                        > 0
                }
            )
        }
    }

    private func open(_ page: Reply, _ browser: Browser, _ changes: KeyValuePairs<String, String?>) -> Open {
        let action =
            switch self {
            case .consent, .device, .logout: "/\(rawValue)"
            default: "/account/\(rawValue)"
            }
        return Open(
            browser: browser, action: action,
            fields: Open(browser: browser, action: action, fields: Browser.form(page, action: action).fields).with(
                changes))
    }

    private static func count(_ table: String, _ condition: String, _ server: TestServer) async throws -> Int {
        try await server.database.value("select count(*) from \(identifier: table) where \(raw: condition)")
    }
}

extension TestServer {
    /// With which a client may register itself once.
    func initialAccessToken() async throws -> String {
        try await InvitationStore(clock: parts.time.clock, randomness: .system).make(
            uses: 1, lifetime: 600, policy: .init(), below: [], in: database
        ).token
    }

    /// Somebody who has just moved in, with everybody's password: without the work of hashing it again.
    func newcomer(name: String = "Newcomer") async throws -> String {
        let username = "p\(UUID().uuidString.lowercased().prefix(8))"
        try await database.execute(
            """
            insert into account (id, username, email, name, password, created_at)
            select gen_random_uuid(), \(username), \(username + "@example.org"), \(name), a.password, a.created_at
                from account a where a.username = 'ada'
            """)
        return username
    }
}

extension Browser {
    func isLoggedIn() async throws -> Bool { try await open(.get, "/account").status == 200 }
}
