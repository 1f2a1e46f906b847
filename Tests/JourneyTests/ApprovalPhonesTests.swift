import Accounts
import Base
import Foundation
import HTTPTypes
import Operations
import TestSupport
import Testing
import TokenTree

@Suite("A person's phones that approve", .server)
struct ApprovalPhonesTests {
    private static let add = "/account/approvals/add"

    /// The page with the activation code; the browser is logged in.
    private func begin(_ browser: Browser) async throws -> Reply {
        let page = try await browser.open(.get, ApprovalPhonesTests.add)
        try #require(page.status == 200, "add: \(page.place)")
        return try #require(try await browser.follow(try await browser.submit(page)).page)
    }

    private func remove(
        _ browser: Browser, _ phone: String, at path: String = "/account/approvals/remove"
    ) async throws -> Reply {
        let token = try await browser.server.formToken(browser, at: "/account")
        return try await browser.open(.post, path, form: [("form_token", token), ("phone", phone)])
    }

    @Test("a phone is set up: scanned, its digits compared, confirmed; then the account lists it, and it is a factor")
    func whole() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(), browser = Browser(server)
        var phone = try await server.newApprover()
        try await browser.logInWithPassword(as: account)

        let first = try await browser.open(.get, ApprovalPhonesTests.add), scan = try await begin(browser),
            same = try await browser.open(.get, scan.waitPath)
        try await phone.activate(scan.shownCode)
        let early = try await phone.validate(),
            isEarly = try await server.approvals.isEnrolled(account.id, in: server.database)
        let compare = try await browser.open(.get, scan.waitPath), digits = try phone.fingerprint()
        let page = try #require(try await browser.follow(try await browser.submit(compare)).page)
        let signed = try await phone.validate(), another = try await browser.open(.get, ApprovalPhonesTests.add)

        let config = try #require(try await server.approvals.configuration().sdkConfig)
        #expect(first.body.contains("<code>\(config)</code>") && first.body.contains(ServerParts.operationsBase))
        #expect(
            scan.shownCode == same.shownCode && scan.shownCode.utf8.count == 23
                && scan[header: "Referrer-Policy"] == "no-referrer")
        #expect(
            !early.isOK && !isEarly && compare.shownCode == "\(digits.prefix(4)) \(digits.suffix(4))"
                && compare.body.contains("Compare the digits"))
        #expect(page.body.contains("Your phone is set up.") && page.body.contains("my phone") && signed.isOK)
        #expect(another.place.hasPrefix("/login/approval?return_to="), "from now on changes want the phone")
    }

    @Test("events tell how far the phone is, until that can change no more; to others neither page nor events exist")
    func events() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(), browser = Browser(server),
            stranger = Browser(server)
        var phone = try await server.newApprover()
        try await browser.logInWithPassword(as: account)
        try await stranger.logInWithPassword(as: try await server.newResident())
        let scan = try await begin(browser)

        let foreign = try await stranger.open(.get, scan.waitPath),
            deaf = try await stranger.open(.get, scan.events, headers: [.accept: "text/event-stream"])
        async let told = browser.open(.get, scan.events, headers: [.accept: "text/event-stream"])
        try await Task.sleep(for: .milliseconds(300))
        try await phone.activate(scan.shownCode)
        let compare = try await browser.open(.get, scan.waitPath)
        _ = try await browser.submit(compare)
        let body = try await told.body

        #expect(foreign.status == 404 && deaf.outcome == "404 not_found")
        #expect(
            compare.events != scan.events && body.hasPrefix("retry: 2000\n\n")
                && body.hasSuffix("event: state\ndata: final\n\n"))
    }

    @Test("cancelled because the digits are another phone's: that phone is removed, and confirming comes too late")
    func cancelled() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(), browser = Browser(server)
        var stranger = try await server.newApprover()
        try await browser.logInWithPassword(as: account)
        let scan = try await begin(browser)
        try await stranger.activate(scan.shownCode)
        let compare = try await browser.open(.get, scan.waitPath)

        let cancelled = try await browser.open(
            .post, "/account/approvals/cancel", form: compare.fields("/account/approvals/cancel"))
        let late = try await browser.follow(try await browser.submit(compare)).page
        let signed = try await stranger.validate(), phones = try await server.approvals.phones(of: account.id)

        #expect(
            cancelled.place == "/account" && late?.body.contains("This was cancelled") == true && !signed.isOK
                && phones.isEmpty)
    }

    @Test("an activation code that nobody used in time is over, and begun anew")
    func slow() async throws {
        try await TestServer.with { server in
            let account = try await server.newResident(), browser = Browser(server)
            var phone = try await server.newApprover()
            try await browser.logInWithPassword(as: account)
            let scan = try await begin(browser)
            server.time.advance(601)

            let over = try await browser.open(.get, scan.waitPath)
            var isRefused = false
            do { try await phone.activate(scan.shownCode) } catch is PowerAuthPhoneError { isRefused = true }

            #expect(
                isRefused && over.body.contains("The code has expired")
                    && over.body.contains("href=\"/account/approvals/add\""))
        }
    }

    @Test(
        """
        an account that asks for a phone can set up this kind too, is then asked for it, and goes on to the \
        application
        """
    )
    func required() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(requires: .any),
            app = try await server.webApp(), browser = Browser(server)
        var phone = try await server.newApprover()

        let page = try #require(try await browser.signIn(AuthorizationDraft(app.id), as: account.username).page)
        let door = try #require(
            page.body.firstMatch(of: #/href="(\/account\/approvals\/add\?request=[^"]*)"/#).map { String($0.1) })
        let own = try await browser.open(.get, door),
            scan = try #require(try await browser.follow(try await browser.submit(own)).page)
        try await phone.activate(scan.shownCode)
        let compare = try await browser.open(.get, scan.waitPath)
        let asked = try #require(try await browser.follow(try await browser.submit(compare)).page)
        let approved = try await phone.approve(link: asked.approvalLink)
        let place = try await browser.goOn(try await browser.follow(try await browser.open(.get, asked.waitPath)))

        #expect(
            own.body.contains("This account asks for a login with a phone.")
                && own.fields(ApprovalPhonesTests.add).contains { $0.0 == "request" })
        #expect(approved.isOK && place.answer["code"] != nil)
    }

    @Test(
        "who has a phone of either kind changes phones of both kinds with it only, and within 15 minutes",
        arguments: [true, false])
    func strength(_ isApproving: Bool) async throws {
        try await TestServer.with { server in
            let account = try await server.newResident(), thief = Browser(server), owner = Browser(server)
            let door = isApproving ? "/login/approval?" : "/login/tiqr?"
            if isApproving {
                var phone = try await server.approver(of: account)
                try await phone.logsIn(owner)
            } else {
                try await owner.logInWithPhone(try await server.enrollPhone(of: account))
            }
            try await thief.logInWithPassword(as: account)

            let adds = [
                try await thief.open(.get, ApprovalPhonesTests.add), try await thief.open(.get, "/account/phones/add"),
            ].map(\.place)
            let direct = try await remove(thief, "x"), right = try await owner.open(.get, ApprovalPhonesTests.add)
            let token = try await server.formToken(thief, at: "/login?return_to=/account&again=1")
            let form = try await thief.open(.post, ApprovalPhonesTests.add, form: [("form_token", token)])
            server.time.advance(901)
            let late = try await owner.open(.get, ApprovalPhonesTests.add)

            #expect(adds.allSatisfy { $0.hasPrefix(door) } && direct.place.hasPrefix(door) && right.status == 200)
            #expect(form.status == 403 && late.place.hasPrefix(door))
        }
    }

    @Test("a removed phone approves nothing; another's cannot be removed")
    func removal() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(),
            stranger = try await server.newResident(), browser = Browser(server)
        var phone = try await server.approver(of: account)
        let theirs = try await server.approver(of: stranger).activationID
        try await phone.logsIn(browser)

        let foreign = try await remove(browser, theirs), gone = try await remove(browser, phone.activationID)
        let page = try await browser.open(.get, gone.place), status = try await phone.status(),
            others = try await server.approvals.phones(of: stranger.id)

        #expect(foreign.status == 404 && others.map(\.id) == [theirs])
        #expect(
            gone.place == "/account?done=phone-removed" && page.body.contains("The phone is removed.")
                && status?.state == .removed)
    }

    @Test("the last factor of an account that asks for one stays: of two kinds removed at once, one too")
    func lastFactor() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(requires: .any),
            browser = Browser(server)
        var phone = try await server.approver(of: account)
        let id = phone.activationID, other = try await server.enrollPhone(of: account).name
        try await phone.logsIn(browser)
        let token = try await server.formToken(browser, at: "/account")

        let places = try await withThrowingTaskGroup(of: String.self) { group in
            for (path, name) in [("/account/approvals/remove", id), ("/account/phones/remove", other)] {
                group.addTask {
                    try await browser.open(.post, path, form: [("form_token", token), ("phone", name)]).place
                }
            }
            return try await group.reduce(into: [String]()) { $0.append($1) }
        }
        let left =
            try await server.approvals.phones(of: account.id).count
            + (try await server.phones.phones(of: account.id).count)

        #expect(places.sorted() == ["/account?done=phone-kept", "/account?done=phone-removed"] && left == 1)
    }

    @Test(
        """
        where a phone is what an account asks for, one of either kind does,
            and the last stays; a passkey does not stand in for it
        """
    )
    func lastOfKind() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(requires: .tiqr),
            browser = Browser(server)
        let identity = try await server.enrollPhone(of: account)
        var phone = try await server.approver(of: account)
        _ = try await server.passkey(of: account)
        try await phone.logsIn(browser)

        let gone = try await remove(browser, identity.name, at: "/account/phones/remove"),
            kept = try await remove(browser, phone.activationID)

        #expect(gone.place == "/account?done=phone-removed" && kept.place == "/account?done=phone-kept")
    }

    @Test("the account says which phones are blocked or not confirmed, with the digits of those")
    func states() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(), browser = Browser(server)
        let waiting = try await server.approver(of: account, confirmed: false)
        var good = try await server.approver(of: account), blocked = try await server.approver(of: account)
        for _ in 0..<5 { _ = try await blocked.validate(isWrong: true) }
        try await good.logsIn(browser)

        let page = try await browser.open(.get, "/account"), digits = try waiting.fingerprint()

        #expect(
            page.body.contains("<span class=\"badge\">blocked</span>")
                && page.body.contains("<span class=\"badge\">not confirmed</span>"))
        #expect(
            page.body.contains("\(digits.prefix(4)) \(digits.suffix(4))") && page.body.contains("Phones that approve"))
    }

    @Test("twenty phones are many")
    func many() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(), browser = Browser(server)
        try await browser.logInWithPassword(as: account)
        for _ in 0..<ApprovalLogin.mostPhones {
            _ = try await server.approvals.register(account.id, below: [], actor: .server)
        }

        let page = try await begin(browser)

        #expect(page.body.contains("There are many phones already"))
    }

    @Test("with the account its phones go, and what they were asked is canceled")
    func deleted() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident()
        var phone = try await server.approver(of: account)
        _ = try await server.approver(of: account, confirmed: false)
        let login = try await server.approvals.begin(account.id, .init(from: "192.0.2.1"), below: [], actor: .server)

        let count = try await server.database.atomically {
            try await ApprovalLogin.removeAll(of: account.id, actor: .server, at: server.time.now, in: $0)
        }
        let phones = try await server.approvals.phones(of: account.id),
            after = try await server.approvals.state(login.id), signed = try await phone.validate()

        #expect(count == 2 && phones.isEmpty && after?.status == .canceled && after?.deeplink == nil && !signed.isOK)
    }
}
