import Accounts
import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// The page shows a code, a wallet logs in with its request id, and the person says whose wallet it was.
@Suite("Login by a code that a wallet scans", .server)
struct WalletCodeTests {
    private static let sfa = "https://refeds.org/profile/sfa"

    private func person(
        requires factor: Account.RequiredFactor = .none
    ) async throws -> (account: Account, wallet: WalletDevice) {
        let server = try TestServer.ofSuite, account = try await server.newResident(requires: factor)
        return (account, try await server.linkedWallet(of: account))
    }

    private func answer(_ page: Reply, _ wallet: inout WalletDevice) async throws {
        let reply = try await wallet.logIn(in: try TestServer.ofSuite, requestID: page.walletRequest)
        try #require(reply.status == 201, "wallet: \(reply.body)")
    }

    @Test("from an application: the wallet answers, its person confirms it, and one factor is told")
    func whole() async throws {
        var (account, wallet) = try await person()
        let server = try TestServer.ofSuite, app = try await server.webApp(), browser = Browser(server)

        let login = try #require(
            try await browser.follow(try await browser.open(.get, AuthorizationDraft(app.id).path)).page)
        let door = try #require(
            login.body.firstMatch(of: #/href="(\/login\/wallet\?request=[^"]*)"/#).map { String($0.1) })
        let page = try await browser.beginWithWallet(door)
        try await answer(page, &wallet)
        let question = try await browser.open(.get, page.waitPath), early = try await browser.whoIsIn()
        let place = try await browser.goOn(try await browser.follow(try await browser.confirm(question)))
        let tokens = try await app.redeem(place.answer["code"]), told = claims(of: tokens["id_token"] ?? "")
        let who = try await app.userInfo(tokens.accessToken)

        #expect(page.walletLink.hasPrefix("liquid://localhost") && page.body.contains("class=\"qr\""))
        #expect(question.status == 200 && question.body.contains(wallet.address) && early == nil)
        #expect(told["amr"] == ["swk", "user"] && told["acr"] == .string(WalletCodeTests.sfa))
        #expect(who["email"] == "\(account.username)@example.org")
    }

    @Test("the page goes on without script; the question has none, and no address of its own to be sent elsewhere")
    func page() async throws {
        var (_, wallet) = try await person()
        let browser = Browser(try TestServer.ofSuite), page = try await browser.beginWithWallet()
        try await answer(page, &wallet)
        let question = try await browser.open(.get, page.waitPath)

        #expect(page.body.contains("<noscript><meta http-equiv=\"refresh\" content=\"3\"></noscript>"))
        #expect(
            page[header: "Content-Security-Policy"]?.contains("script-src 'self'; connect-src 'self'") == true
                && page[header: "Referrer-Policy"] == "no-referrer")
        #expect(!question.body.contains("<script") && !question.body.contains("http-equiv"))
        #expect(question[header: "Content-Security-Policy"]?.contains("form-action 'self'") == true)
    }

    @Test("events tell that a wallet has answered, not which; the stream ends with it")
    func events() async throws {
        var (_, wallet) = try await person()
        let browser = Browser(try TestServer.ofSuite), page = try await browser.beginWithWallet()

        async let waiting = browser.open(.get, page.events, headers: [.accept: "text/event-stream"])
        try await answer(page, &wallet)
        let told = try await waiting

        #expect(told.status == 200 && told[header: "Content-Type"] == "text/event-stream")
        #expect(told.body.matches(of: #/event: state\ndata: final\n\n/#).count == 1)
        #expect(!told.body.contains(wallet.address))
    }

    @Test("to another browser the attempt does not exist, and what its page has opens nothing there")
    func otherBrowser() async throws {
        var (account, wallet) = try await person()
        let server = try TestServer.ofSuite, mine = Browser(server), theirs = Browser(server)
        let page = try await mine.beginWithWallet(), own = try await theirs.beginWithWallet()
        try await answer(page, &wallet)
        let question = try await mine.open(.get, page.waitPath)

        let wait = try await theirs.open(.get, page.waitPath),
            unknown = try await theirs.open(.get, "/login/wallet/wait?attempt=" + String(repeating: "A", count: 43))
        let events = try await theirs.open(.get, page.events, headers: [.accept: "text/event-stream"])
        let stolen = try await theirs.confirm(question)
        let again = try await theirs.open(
            .post, "/login/wallet/again", form: [("attempt", page.attempt), ("form_token", "x")])
        let waits = try await theirs.open(.get, own.waitPath), who = try await theirs.whoIsIn()
        let done = try await mine.confirm(question), isIn = try await mine.whoIsIn()

        #expect(wait.status == 404 && wait.content == unknown.content && events.outcome == "404 not_found")
        #expect(stolen.status == 403 && again.status == 403 && waits.walletLink == own.walletLink && who == nil)
        #expect(done.place == "/account" && isIn == account.username)
    }

    @Test("a code that nobody scanned in time has expired; another works, and the first is dead")
    func expired() async throws {
        try await TestServer.with { server in
            let account = try await server.newResident(), browser = Browser(server)
            var wallet = try await server.linkedWallet(of: account)
            let page = try await browser.beginWithWallet()
            server.time.advance(301)

            let over = try await browser.open(.get, page.waitPath)
            let late = try await wallet.logIn(in: server, requestID: page.walletRequest),
                still = try await browser.open(.get, page.waitPath)
            let again = try #require(try await browser.follow(try await browser.submit(over)).page)
            server.time.advance(299)
            let answered = try await wallet.logIn(in: server, requestID: again.walletRequest)
            server.time.advance(100)
            let done = try await browser.confirm(try await browser.open(.get, again.waitPath))

            #expect(over.body.contains("The code has expired") && still.body.contains("The code has expired"))
            #expect(again.attempt == page.attempt && again.walletLink != page.walletLink)
            #expect(late.status == 201 && answered.status == 201 && done.place == "/account")
        }
    }

    @Test("an answer waits for its person as long as the code lasts and two minutes more")
    func unconfirmed() async throws {
        try await TestServer.with { server in
            let account = try await server.newResident(), browser = Browser(server)
            var wallet = try await server.linkedWallet(of: account)
            let page = try await browser.beginWithWallet()
            _ = try await wallet.logIn(in: server, requestID: page.walletRequest)
            let question = try await browser.open(.get, page.waitPath)
            server.time.advance(421)

            let late = try await browser.confirm(question), shown = try #require(try await browser.follow(late).page)
            let who = try await browser.whoIsIn()

            #expect(late.place == page.waitPath && shown.body.contains("The code has expired") && who == nil)
        }
    }

    @Test("no logs nobody in, and the code is dead: who answers it then is late")
    func declined() async throws {
        let (account, _) = try await person(), server = try TestServer.ofSuite, browser = Browser(server)
        var (_, stranger) = try await person(), mine = try await server.linkedWallet(of: account)
        let page = try await browser.beginWithWallet()
        try await answer(page, &stranger)
        let question = try await browser.open(.get, page.waitPath)

        let no = try await browser.confirm(question, "deny"), after = try await browser.whoIsIn()
        try await answer(page, &mine)
        let dead = try await browser.open(.get, page.waitPath), replayed = try await browser.confirm(question)
        let again = try #require(try await browser.follow(try await browser.submit(no)).page)
        try await answer(again, &mine)
        let done = try await browser.confirm(try await browser.open(.get, again.waitPath))

        #expect(question.body.contains(stranger.address) && no.body.contains("Nobody was logged in") && after == nil)
        #expect(dead.body.contains("The code has expired") && replayed.place == page.waitPath)
        #expect(done.place == "/account")
        #expect(try await browser.whoIsIn() == account.username)
    }

    @Test("who answers first has the code: another wallet that scanned it is nothing to it")
    func first() async throws {
        var (account, mine) = try await person(), (_, other) = try await person()
        let browser = Browser(try TestServer.ofSuite), page = try await browser.beginWithWallet()
        try await answer(page, &mine)
        try await answer(page, &other)

        let question = try await browser.open(.get, page.waitPath), done = try await browser.confirm(question)

        #expect(question.body.contains(mine.address) && !question.body.contains(other.address))
        #expect(done.place == "/account")
        #expect(try await browser.whoIsIn() == account.username)
    }

    @Test("a wallet that no account is linked with is told so, and logs nobody in")
    func unknown() async throws {
        let server = try TestServer.ofSuite, browser = Browser(server), page = try await browser.beginWithWallet()
        var wallet = WalletDevice()
        let registered = try await wallet.register(in: server, requestID: page.walletRequest)

        let told = try await browser.open(.get, page.waitPath), who = try await browser.whoIsIn()

        #expect(registered.status == 201 && told.status == 403 && told.body.contains("This wallet is not linked"))
        #expect(told.fields("/login/wallet/again").contains { $0.0 == "attempt" } && who == nil)
    }

    @Test("beside the password it is two factors; another person's wallet is nothing to a login once more")
    func stepUp() async throws {
        var (account, wallet) = try await person(requires: .any), (_, stranger) = try await person()
        let browser = Browser(try TestServer.ofSuite)
        _ = try await browser.goOn(
            try await browser.follow(try await browser.open(.get, "/account")), as: account.username)
        let due = try #require(try await browser.follow(try await browser.open(.get, "/account")).page)

        let page = try await browser.beginWithWallet()
        try await answer(page, &stranger)
        let another = try await browser.open(.get, page.waitPath), still = try await browser.open(.get, "/account")
        let done = try await browser.logInWithWallet(&wallet), isIn = try await browser.open(.get, "/account")

        #expect(due.body.contains("href=\"/login/wallet?return_to=%2Faccount\""))
        #expect(another.status == 403 && another.body.contains("another person’s wallet") && still.status != 200)
        #expect(done.place == "/account" && isIn.status == 200)
    }

    @Test("by it alone an account that asks for two is not in, and one that asks for a passkey not with the password")
    func strict() async throws {
        var (_, easy) = try await person(requires: .any), (account, strict) = try await person(requires: .passkey)
        let server = try TestServer.ofSuite, one = Browser(server), two = Browser(server)
        let device = try await server.passkey(of: account)

        _ = try await one.logInWithWallet(&easy)
        let alone = try await one.open(.get, "/account")
        _ = try await two.logInWithWallet(&strict)
        _ = try await two.goOn(
            try await two.follow(try await two.open(.get, "/login?return_to=/account&again=1")), as: account.username)
        let beside = try await two.open(.get, "/account")
        let shown = try await two.show(device, at: try #require(try await two.follow(beside).page))

        #expect(alone.place == "/login?return_to=%2Faccount&again=1")
        #expect(beside.place == "/login/passkey?return_to=%2Faccount" && shown.place == "/account")
    }

    @Test("who is logged in and has linked no wallet is told so, and led to linking one")
    func unlinked() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(), browser = Browser(server)
        try await browser.logInWithPassword(as: account)

        let page = try await browser.open(.get, Browser.walletCode)

        #expect(page.status == 200 && page.body.contains("No wallet is linked"))
        #expect(page.body.contains("href=\"/account/passkeys/link\""))
    }

    @Test("a login once more shows its code to nobody once its person has logged out")
    func left() async throws {
        let (account, _) = try await person(), browser = Browser(try TestServer.ofSuite)
        try await browser.logInWithPassword(as: account)
        let page = try await browser.beginWithWallet()
        let session = await browser.cookies.keys.first { $0.hasSuffix("pando_session") }
        await browser.set(cookie: try #require(session), to: nil)

        let after = try await browser.open(.get, page.waitPath)

        #expect(after.place == "/account")
    }

    @Test(
        "what no page of ours sends is refused, and logs nobody in",
        arguments: [
            ("/login/wallet?return_to=https://evil.example/", 400), ("/login/wallet?return_to=/logout", 400),
            ("/login/wallet/wait", 400), ("/login/wallet/wait?attempt=" + String(repeating: "x", count: 200), 404),
            ("/login/wallet/events", 400),
        ])
    func hostile(_ path: String, _ status: Int) async throws {
        let reply = try await Browser(try TestServer.ofSuite).open(.get, path)

        #expect(reply.status == status, "\(reply.body)")
    }

    @Test("a yes to another answer than the one that is there is none; without a decision nothing is decided")
    func forged() async throws {
        var (_, wallet) = try await person()
        let browser = Browser(try TestServer.ofSuite), page = try await browser.beginWithWallet()
        try await answer(page, &wallet)
        let question = try await browser.open(.get, page.waitPath), action = "/login/wallet/confirm"
        let fields = question.fields(action)

        let forged = try await browser.submit(question, ["decision": "allow", "answer": "AAAAAAAAAAAAAAAA"])
        let silent = try await browser.open(.post, action, form: fields)
        let bare = try await browser.open(
            .post, action, form: fields.filter { $0.0 != "attempt" } + [("decision", "allow")])
        let who = try await browser.whoIsIn(), done = try await browser.confirm(question)

        #expect(forged.place == page.waitPath && silent.status == 400 && bare.status == 400 && who == nil)
        #expect(done.place == "/account")
    }
}
