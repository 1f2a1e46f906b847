import Accounts
import Base
import Database
import Foundation
import HTTPTypes
import OAuth
import TestSupport
import Testing
import TokenTree

/// What a password opened hangs from it (docs/token-tree.md): a change is one row, whoever makes it.
@Suite("A password that is changed", .server)
struct PasswordChangeTests {
    private static let next = "quite another long phrase"

    private func change(
        _ browser: Browser, from old: String = Residents.password, to new: String = next
    ) async throws -> Reply {
        let form = try await browser.server.formToken(browser, at: "/account/password")
        return try await Patience.whileBusy {
            try await browser.open(
                .post, "/account/password",
                form: [("form_token", form), ("current", old), ("new", new), ("again", new)])
        }
    }

    private func reset(_ account: Account, in server: TestServer) async throws -> ChangePassword.Ended? {
        let hash = try await server.parts.hasher.hash(Self.next)
        let change = ChangePassword(
            store: server.parts.store, revocation: server.parts.revocation, clock: server.time.clock)
        return try await server.database.atomically {
            try await change.reset(hash, of: account.id, by: .server, in: $0)
        }
    }

    /// Clones of a session, as many browsers would have made them.
    private func addSessions(_ number: Int, like account: Account, in server: TestServer) async throws {
        _ = try await server.database.execute(
            """
            insert into browser_session (id, secret, account, lineage, device, origin, created_at, last_seen,
                expires_at)
            select 'copy-' || n || '-' || s.id, sha256(convert_to(n || s.id, 'UTF8')), s.account, s.lineage,
                s.device, s.origin, s.created_at, s.last_seen, s.expires_at
            from browser_session s, generate_series(1, \(number)) as n where s.account = \(account.id)
            """)
    }

    private func living(_ account: Account, in server: TestServer) async throws -> Int {
        try await SessionStore(clock: server.time.clock).ids(of: account.id, in: server.database).count
    }

    @Test("every other session ends, the 201st too; the browser that changes it stays")
    func all() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(), here = Browser(server)
        try await here.logInWithPassword(as: account)
        try await addSessions(250, like: account, in: server)
        let before = try await living(account, in: server)

        let done = try await change(here)

        #expect(before == 251 && done.status == 303)
        #expect(try await living(account, in: server) == 1)
        #expect(try await here.open(.get, "/account").status == 200)
    }

    @Test("an operator's reset ends every session, the 201st too, and tells how many")
    func byOperator() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(), browser = Browser(server),
            passkey = try await server.passkey(of: account)
        try await browser.logInWithPassword(as: account)
        try await addSessions(250, like: account, in: server)
        let other = Browser(server)
        _ = try await other.show(passkey, at: try await other.open(.get, Browser.passkey))

        let ended = try await reset(account, in: server)

        #expect(ended?.sessions == 252)
        #expect(try await living(account, in: server) == 0)
    }

    @Test("a session that a passkey began goes on when the person changes the password")
    func passkey() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(),
            passkey = try await server.passkey(of: account)
        let here = Browser(server), other = Browser(server)
        try await here.logInWithPassword(as: account)
        _ = try await other.show(passkey, at: try await other.open(.get, Browser.passkey))

        let done = try await change(here)

        #expect(done.status == 303)
        #expect(try await other.open(.get, "/account").status == 200)
    }

    @Test(
        """
        what apps hold after a login by it ends, offline tokens too; the instance lives and may log in with the new \
        one
        """
    )
    func apps() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(),
            phone = try await Phone.registered(in: server), here = Browser(server)
        let app = try await server.webApp(), pat = try await phone.logIn(as: account.username)
        let offline = try await app.logIn(here, as: account.username, scope: "openid offline_access")

        let done = try await change(here)
        let mine = try await app.refresh(offline.refreshToken), theirs = try await phone.refresh(pat.refreshToken)

        #expect(done.status == 303)
        #expect(mine.outcome == "400 invalid_grant" && theirs.outcome == "400 invalid_grant")
        #expect(try await app.userInfo(offline.accessToken).outcome == "401 invalid_token")
        #expect(try await phone.get("/user-profile", token: pat.accessToken).outcome == "401 invalid_token")
        let again = try await phone.logInForCode(as: account.username, password: Self.next)
        #expect(again.outcome == "200")
    }

    @Test("a code of a login by the old one, an app's or a web client's, gives nothing")
    func codes() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(),
            phone = try await Phone.registered(in: server), browser = Browser(server)
        let app = try await server.webApp(), code = try await phone.logInForCode(as: account.username)
        let place = try await browser.signIn(AuthorizationDraft(app.id), as: account.username)

        _ = try await reset(account, in: server)
        let native = try await phone.redeem(code: code["authorization_code"] ?? ""),
            web = try await app.redeem(place.answer["code"])

        #expect(code.outcome == "200" && place.answer["code"] != nil)
        #expect(native.outcome == "400 invalid_grant" && web.outcome == "400 invalid_grant")
    }

    @Test("an app's login under way, whose password was the old one, is not completed by its second factor")
    func underWay() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(requires: .tiqr),
            identity = try await server.enrollPhone(of: account)
        let phone = try await Phone.registered(in: server)
        let first = try await phone.logInForCode(as: account.username)
        let second = try await phone.ask(["auth_session": first["auth_session"], "factor": "tiqr"]),
            link = second.json["tiqr"]?["auth_url"]?.string ?? ""

        _ = try await reset(account, in: server)
        let isRight = try await TiqrPhone(server).logsIn(link, identity),
            last = try await phone.ask(["auth_session": second["auth_session"]])

        #expect(first.outcome == "403 insufficient_authorization" && isRight)
        #expect(
            last.outcome == "403 access_denied"
                && last.json["error_description"]?.string?.contains("password was changed") == true)
    }

    @Test("of twelve browsers that log in with the old one while it is changed, none is in afterwards")
    func race() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident()
        let browsers = (0..<12).map { _ in server.browserContext() }

        let cookies = try await withThrowingTaskGroup(of: String?.self) { group in
            for context in browsers {
                group.addTask {
                    do {
                        return try await server.web.login.logIn(
                            username: account.username, password: Residents.password, context)
                    } catch is BrowserLogin.Refused {
                        return nil
                    }
                }
            }
            group.addTask {
                _ = try await reset(account, in: server)
                return nil
            }
            return try await group.reduce(into: [String]()) { if let cookie = $1 { $0.append(cookie) } }
        }

        #expect(try await living(account, in: server) == 0)
        for cookie in cookies { #expect(try await server.web.login.session(cookie: cookie) == nil) }
        #expect(
            try await server.web.login.logIn(username: account.username, password: Self.next, server.browserContext())
                .isEmpty
                == false)
    }

    @Test("of two who change it at once with the same old one, one does")
    func twice() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(), first = Browser(server),
            second = Browser(server)
        try await first.logInWithPassword(as: account)
        try await second.logInWithPassword(as: account)

        async let one = change(first, to: "the first of two long ones")
        async let two = change(second, to: "the second of two long ones")
        let statuses = try await [one.status, two.status].sorted()

        #expect(
            [[200, 303], [303, 303], [303, 403]].contains(statuses),
            "the one that comes late is told so, or thrown out, be it before its form is looked at")
        #expect(try await living(account, in: server) == 1)
    }

    @Test("its node can be revoked by name: what it opened ends, the password stays good")
    func node() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(), browser = Browser(server)
        try await browser.logInWithPassword(as: account)

        try await server.parts.revocation.revoke(
            .virtual(Ancestor(.password, account.id.uuidString.lowercased())), by: .server)
        let after = try await browser.open(.get, "/account")
        try await browser.logInWithPassword(as: account)

        #expect(after.status == 303)
        #expect(try await browser.open(.get, "/account").status == 200)
    }
}
