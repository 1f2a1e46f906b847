import Accounts
import Base
import Database
import Foundation
import HTTPTypes
import Operations
import TestSupport
import Testing
import TokenTree

@testable import PowerAuth

@Suite("Login approved in an app, in a browser", .server)
struct ApprovalLoginTests {
    private static let mfa = "https://refeds.org/profile/mfa"
    private static let essential = "{\"id_token\":{\"acr\":{\"essential\":true,\"value\":\"\(mfa)\"}}}"

    private func person(
        requires factor: Account.RequiredFactor = .none, in server: TestServer? = nil
    ) async throws -> (Account, PowerAuthPhone) {
        let server = try server ?? TestServer.ofSuite, account = try await server.newResident(requires: factor)
        return (account, try await server.approver(of: account))
    }

    @Test(
        "without a name: whoever scans the code says who it is, and the application hears of two factors",
        arguments: [
            (FactorType.possessionKnowledge, ["mfa", "pin", "swk"]), (.possessionBiometry, ["mfa", "swk"]),
        ])
    func whole(_ factor: FactorType, _ methods: [String]) async throws {
        var (account, phone) = try await person()
        let server = try TestServer.ofSuite, app = try await server.webApp(), browser = Browser(server)

        let login = try #require(
            try await browser.follow(try await browser.open(.get, AuthorizationDraft(app.id).path)).page)
        let door = try #require(
            login.body.firstMatch(of: #/href="(\/login\/approval\?request=[^"]*)"/#).map { String($0.1) })
        let page = try await browser.beginWithPhone(door), shown = try await phone.open(page.approvalLink).shown
        let approved = try await phone.approve(link: page.approvalLink, factor)
        let place = try await browser.goOn(try await browser.follow(try await browser.open(.get, page.waitPath)))
        let tokens = try await app.redeem(place.answer["code"]), idToken = claims(of: tokens["id_token"] ?? "")
        let told = try await server.get(
            "/userinfo", headers: [.authorization: "Bearer \(tokens["access_token"] ?? "")"])

        #expect(page.approvalLink.hasPrefix("pando://operation?oid=") && page.body.contains("class=\"qr\""))
        #expect(
            shown.object?["formData"]?["message"]?.string?.contains("Notes") == true
                && shown.object?["ui"]?["preApprovalScreen"]?["type"] == "QR_SCAN")
        #expect(approved.isOK && tokens.outcome == "200" && told["email"] == "\(account.username)@example.org")
        #expect(idToken["acr"] == .string(ApprovalLoginTests.mfa) && idToken["amr"] == JSONValue(strings: methods))
    }

    @Test("the page keeps its code to itself, listens, and goes on without script")
    func page() async throws {
        let page = try await Browser(try TestServer.ofSuite).beginWithPhone(Browser.approval),
            policy = page[header: "Content-Security-Policy"] ?? ""

        #expect(
            policy.contains("script-src 'self'; connect-src 'self'; default-src 'none'")
                && page[header: "Referrer-Policy"] == "no-referrer")
        #expect(
            page.body.contains("<noscript><meta http-equiv=\"refresh\" content=\"3\"></noscript>")
                && page[header: "Cache-Control"] == "no-store")
        #expect(page.events.hasPrefix("/login/approval/events?attempt="))
    }

    @Test(
        """
        who is logged in with a password is asked for the app
            where the application insists: their own phones are told who asks, from where
        """
    )
    func stepUp() async throws {
        var (account, phone) = try await person(), (_, stranger) = try await person()
        let server = try TestServer.ofSuite, app = try await server.webApp(), browser = Browser(server)
        let first = try await browser.signIn(AuthorizationDraft(app.id), as: account.username)
        try #require(first.answer["code"] != nil)

        let page = try #require(
            try await browser.signIn(
                AuthorizationDraft(app.id, changes: ["claims": ApprovalLoginTests.essential]), as: account.username
            ).page)
        let token = try await phone.createToken(),
            listed = try await phone.read(PowerAuthPhone.operations + "/list", with: token)
        let foreign = try await stranger.approve(link: page.approvalLink),
            still = try await browser.open(.get, page.waitPath)
        let approved = try await phone.approve(link: page.approvalLink)
        let place = try await browser.follow(try await browser.open(.get, page.waitPath))
        let idToken = claims(of: try await app.redeem(place.answer["code"])["id_token"] ?? "")

        let labels =
            listed.object?.array?.first?["formData"]?["attributes"]?.array?.compactMap { $0["label"]?.string } ?? []
        #expect(listed.object?.array?.count == 1 && labels.contains("Service") && listed.json.text.contains("Notes"))
        #expect(foreign.outcome == "400 INVALID_REQUEST" && still.status == 200 && approved.isOK)
        #expect(idToken["acr"] == .string(ApprovalLoginTests.mfa) && idToken["amr"] == ["mfa", "pin", "pwd", "swk"])
    }

    @Test("an account that asks for a factor gets no further without it, not to its own pages either")
    func required() async throws {
        var (account, phone) = try await person(requires: .any)
        let server = try TestServer.ofSuite, app = try await server.webApp(), browser = Browser(server)

        let page = try #require(try await browser.signIn(AuthorizationDraft(app.id), as: account.username).page),
            own = try await browser.open(.get, "/account")
        let approved = try await phone.approve(link: page.approvalLink)
        let place = try await browser.goOn(try await browser.follow(try await browser.open(.get, page.waitPath)))

        #expect(own.place.hasPrefix("/login/approval?return_to=") && approved.isOK && place.answer["code"] != nil)
    }

    @Test(
        """
        the code is another every half minute: the page is drawn anew, and says so to who listens; the code before \
        still does, an older one counts as wrong
        """
    )
    func period() async throws {
        try await TestServer.with { server in
            var (_, phone) = try await person(in: server)
            let browser = Browser(server), first = try await browser.beginWithPhone(Browser.approval)
            server.time.advance(30)
            let second = try await browser.open(.get, first.waitPath)
            server.time.advance(30)
            async let told = browser.open(.get, second.events, headers: [.accept: "text/event-stream"])
            try await Task.sleep(for: .milliseconds(300))

            let old = try await phone.approve(link: first.approvalLink),
                before = try await phone.approve(link: second.approvalLink)
            let body = try await told.body, done = try await browser.open(.get, first.waitPath)

            #expect(
                first.attempt == second.attempt && first.approvalLink != second.approvalLink
                    && first.events != second.events)
            #expect(old.outcome == "401 OPERATION_FAILED" && before.isOK && done.place == "/account")
            #expect(body.contains("data: changed\n\n") && body.hasSuffix("event: state\ndata: final\n\n"))
        }
    }

    @Test(
        """
        possession alone approves no login, nor does a phone that did not see the code; five such attempts end it, \
        and another can be begun
        """
    )
    func refused() async throws {
        var (account, phone) = try await person()
        let server = try TestServer.ofSuite, browser = Browser(server)
        try await browser.logInWithPassword(as: account)
        let page = try await browser.beginWithPhone(Browser.approval)

        var outcomes = [try await phone.approve(link: page.approvalLink, .possession).outcome]
        for _ in 0..<4 { outcomes.append(try await phone.approve(link: page.approvalLink, otp: "00000000").outcome) }
        let over = try await browser.open(.get, page.waitPath),
            again = try #require(try await browser.follow(try await browser.submit(over)).page)
        let late = try await phone.approve(link: page.approvalLink),
            approved = try await phone.approve(link: again.approvalLink)
        let done = try await browser.open(.get, again.waitPath)

        #expect(outcomes == Array(repeating: "401 OPERATION_FAILED", count: 4) + ["400 OPERATION_ALREADY_FAILED"])
        #expect(
            over.body.contains("There were too many wrong answers") && again.attempt == page.attempt
                && late.outcome == "400 OPERATION_ALREADY_FAILED")
        #expect(approved.isOK && done.place == "/account")
    }

    @Test(
        "a rejection is said with its reason; what the app wrote itself is shown as text",
        arguments: [
            ("UNEXPECTED_OPERATION", "I did not expect this"), ("INCORRECT_DATA", "Something in it is not right"),
            ("UNKNOWN", nil),
            ("not <b>me</b>", "not &lt;b&gt;me&lt;/b&gt;"),
        ] as [(String, String?)])
    func rejected(_ reason: String, _ words: String?) async throws {
        var (_, phone) = try await person()
        let browser = Browser(try TestServer.ofSuite), page = try await browser.beginWithPhone(Browser.approval)

        let rejected = try await phone.reject(link: page.approvalLink, reason: reason),
            over = try await browser.open(.get, page.waitPath)
        let again = try await browser.follow(try await browser.submit(over)).page, who = try await browser.whoIsIn()

        #expect(
            rejected.isOK && over.body.contains("The login was rejected")
                && over.body.contains("Reason given:") == (words != nil))
        #expect(words.map { over.body.contains($0) } ?? true)
        #expect(again?.approvalLink.isEmpty == false && who == nil)
    }

    @Test("what nobody approved in time has expired; another code works, and of two only the last can be approved")
    func expired() async throws {
        try await TestServer.with { server in
            var (_, phone) = try await person(in: server)
            let browser = Browser(server), page = try await browser.beginWithPhone(Browser.approval)
            server.time.advance(181)

            let over = try await browser.open(.get, page.waitPath),
                again = try #require(try await browser.follow(try await browser.submit(over)).page)
            let fields = Browser.form(over).fields
            let third = try #require(
                try await browser.follow(try await browser.open(.post, "/login/approval/again", form: fields)).page)
            let first = try await phone.approve(link: page.approvalLink),
                second = try await phone.approve(link: again.approvalLink)
            let last = try await phone.approve(link: third.approvalLink),
                done = try await browser.open(.get, third.waitPath)

            #expect(over.body.contains("The code has expired") && over.approvalLink == "")
            #expect(
                first.outcome == "400 OPERATION_EXPIRED" && second.outcome == "400 OPERATION_ALREADY_CANCELED"
                    && last.isOK && done.place == "/account")
        }
    }

    @Test("to another browser an attempt does not exist, whatever it asks")
    func otherBrowser() async throws {
        var (_, phone) = try await person()
        let server = try TestServer.ofSuite, mine = Browser(server), theirs = Browser(server)
        let page = try await mine.beginWithPhone(Browser.approval),
            own = try await theirs.beginWithPhone(Browser.approval)
        let approved = try await phone.approve(link: page.approvalLink)
        try #require(approved.isOK)

        let wait = try await theirs.open(.get, page.waitPath),
            unknown = try await theirs.open(.get, "/login/approval/wait?attempt=" + String(repeating: "A", count: 43))
        let other = try await mine.open(.get, "/login/tiqr/wait?attempt=" + page.attempt)
        let events = try await theirs.open(.get, page.events, headers: [.accept: "text/event-stream"])
        let stolen = try await theirs.open(
            .post, "/login/approval/again", form: [("attempt", page.attempt), ("form_token", "x")])
        let who = try await theirs.whoIsIn(), done = try await mine.open(.get, page.waitPath)

        #expect(
            wait.status == 404 && wait.content == unknown.content && events.outcome == "404 not_found"
                && stolen.status == 403
                && other.status == 404)
        #expect(own.attempt != page.attempt && who == nil && done.place == "/account")
    }

    @Test("a login is completed once, however often it is asked for at once")
    func once() async throws {
        var (_, phone) = try await person()
        let browser = Browser(try TestServer.ofSuite), page = try await browser.beginWithPhone(Browser.approval),
            path = page.waitPath
        let approved = try await phone.approve(link: page.approvalLink)
        try #require(approved.isOK)

        let replies = try await withThrowingTaskGroup(of: Reply.self) { group in
            for _ in 0..<8 { group.addTask { try await browser.open(.get, path) } }
            return try await group.reduce(into: [Reply]()) { $0.append($1) }
        }

        #expect(replies.count { $0.place == "/account" } == 1 && replies.count { $0.status == 404 } == 7)
    }

    enum Meanwhile: CaseIterable { case suspended, removed, blocked, never }

    @Test(
        """
        an account suspended, a phone removed or blocked between approval and end, or one that is none of the \
        server's: nobody is logged in
        """,
        arguments: Meanwhile.allCases)
    func meanwhile(_ what: Meanwhile) async throws {
        var (account, phone) = try await person()
        let server = try TestServer.ofSuite, browser = Browser(server),
            page = try await browser.beginWithPhone(Browser.approval), id = phone.activationID
        // What an app registers for its person is of another owner, in the same application.
        if what == .never {
            _ = try await server.database.execute(
                "update phone_registration set owner = 'person:x', user_id = 'x' where id = \(id)")
        }
        let approved = try await phone.approve(link: page.approvalLink)
        // To such a phone the server's operation is not even there.
        try #require(what == .never ? approved.code == "INVALID_REQUEST" : approved.isOK)
        switch what {
        case .suspended:
            _ = try await AccountStore(clock: server.time.clock).setStatus(account.id, .suspended, in: server.database)
        case .removed:
            try await server.database.atomically {
                try await server.approvals.remove(id, of: account.id, keepingOne: false, actor: .server, in: $0)
            }
        case .blocked:
            _ = try await server.database.execute("update phone_registration set state = 'BLOCKED' where id = \(id)")
        case .never: break
        }

        let done = try await browser.open(.get, page.waitPath), who = try await browser.whoIsIn()

        #expect(
            who == nil
                && (what == .never
                    ? done.status == 200 : done.status == 403 && done.body.contains("This login is not possible"))
        )
    }

    @Test("a person without a phone is told so; one whose phones are all blocked too, and is not led to another")
    func hindered() async throws {
        let server = try TestServer.ofSuite, bare = try await server.newResident(), browser = Browser(server),
            locked = Browser(server)
        var (account, phone) = try await person(requires: .any)
        _ = try await server.approver(of: bare, confirmed: false)
        try await browser.logInWithPassword(as: bare)
        for _ in 0..<5 { _ = try await phone.validate(isWrong: true) }

        let none = try await browser.beginWithPhone(Browser.approval)
        let place = try await locked.goOn(
            try await locked.follow(try await locked.open(.get, "/account")), as: account.username)
        let add = try await locked.open(.get, "/account/approvals/add"),
            addOther = try await locked.open(.get, "/account/phones/add")

        #expect(none.body.contains("No phone is set up") && none.body.contains("href=\"/account/approvals/add\""))
        #expect(
            place.page?.body.contains("This phone is blocked") == true && add.place.hasPrefix("/login/approval?")
                && addOther.place.hasPrefix("/login/approval?"))
    }

    @Test("who has both kinds of phone can choose on either page; who has one is shown no other")
    func both() async throws {
        let (account, _) = try await person(requires: .any), (single, _) = try await person(),
            server = try TestServer.ofSuite
        _ = try await server.enrollPhone(of: account)
        let browser = Browser(server), other = Browser(server)
        try await other.logInWithPassword(as: single)

        let first = try await browser.goOn(
            try await browser.follow(try await browser.open(.get, "/account")), as: account.username
        ).page
        let door = first?.body.firstMatch(of: #/href="(\/login\/approval\?return_to=[^"]*)"/#).map { String($0.1) }
        let second = try await browser.beginWithPhone(try #require(door)),
            alone = try await other.beginWithPhone(Browser.approval)

        #expect(first?.phoneLink.hasPrefix("tiqrauth:") == true && !second.approvalLink.isEmpty)
        #expect(
            second.body.contains("href=\"/login/tiqr?return_to=%2Faccount\"")
                && !alone.body.contains("href=\"/login/tiqr"))
    }

    @Test("phones ring only for a browser that logged this person in by two factors before, and three times in a row")
    func pushes() async throws {
        try await TestServer.with(options: TestServerOptions(ringsApprovers: true)) { server in
            var (account, phone) = try await person(in: server)
            let known = Browser(server), fresh = Browser(server),
                address: JSONValue = ["platform": "ios", "token": .string(String(repeating: "AB", count: 32))]
            let token = try await phone.createToken(),
                registered = try await phone.read("/api/push/device/register", address, with: token)
            try await phone.logsIn(known)
            try await fresh.logInWithPassword(as: account)

            let stranger = try await fresh.open(.get, Browser.approval)
            var places: [String] = []
            for _ in 0..<4 { places.append(try await known.open(.get, Browser.approval).place) }
            let page = try await known.open(.get, places[0])

            #expect(
                registered.isOK && !stranger.place.contains("push")
                    && places.map { $0.hasSuffix("&push=1") } == [true, true, true, false])
            #expect(page.body.contains("Your phone has been asked."))
        }
    }
}
