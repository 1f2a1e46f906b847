import Accounts
import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("A person's phones for logging in", .server)
struct TiqrPhonesTests {
    private static let add = "/account/phones/add"

    /// The page with the QR code of an enrollment; the browser is logged in.
    private func begin(_ browser: Browser) async throws -> Reply {
        let page = try await browser.open(.get, TiqrPhonesTests.add)
        try #require(page.status == 200, "add: \(page.place)")
        return try #require(try await browser.follow(try await browser.submit(page)).page)
    }

    private func remove(_ browser: Browser, _ phone: String) async throws -> Reply {
        let token = try await browser.server.formToken(browser, at: "/account")
        return try await browser.open(.post, "/account/phones/remove", form: [("form_token", token), ("phone", phone)])
    }

    @Test(
        "a phone is set up: scanned, confirmed, first login; then the account lists it and the session has two factors")
    func whole() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(), browser = Browser(server),
            phone = TiqrPhone(server)
        try await browser.logInWithPassword(as: account)

        let scan = try await begin(browser), pending = try await phone.readMetadata(scan.phoneLink)
        let confirm = try await browser.open(.get, scan.waitPath)
        let isRegistered = try await phone.registers(pending)
        let first = try #require(try await browser.follow(try await browser.open(.get, scan.waitPath)).page)
        let isIn = try await phone.logsIn(first.phoneLink, pending.identity)
        let done = try await browser.open(.get, first.waitPath),
            page = try #require(try await browser.follow(done).page)
        let another = try await browser.open(.get, TiqrPhonesTests.add)

        #expect(
            pending.metadata["identity"]?["displayName"] == "New Resident"
                && scan[header: "Referrer-Policy"] == "no-referrer")
        #expect(confirm.body.contains("Confirm in the app") && confirm.phoneLink == "" && isRegistered)
        #expect(
            first.body.contains("Log in for the first time")
                && TiqrChallenge(first.phoneLink).user == pending.identity.name && isIn)
        #expect(
            done.place == "/account?done=phone-added" && page.body.contains("Your phone is set up.")
                && page.body.contains("…\(pending.identity.name.suffix(4))"))
        #expect(another.status == 200, "two factors, just now")
    }

    @Test("events tell how far the phone is, until that can change no more; to others neither page nor events exist")
    func events() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(), browser = Browser(server),
            stranger = Browser(server), phone = TiqrPhone(server)
        try await browser.logInWithPassword(as: account)
        try await stranger.logInWithPassword(as: try await server.newResident())
        let scan = try await begin(browser)

        let foreign = try await stranger.open(.get, scan.waitPath),
            deaf = try await stranger.open(.get, scan.events, headers: [.accept: "text/event-stream"])
        async let told = browser.open(.get, scan.events, headers: [.accept: "text/event-stream"])
        try await Task.sleep(for: .milliseconds(300))
        _ = try await phone.readMetadata(scan.phoneLink)
        let confirm = try await browser.open(.get, scan.waitPath)
        _ = try await browser.submit(confirm)
        let body = try await told.body

        #expect(foreign.status == 404 && deaf.outcome == "404 not_found")
        #expect(
            confirm.events != scan.events && body.hasPrefix("retry: 2000\n\n")
                && body.hasSuffix("event: state\ndata: final\n\n"))
    }

    @Test("an account that asks for a phone and has none is sent to set one up, and goes on to the application")
    func required() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(requires: .any),
            app = try await server.webApp()
        let browser = Browser(server), phone = TiqrPhone(server)

        let page = try #require(try await browser.signIn(AuthorizationDraft(app.id), as: account.username).page)
        let scan = try #require(try await browser.follow(try await browser.submit(page)).page)
        let identity = try await phone.enroll(scan.phoneLink)
        let first = try #require(try await browser.follow(try await browser.open(.get, scan.waitPath)).page)
        let isIn = try await phone.logsIn(first.phoneLink, identity)
        let place = try await browser.goOn(try await browser.follow(try await browser.open(.get, first.waitPath)))

        #expect(
            page.body.contains("This account asks for a login with a phone.")
                && page.fields(TiqrPhonesTests.add).contains { $0.0 == "request" })
        #expect(isIn && place.answer["code"] != nil)
    }

    @Test("setting up wants a login within 15 minutes: the password again, and not in circles")
    func oldLogin() async throws {
        try await TestServer.with { server in
            let account = try await server.newResident(), browser = Browser(server)
            try await browser.logInWithPassword(as: account)
            server.time.advance(901)

            let first = try await browser.open(.get, TiqrPhonesTests.add),
                login = try #require(try await browser.follow(first).page)
            let typed = try await Patience.whileBusy {
                try await browser.submit(login, ["username": account.username, "password": Residents.password])
            }
            let page = try await browser.follow(typed).page

            #expect(
                first.place == "/login?return_to=%2Faccount%2Fphones%2Fadd&again=1"
                    && login.body.contains("type=\"password\""))
            #expect(page?.fields(TiqrPhonesTests.add).isEmpty == false)
        }
    }

    @Test("who has a phone sets up and removes phones with it only: a password does not do, nor an old login")
    func strength() async throws {
        try await TestServer.with { server in
            let account = try await server.newResident(), identity = try await server.enrollPhone(of: account),
                thief = Browser(server), owner = Browser(server)
            try await thief.logInWithPassword(as: account)
            try await owner.logInWithPhone(identity)

            let page = try await thief.open(.get, TiqrPhonesTests.add), direct = try await remove(thief, identity.name)
            let right = try await owner.open(.get, TiqrPhonesTests.add)
            server.time.advance(901)
            let late = try await remove(owner, identity.name), phones = try await server.phones.phones(of: account.id)

            #expect(
                page.place.hasPrefix("/login/tiqr?return_to=") && direct.place.hasPrefix("/login/tiqr?return_to=")
                    && right.status == 200)
            #expect(late.place.hasPrefix("/login/tiqr?return_to=") && phones.map(\.identity) == [identity.name])
        }
    }

    @Test("a form to set up a phone is worth nothing in another browser, or from another site")
    func forged() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(),
            other = try await server.newResident(), mine = Browser(server), theirs = Browser(server)
        try await mine.logInWithPassword(as: account)
        try await theirs.logInWithPassword(as: other)
        let stolen = try await theirs.open(.get, TiqrPhonesTests.add),
            own = try await mine.open(.get, TiqrPhonesTests.add)

        let forged = try await mine.open(.post, TiqrPhonesTests.add, form: stolen.fields(TiqrPhonesTests.add))
        let crossSite = try await mine.submit(own, headers: [.origin: "https://evil.example"])

        #expect(forged.status == 403 && crossSite.status == 403)
    }

    @Test("a removed phone logs nobody in; another's phone cannot be removed")
    func removal() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(),
            identity = try await server.enrollPhone(of: account), browser = Browser(server)
        let stranger = try await server.newResident(), theirs = try await server.enrollPhone(of: stranger)
        try await browser.logInWithPhone(identity)

        let foreign = try await remove(browser, theirs.name), gone = try await remove(browser, identity.name)
        let page = try await browser.open(.get, gone.place), wait = try await Browser(server).beginWithPhone()
        let answer = try await TiqrPhone(server).answer(wait.phoneLink, identity),
            others = try await server.phones.phones(of: stranger.id)

        #expect(foreign.status == 404 && others.map(\.identity) == [theirs.name])
        #expect(
            gone.place == "/account?done=phone-removed" && page.body.contains("The phone is removed.")
                && answer.code == 205)
    }

    @Test("the last phone of an account that asks for one stays, of two removed at once one too")
    func lastPhone() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(requires: .tiqr),
            browser = Browser(server)
        let one = try await server.enrollPhone(of: account), two = try await server.enrollPhone(of: account)
        try await browser.logInWithPhone(two)
        let token = try await server.formToken(browser, at: "/account")

        let places = try await withThrowingTaskGroup(of: String.self) { group in
            for name in [one.name, two.name] {
                group.addTask {
                    try await browser.open(
                        .post, "/account/phones/remove", form: [("form_token", token), ("phone", name)]
                    ).place
                }
            }
            return try await group.reduce(into: [String]()) { $0.append($1) }
        }
        let left = try await server.phones.phones(of: account.id),
            page = try await browser.open(.get, "/account?done=phone-kept")

        #expect(places.sorted() == ["/account?done=phone-kept", "/account?done=phone-removed"] && left.count == 1)
        #expect(page.body.contains("role=\"alert\">This is your last phone"))
    }

    @Test("cancelled once a stranger has scanned the code: their phone cannot register any more")
    func cancelled() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(), browser = Browser(server),
            stranger = TiqrPhone(server)
        try await browser.logInWithPassword(as: account)
        let scan = try await begin(browser), pending = try await stranger.readMetadata(scan.phoneLink)
        let confirm = try await browser.open(.get, scan.waitPath)

        let cancelled = try await browser.submit(confirm)
        let isRegistered = try await stranger.registers(pending)
        let page = try await browser.open(.get, scan.waitPath), phones = try await server.phones.phones(of: account.id)

        #expect(
            cancelled.place == "/account" && !isRegistered && phones.isEmpty && page.body.contains("This was cancelled")
        )
    }

    @Test("cancelled when the stranger's phone was quicker: it goes again")
    func cancelledLate() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(), browser = Browser(server),
            stranger = TiqrPhone(server)
        try await browser.logInWithPassword(as: account)
        let scan = try await begin(browser), pending = try await stranger.readMetadata(scan.phoneLink)
        let confirm = try await browser.open(.get, scan.waitPath)
        let isRegistered = try await stranger.registers(pending)

        let cancelled = try await browser.submit(confirm)
        let phones = try await server.phones.phones(of: account.id)

        #expect(isRegistered && cancelled.place == "/account" && phones.isEmpty)
    }

    @Test("a password typed again makes no phone's answer of this morning a recent one")
    func staleFactor() async throws {
        try await TestServer.with { server in
            let account = try await server.newResident(), identity = try await server.enrollPhone(of: account),
                browser = Browser(server)
            try await browser.logInWithPhone(identity)
            server.time.advance(901)
            let login = try await browser.open(.get, "/login?return_to=/account&again=1")
            let typed = try await Patience.whileBusy {
                try await browser.submit(login, ["username": account.username, "password": Residents.password])
            }

            let page = try await browser.open(.get, TiqrPhonesTests.add),
                late = try await remove(browser, identity.name)
            let phones = try await server.phones.phones(of: account.id)

            #expect(
                typed.place == "/account" && page.place.hasPrefix("/login/tiqr?return_to=")
                    && late.place.hasPrefix("/login/tiqr?return_to="))
            #expect(phones.map(\.identity) == [identity.name])
        }
    }

    @Test("who began with the password alone, and goes on once there is a phone, shows that phone first")
    func overtaken() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(), thief = Browser(server)
        try await thief.logInWithPassword(as: account)
        let scan = try await begin(thief)
        _ = try await TiqrPhone(server).enroll(scan.phoneLink)
        _ = try await server.enrollPhone(of: account)

        let next = try await thief.open(.get, scan.waitPath)

        #expect(next.place.hasPrefix("/login/tiqr?return_to="))
    }

    @Test(
        """
        a first login that took too long is asked again; an enrollment that did begins anew; a wrong PIN blocks in \
        words
        """
    )
    func slow() async throws {
        try await TestServer.with { server in
            let account = try await server.newResident(), browser = Browser(server), phone = TiqrPhone(server)
            try await browser.logInWithPassword(as: account)
            let unread = try await begin(browser)
            server.time.advance(301)
            let expired = try await browser.open(.get, unread.waitPath)
            let scan = try await begin(browser), identity = try await phone.enroll(scan.phoneLink)
            let first = try #require(try await browser.follow(try await browser.open(.get, scan.waitPath)).page)
            server.time.advance(200)

            let over = try await browser.open(.get, first.waitPath)
            let again = try #require(try await browser.follow(try await browser.submit(over)).page)
            for _ in 0..<5 {
                _ = try await phone.answer(
                    again.phoneLink, identity, response: identity.wrongAnswer(TiqrChallenge(again.phoneLink)))
            }
            let blocked = try await browser.open(.get, again.waitPath),
                isEnrolled = try await server.phones.isEnrolled(account.id)

            #expect(
                expired.body.contains("The code has expired") && expired.body.contains("href=\"/account/phones/add\""))
            #expect(over.body.contains("The code has expired") && again.phoneLink != first.phoneLink)
            #expect(
                blocked.body.contains("This phone is blocked") && blocked.body.contains("in 10 minutes") && !isEnrolled)
        }
    }
}
