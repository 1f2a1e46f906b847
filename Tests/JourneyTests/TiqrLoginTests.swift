import Accounts
import Base
import Database
import Foundation
import HTTPTypes
import Push
import TestSupport
import Testing
import Tiqr

@Suite("Login with a phone, in a browser", .server)
struct TiqrLoginTests {
    private static let mfa = "https://refeds.org/profile/mfa"
    private static let essential = "{\"id_token\":{\"acr\":{\"essential\":true,\"value\":\"\(mfa)\"}}}"

    private func person(requires factor: Account.RequiredFactor = .none) async throws -> (Account, PhoneIdentity) {
        let server = try TestServer.ofSuite, account = try await server.newResident(requires: factor)
        return (account, try await server.enrollPhone(of: account))
    }

    /// Ids of authentications never leave the server.
    private func ids(_ server: TestServer) async throws -> [String] {
        try await server.database.query("select id from tiqr_authentication").map { try $0("id") }
    }

    @Test("without a name: the phone says who it is, and the application hears of two factors")
    func whole() async throws {
        let (account, identity) = try await person(), server = try TestServer.ofSuite, app = try await server.webApp(),
            browser = Browser(server)

        let login = try #require(
            try await browser.follow(try await browser.open(.get, AuthorizationDraft(app.id).path)).page)
        let door = try #require(
            login.body.firstMatch(of: #/href="(\/login\/tiqr\?request=[^"]*)"/#).map { String($0.1) })
        let page = try await browser.beginWithPhone(door)
        let isIn = try await TiqrPhone(server).logsIn(page.phoneLink, identity)
        let place = try await browser.goOn(try await browser.follow(try await browser.open(.get, page.waitPath)))
        let tokens = try await app.redeem(place.answer["code"]), idToken = claims(of: tokens["id_token"] ?? "")
        let told = try await server.get(
            "/userinfo", headers: [.authorization: "Bearer \(tokens["access_token"] ?? "")"])

        #expect(TiqrChallenge(page.phoneLink).user == nil && TiqrChallenge(page.phoneLink).serviceProvider == "Notes")
        #expect(isIn && tokens.outcome == "200" && told["email"] == "\(account.username)@example.org")
        #expect(idToken["acr"] == .string(TiqrLoginTests.mfa) && idToken["amr"] == ["mfa", "swk"])
    }

    @Test("the page keeps to itself: no id, no outside script, no referrer; it goes on without script too")
    func page() async throws {
        let server = try TestServer.ofSuite, browser = Browser(server)

        let page = try await browser.beginWithPhone()
        let login = try await browser.open(.get, "/login?return_to=/account"),
            script = try await server.get("/assets/watch.js")
        let secrets = try await ids(server),
            texts = await browser.pages.map { $0.body + ($0[header: "Location"] ?? "") }

        #expect(!secrets.isEmpty && texts.allSatisfy { text in !secrets.contains { text.contains($0) } })
        let policy = page[header: "Content-Security-Policy"] ?? ""
        #expect(
            policy.contains("script-src 'self'; connect-src 'self'; default-src 'none'")
                && page[header: "Referrer-Policy"] == "no-referrer")
        #expect(
            login[header: "Content-Security-Policy"]?.hasPrefix("script-src 'self'; ") == true
                && login[header: "Referrer-Policy"] == "same-origin")
        #expect(
            page.body.contains("<noscript><meta http-equiv=\"refresh\" content=\"3\"></noscript>")
                && page[header: "Cache-Control"] == "no-store")
        #expect(script.status == 200 && script[header: "Content-Type"] == "text/javascript; charset=utf-8")
    }

    @Test("who is logged in with a password is asked for the phone where the application insists, and for theirs only")
    func stepUp() async throws {
        let (account, identity) = try await person(), server = try TestServer.ofSuite, app = try await server.webApp(),
            browser = Browser(server)
        let first = try await browser.signIn(AuthorizationDraft(app.id), as: account.username)
        try #require(first.answer["code"] != nil)

        let page = try #require(
            try await browser.signIn(
                AuthorizationDraft(app.id, changes: ["claims": TiqrLoginTests.essential]), as: account.username
            ).page)
        let isIn = try await TiqrPhone(server).logsIn(page.phoneLink, identity)
        let place = try await browser.follow(try await browser.open(.get, page.waitPath))
        let idToken = claims(of: try await app.redeem(place.answer["code"])["id_token"] ?? "")

        #expect(TiqrChallenge(page.phoneLink).user == identity.name && isIn)
        #expect(idToken["acr"] == .string(TiqrLoginTests.mfa) && idToken["amr"] == ["mfa", "pwd", "swk"])
    }

    @Test("an account that asks for a phone gets no further without it, not to its own pages either")
    func required() async throws {
        let (account, identity) = try await person(requires: .tiqr), server = try TestServer.ofSuite,
            app = try await server.webApp(), browser = Browser(server)

        let page = try #require(try await browser.signIn(AuthorizationDraft(app.id), as: account.username).page)
        let own = try await browser.open(.get, "/account")
        let isIn = try await TiqrPhone(server).logsIn(page.phoneLink, identity)
        let place = try await browser.goOn(try await browser.follow(try await browser.open(.get, page.waitPath)))

        #expect(own.place.hasPrefix("/login/tiqr?return_to="))
        #expect(isIn && place.answer["code"] != nil)
    }

    @Test("of several phones the one used last is asked; the page leads to the others")
    func several() async throws {
        let (account, old) = try await person(), server = try TestServer.ofSuite, browser = Browser(server)
        let new = try await server.enrollPhone(of: account)
        try await browser.logInWithPassword(as: account)

        let page = try await browser.beginWithPhone(), asked = TiqrChallenge(page.phoneLink).user
        let other = asked == new.name ? old : new
        let door = try #require(
            page.body.firstMatch(of: #/href="(\/login\/tiqr\?[^"]*phone=[0-9]+)"/#).map {
                String($0.1).replacing("&amp;", with: "&")
            })
        let second = try await browser.beginWithPhone(door)
        let isIn = try await TiqrPhone(server).logsIn(second.phoneLink, other)
        let done = try await browser.open(.get, second.waitPath)

        #expect(
            [old.name, new.name].contains(asked ?? "") && page.body.contains("Asked now:") && !door.contains(other.name)
        )
        #expect(TiqrChallenge(second.phoneLink).user == other.name && isIn && done.place == "/account")
    }

    @Test("another person's phone is nothing to a login once more: the browser stays whose it was, and waits on")
    func wrongPhone() async throws {
        let (account, identity) = try await person(), (_, stranger) = try await person(),
            server = try TestServer.ofSuite, browser = Browser(server)
        try await browser.logInWithPassword(as: account)

        let page = try await browser.beginWithPhone()
        let answer = try await TiqrPhone(server).answer(page.phoneLink, stranger)
        let still = try await browser.open(.get, page.waitPath), who = try await browser.whoIsIn()
        let isIn = try await TiqrPhone(server).logsIn(page.phoneLink, identity)

        #expect(
            answer.code == 205 && still.status == 200 && still.phoneLink == page.phoneLink && who == account.username)
        #expect(isIn)
    }

    @Test("a code that nobody scanned in time has expired; another works, and the first is dead")
    func expired() async throws {
        try await TestServer.with { server in
            let account = try await server.newResident(), identity = try await server.enrollPhone(of: account),
                browser = Browser(server)
            let page = try await browser.beginWithPhone()
            server.time.advance(200)

            let over = try await browser.open(.get, page.waitPath)
            let again = try #require(try await browser.follow(try await browser.submit(over)).page)
            let first = try await TiqrPhone(server).answer(page.phoneLink, identity)
            let isIn = try await TiqrPhone(server).logsIn(again.phoneLink, identity)
            let done = try await browser.open(.get, again.waitPath)

            #expect(
                over.body.contains("The code has expired") && again.attempt == page.attempt
                    && again.phoneLink != page.phoneLink)
            #expect(first.code == 203 && isIn && done.place == "/account")
        }
    }

    @Test("five wrong answers: too many, said with the minutes where the phone is known")
    func blocked() async throws {
        let (account, identity) = try await person(), (_, other) = try await person(), server = try TestServer.ofSuite,
            browser = Browser(server), stranger = Browser(server)
        try await browser.logInWithPassword(as: account)
        let page = try await browser.beginWithPhone(), unnamed = try await stranger.beginWithPhone()
        for _ in 0..<5 {
            _ = try await TiqrPhone(server).answer(
                page.phoneLink, identity, response: identity.wrongAnswer(TiqrChallenge(page.phoneLink)))
            _ = try await TiqrPhone(server).answer(
                unnamed.phoneLink, other, response: other.wrongAnswer(TiqrChallenge(unnamed.phoneLink)))
        }

        let over = try await browser.open(.get, page.waitPath), failed = try await stranger.open(.get, unnamed.waitPath)
        let fresh = try await browser.follow(try await browser.open(.get, "/login/tiqr?return_to=/account")).page

        #expect(
            over.body.contains("This phone is blocked") && over.body.contains("in 10 minutes") && over.phoneLink == "")
        #expect(
            failed.body.contains("There were too many wrong answers")
                && failed.fields("/login/tiqr/again").contains { $0.0 == "attempt" })
        #expect(fresh?.body.contains("This phone is blocked") == true)
    }

    @Test(
        """
        an offline phone: the ID and the one-time password are typed; wrong ones count, unknown IDs and half a \
        password do not
        """
    )
    func offline() async throws {
        let (account, identity) = try await person(), server = try TestServer.ofSuite, browser = Browser(server)
        let page = try await browser.beginWithPhone(), challenge = TiqrChallenge(page.phoneLink)
        let form = try await browser.open(.get, page.waitPath + "&offline=1")
        func typed(_ identity: String, _ otp: String) async throws -> Reply {
            try await browser.submit(form, ["identity": identity, "otp": otp])
        }

        let unknown = try await typed("nobody-at-all-here", "123456"), half = try await typed(identity.name, "123")
        let wrong = try await typed(identity.name, identity.wrongAnswer(challenge))
        let right = try await typed(
            " \(identity.name)",
            String(identity.answer(challenge).prefix(3)) + " " + String(identity.answer(challenge).dropFirst(3)))
        let done = try await browser.open(.get, right.place), who = try await browser.whoIsIn()

        #expect(
            !form.body.contains("<script") && !form.body.contains("http-equiv")
                && form[header: "Referrer-Policy"] == "same-origin")
        #expect(
            unknown.body.contains("This ID is not known here.") && half.body.contains("Please type all digits")
                && wrong.body.contains("4 attempts are left."))
        #expect(
            right.place.hasPrefix("/login/tiqr/wait?attempt=") && done.place == "/account" && who == account.username)
    }

    @Test("where a phone is named, the offline form asks for no ID; the fifth wrong password blocks")
    func offlineNamed() async throws {
        let (account, identity) = try await person(), server = try TestServer.ofSuite, browser = Browser(server)
        try await browser.logInWithPassword(as: account)
        let page = try await browser.beginWithPhone(), form = try await browser.open(.get, page.waitPath + "&offline=1")

        var replies: [Reply] = []
        for _ in 0..<5 {
            replies.append(try await browser.submit(form, ["otp": identity.wrongAnswer(TiqrChallenge(page.phoneLink))]))
        }

        #expect(!form.fields("/login/tiqr/otp").contains { $0.0 == "identity" })
        #expect(replies[3].body.contains("One attempt is left.") && replies[4].body.contains("This phone is blocked"))
    }

    @Test("to another browser an attempt does not exist, whatever it asks")
    func otherBrowser() async throws {
        let (_, identity) = try await person(), server = try TestServer.ofSuite, mine = Browser(server),
            theirs = Browser(server)
        let page = try await mine.beginWithPhone(), own = try await theirs.beginWithPhone()
        let isIn = try await TiqrPhone(server).logsIn(page.phoneLink, identity)
        try #require(isIn)

        let wait = try await theirs.open(.get, page.waitPath),
            unknown = try await theirs.open(.get, "/login/tiqr/wait?attempt=" + String(repeating: "A", count: 43))
        let events = try await theirs.open(.get, page.events, headers: [.accept: "text/event-stream"])
        let stolen = try await theirs.open(
            .post, "/login/tiqr/again", form: [("attempt", page.attempt), ("form_token", "x")])
        let who = try await theirs.whoIsIn(), done = try await mine.open(.get, page.waitPath)

        #expect(wait.status == 404 && wait.content == unknown.content)
        #expect(events.outcome == "404 not_found" && stolen.status == 403)
        #expect(own.attempt != page.attempt && who == nil && done.place == "/account")
    }

    @Test("a login is completed once, however often it is asked for at once")
    func once() async throws {
        let (_, identity) = try await person(), server = try TestServer.ofSuite, browser = Browser(server)
        let page = try await browser.beginWithPhone(), path = page.waitPath
        let isIn = try await TiqrPhone(server).logsIn(page.phoneLink, identity)
        try #require(isIn)

        let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
            for _ in 0..<8 { group.addTask { try await browser.open(.get, path) } }
            return try await group.reduce(into: [Reply]()) { $0.append($1) }
        }
        let later = try await browser.open(.get, path)

        #expect(replies.count { $0.place == "/account" } == 1 && replies.count { $0.status == 404 } == 7)
        #expect(later.status == 404 && later.body.contains("This login is over"))
    }

    @Test("events tell that the state is another, not which; the stream ends with the login")
    func events() async throws {
        let (_, identity) = try await person(), server = try TestServer.ofSuite, browser = Browser(server),
            page = try await browser.beginWithPhone()

        async let waiting = browser.open(.get, page.events, headers: [.accept: "text/event-stream"])
        try await Task.sleep(for: .milliseconds(300))
        let isIn = try await TiqrPhone(server).logsIn(page.phoneLink, identity)
        let told = try await waiting
        let unseen = try await browser.open(
            .get, page.events,
            headers: [.accept: "text/event-stream", HTTPField.Name("Last-Event-ID") ?? .server: "elsewhere"])

        #expect(
            isIn && told.status == 200 && told[header: "Content-Type"] == "text/event-stream"
                && told[header: "Cache-Control"] == "no-store")
        #expect(
            told.body.matches(of: #/event: state\ndata: final\n\n/#).count == 1 && unseen.body.contains("data: final"))
        #expect(!told.body.contains(identity.name))
    }

    @Test(
        "an account suspended, or a phone removed, between answer and end: nobody is logged in",
        arguments: [true, false])
    func meanwhile(_ isSuspended: Bool) async throws {
        let (account, identity) = try await person(), server = try TestServer.ofSuite, browser = Browser(server),
            page = try await browser.beginWithPhone()
        let isIn = try await TiqrPhone(server).logsIn(page.phoneLink, identity)
        try #require(isIn)
        if isSuspended {
            _ = try await AccountStore(clock: server.time.clock).setStatus(account.id, .suspended, in: server.database)
        } else {
            try await server.phones.remove(identity.name, of: account.id, actor: .server)
        }

        let done = try await browser.open(.get, page.waitPath), who = try await browser.whoIsIn()

        #expect(done.status == 403 && done.body.contains("This login is not possible") && who == nil)
    }

    @Test("a person without a phone is told so, and led to where one is set up")
    func noPhone() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(), browser = Browser(server)
        _ = try await server.enrollPhone(of: account, answering: false)
        try await browser.logInWithPassword(as: account)

        let page = try await browser.beginWithPhone()

        #expect(page.body.contains("No phone is set up") && page.body.contains("href=\"/account/phones/add\""))
    }

    @Test(
        """
        a phone that was registered and never answered lets nobody in who comes without a name: its first answer is \
        to its own person's page
        """
    )
    func unproven() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(), browser = Browser(server)
        let identity = try await server.enrollPhone(of: account, answering: false),
            page = try await browser.beginWithPhone()
        let form = try await browser.open(.get, page.waitPath + "&offline=1")

        let answer = try await TiqrPhone(server).answer(page.phoneLink, identity)
        let typed = try await browser.submit(
            form, ["identity": identity.name, "otp": identity.answer(TiqrChallenge(page.phoneLink))])
        let still = try await browser.open(.get, page.waitPath),
            isEnrolled = try await server.phones.isEnrolled(account.id)

        #expect(
            answer.code == 205 && typed.body.contains("This ID is not known here.") && still.phoneLink == page.phoneLink
                && !isEnrolled)
    }

    @Test("a login once more shows its code to nobody once its person has logged out, and takes no guesses")
    func left() async throws {
        let (account, identity) = try await person(), server = try TestServer.ofSuite, browser = Browser(server)
        try await browser.logInWithPassword(as: account)
        let page = try await browser.beginWithPhone(), form = try await browser.open(.get, page.waitPath + "&offline=1")
        let session = await browser.cookies.keys.first { $0.hasSuffix("pando_session") }
        await browser.set(cookie: try #require(session), to: nil)

        let after = try await browser.open(.get, page.waitPath),
            offline = try await browser.open(.get, page.waitPath + "&offline=1")
        let guess = try await browser.submit(form, ["otp": identity.wrongAnswer(TiqrChallenge(page.phoneLink))])
        let phones = try await server.phones.phones(of: account.id)

        #expect(
            TiqrChallenge(page.phoneLink).user == identity.name && after.place == "/account"
                && offline.place == "/account" && guess.status == 403)
        #expect(phones.map(\.attemptsLeft) == [5])
    }

    @Test(
        "a login leads to our own pages only",
        arguments: [
            "https://evil.example/", "//evil.example/", "/account/phones/remove", "/login/tiqr", "/account?done=x",
            "/account/phones/add/", "/logout",
            "/account/passkeys/name", "/account/passkeys/name?passkey=a#b",
        ])
    func places(_ path: String) async throws {
        let browser = Browser(try TestServer.ofSuite)

        let reply = try await browser.open(.get, "/login/tiqr?" + FormCodec.write([("return_to", path)]))

        #expect(reply.status == 400)
    }

    @Test("a phone rings only for a browser that logged this person in with it before, and three times in a row")
    func pushes() async throws {
        let webhook = PushWebhook(
            url: "https://push.example.org", secret: Randomness.system.secret(),
            http: PushHTTP { _ in PushHTTP.Answer(status: 204, body: []) },
            clock: .system)
        try await TestServer.with(options: TestServerOptions(pushes: PushRoutes(webhook: webhook))) { server in
            let account = try await server.newResident(), identity = try await server.enrollPhone(of: account),
                known = Browser(server), fresh = Browser(server)
            try await known.logInWithPhone(identity)
            try await fresh.logInWithPassword(as: account)

            let stranger = try await fresh.open(.get, "/login/tiqr?return_to=/account")
            var places: [String] = []
            for _ in 0..<4 { places.append(try await known.open(.get, "/login/tiqr?return_to=/account").place) }
            let page = try await known.open(.get, places[0])

            #expect(
                !stranger.place.contains("push") && places.map { $0.hasSuffix("&push=1") } == [true, true, true, false])
            #expect(page.body.contains("Your phone has been asked."))
        }
    }
}
