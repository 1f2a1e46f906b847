import Accounts
import Base
import Database
import Foundation
import HTTPTypes
import Liquid
import TestSupport
import Testing
import TokenTree

/// What happens between a wallet's answer and its person's yes, and what an app sees.
@Suite("Login by a wallet's code: once, and by who may", .server)
struct WalletCodeRaceTests {
    private func question(_ wallet: inout WalletDevice, _ browser: Browser) async throws -> (page: Reply, asked: Reply)
    {
        let page = try await browser.beginWithWallet()
        let answered = try await wallet.logIn(in: browser.server, requestID: page.walletRequest)
        try #require(answered.status == 201, "wallet: \(answered.body)")
        return (page, try await browser.open(.get, page.waitPath))
    }

    @Test("of many who say yes at once one is logged in, and nobody later")
    func once() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(), browser = Browser(server)
        var wallet = try await server.linkedWallet(of: account)
        let (page, asked) = try await question(&wallet, browser)

        let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
            for _ in 0..<8 { group.addTask { try await browser.confirm(asked) } }
            return try await group.reduce(into: [Reply]()) { $0.append($1) }
        }
        let who = try await browser.whoIsIn(),
            session = await browser.cookies.keys.first { $0.hasSuffix("pando_session") }
        let stale = try await browser.confirm(asked)
        await browser.set(cookie: try #require(session), to: nil)
        let replayed = try await browser.confirm(asked), late = try await browser.open(.get, page.waitPath)
        let logins: Int = try await server.database.value(
            "select count(*) from audit where action = 'login' and account = \(account.id) and outcome = 'done'")

        #expect(replies.count { $0.place == "/account" } == 1 && logins == 1)
        #expect(who == account.username && replies.allSatisfy { [303, 403, 404].contains($0.status) })
        #expect(stale.status == 403, "the form was made before anybody was logged in")
        #expect([replayed, late].allSatisfy { $0.status == 404 && $0.body.contains("This login is over") })
    }

    enum Meanwhile: CaseIterable { case suspended, unlinked, ended, another }

    @Test(
        """
        an account that is suspended, a passkey that is unlinked, or a wallet's session that is ended between answer \
        and yes: nobody is logged in
        """,
        arguments: Meanwhile.allCases)
    func meanwhile(_ what: Meanwhile) async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(), browser = Browser(server)
        var wallet = try await server.linkedWallet(of: account)
        let (page, asked) = try await question(&wallet, browser), title: String
        switch what {
        case .suspended:
            _ = try await AccountStore(clock: server.time.clock).setStatus(account.id, .suspended, in: server.database)
            title = "This login is not possible"
        case .unlinked:
            let name = wallet.passkey.name
            try await server.database.atomically { transaction in
                try await server.parts.passkeys.remove(
                    name, of: account.id, keepingOne: false, actor: .server, in: transaction)
            }
            title = "This wallet is not linked"
        case .ended:
            let wallets = WalletOperator(server.parts.revocation, actor: .server, clock: server.time.clock),
                address = wallet.address
            try await server.database.atomically { transaction in
                _ = try await wallets.revoke(address, in: transaction)
            }
            title = "This login is not possible"
        case .another:
            // The same passkey, linked with somebody else's account since it was shown.
            let other = try await server.newResident(), name = wallet.passkey.name
            try await server.database.atomically { transaction in
                try await server.parts.passkeys.remove(
                    name, of: account.id, keepingOne: false, actor: .server, in: transaction)
            }
            let options = try await server.parts.passkeys.linkOptions(for: other.id, holder: wallet.address)
            _ = try await server.parts.passkeys.link(
                try wallet.passkey.get(options), to: other.id, below: [], holder: wallet.address, actor: .server)
            title = "Is this your wallet?"
        }

        let done = try await browser.confirm(asked), shown = try #require(try await browser.follow(done).page)
        let who = try await browser.whoIsIn()

        #expect(shown.status == (what == .another ? 200 : 403) && shown.body.contains(title) && who == nil)
        #expect(done.place.isEmpty || done.place == page.waitPath)
    }

    @Test("a session that showed it ends with the passkey, as one of the same key in a browser does")
    func removed() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(), browser = Browser(server),
            owner = Browser(server)
        var wallet = try await server.linkedWallet(of: account)
        let done = try await browser.logInWithWallet(&wallet), before = try await browser.whoIsIn()
        try await owner.logInWithPasskey(try await server.passkey(of: account))

        let token = try await server.formToken(owner, at: "/account")
        let gone = try await owner.open(
            .post, "/account/passkeys/remove", form: [("form_token", token), ("passkey", wallet.passkey.name)])

        #expect(done.place == "/account" && before == account.username && gone.place.hasPrefix("/account?done="))
        #expect(try await browser.whoIsIn() == nil)
        #expect(try await owner.whoIsIn() == account.username)
    }

    @Test("no socket is linked with the wallet that answers, and none is let in: not its own, nor a stranger's")
    func sockets() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(), browser = Browser(server)
        var wallet = try await server.linkedWallet(of: account)
        let page = try await browser.beginWithWallet(), stranger = try await socket(nil, page, in: server)
        let answered = try await wallet.logIn(in: server, requestID: page.walletRequest)
        _ = try await socket(wallet.cookie, page, in: server)

        let done = try await browser.confirm(try await browser.open(.get, page.waitPath))
        let late = try await wallet.logIn(in: server, requestID: page.walletRequest)
        let after = try await socket(nil, page, in: server)
        let users = [
            try await server.get("/auth/user", headers: [.cookie: "connect.sid=\(stranger)"]).status,
            try await server.get("/auth/user", headers: [.cookie: "connect.sid=\(after)"]).status,
        ]
        let linked: Int = try await server.database.value(
            "select count(*) from signalling_link where linked_at is not null and wallet = \(wallet.address)")

        #expect(answered.status == 201 && late.status == 201 && done.place == "/account")
        #expect(users == [403, 403] && linked == 0)
    }

    /// One that asks to be linked with the request of a page: its cookie.
    private func socket(_ cookie: String?, _ page: Reply, in server: TestServer) async throws -> String {
        let polling = "/socket.io/?EIO=4&transport=polling"
        var headers = HTTPFields()
        headers[.cookie] = cookie.map { "connect.sid=\($0)" }
        let opened = try await server.get(polling, headers: headers),
            hello = try JSONReader.read(Array(opened.body.dropFirst().utf8))
        let sid = try #require(hello["sid"]?.string)
        for packet in ["40", #"420["link",{"requestId":\#(page.walletRequest.text)}]"#] {
            _ = try await server.send(.post, "\(polling)&sid=\(sid)", headers: headers, body: Array(packet.utf8))
        }
        let set = opened.headers[.setCookie]?.firstMatch(of: #/connect\.sid=([^;]+);/#).map { String($0.1) }
        return set ?? cookie ?? ""
    }

    // MARK: Apps

    private func request(_ asked: Reply) -> JSONValue {
        let link = asked.json["wallet-code"]?["link"]?.string ?? ""
        return .string(link.split(separator: "=").last.map(String.init) ?? "")
    }

    @Test("an app shows the code after the password; the wallet of that account completes the login, once")
    func app() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(requires: .any),
            app = try await Phone.registered(in: server)
        var wallet = try await server.linkedWallet(of: account)

        let first = try await app.logInForCode(as: account.username)
        let asked = try await app.ask(["auth_session": first["auth_session"], "factor": "wallet-code"])
        let early = try await app.ask(["auth_session": asked["auth_session"]])
        async let held = app.ask(["auth_session": asked["auth_session"]], wait: 30)
        let answered = try await wallet.logIn(in: server, requestID: request(asked))
        let done = try await held, again = try await app.ask(["auth_session": asked["auth_session"]])
        let tokens = try await app.redeem(code: done["authorization_code"] ?? ""), told = claims(of: tokens.accessToken)

        #expect(first.json["factors"] == ["wallet", "wallet-code"] && answered.status == 201)
        #expect(asked.json["wallet-code"]?["expires_at"]?.string != nil && early.outcome == "400 authorization_pending")
        #expect(done.outcome == "200" && again.outcome == "403 access_denied")
        #expect(told["amr"] == ["pwd", "swk", "user"] && told["acr"] == "https://refeds.org/profile/mfa")
    }

    @Test("another person's wallet, and one that is nobody's, complete no app's login; nor does a code that expired")
    func appRefused() async throws {
        try await TestServer.with { server in
            let account = try await server.newResident(requires: .any), other = try await server.newResident(),
                app = try await Phone.registered(in: server)
            _ = try await server.linkedWallet(of: account)
            var theirs = try await server.linkedWallet(of: other), nobodys = WalletDevice()
            let first = try await app.logInForCode(as: account.username)
            func begin() async throws -> Reply {
                try await app.ask(["auth_session": first["auth_session"], "factor": "wallet-code"])
            }

            let one = try await begin()
            _ = try await theirs.logIn(in: server, requestID: request(one))
            let crossed = try await app.ask(["auth_session": one["auth_session"]])
            let two = try await begin()
            _ = try await nobodys.register(in: server, requestID: request(two))
            let unknown = try await app.ask(["auth_session": two["auth_session"]])
            // An `auth_session` lasts as long as a code.
            let three = try await begin()
            server.time.advance(299)
            let pending = try await app.ask(["auth_session": three["auth_session"]])
            let plain = try await server.newResident(requires: .any),
                none = try await app.logInForCode(as: plain.username)
            let absent = try await app.ask(["auth_session": none["auth_session"], "factor": "wallet-code"])

            #expect(crossed.outcome == "403 access_denied" && unknown.outcome == "403 access_denied")
            #expect(pending.outcome == "400 authorization_pending")
            #expect(none.json["factors"] == [] && absent.outcome == "400 invalid_request")
        }
    }
}
