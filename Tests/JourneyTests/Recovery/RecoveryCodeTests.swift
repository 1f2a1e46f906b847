import Accounts
import Base
import Database
import Foundation
import HTTPTypes
import TestSupport
import Testing
import TokenTree

@Suite("Recovery codes", .server)
struct RecoveryCodeTests {
    /// The codes that somebody is shown whose phone is shown first.
    private func make(_ account: Account, _ identity: PhoneIdentity, _ server: TestServer) async throws -> [String] {
        let browser = Browser(server)
        try await browser.logInWithPhone(identity)
        let page = try await browser.open(.get, "/account/recovery")
        try #require(page.status == 200, "page: \(page.place)")
        let shown = try await browser.submit(page)
        return shown.body.matches(of: #/<code>([0-9A-Z\-]{14})<\/code>/#).map { String($0.1) }
    }

    /// Led by the password to where a second factor is asked for.
    private func begin(_ account: Account, _ server: TestServer) async throws -> Browser {
        let browser = Browser(server)
        let page = try #require(try await browser.follow(try await browser.open(.get, "/account")).page)
        _ = try await Patience.whileBusy {
            try await browser.submit(page, ["username": account.username, "password": Residents.password])
        }
        return browser
    }

    private func type(_ code: String, _ browser: Browser) async throws -> Reply {
        try await browser.submit(
            try await browser.open(.get, "/login/recovery?return_to=/account"), ["code": code])
    }

    @Test(
        "ten are shown once, and one of them stands in for the phone once",
        arguments: [Account.RequiredFactor.any, .tiqr])
    func whole(_ required: Account.RequiredFactor) async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(requires: required)
        let identity = try await server.enrollPhone(of: account), codes = try await make(account, identity, server)
        try #require(codes.count == 10 && Set(codes).count == 10)

        let browser = try await begin(account, server)
        #expect(try await browser.open(.get, "/account").status == 303, "the password alone is too little")
        let done = try await type(codes[0].lowercased().replacing("-", with: " "), browser)
        #expect(done.place == "/account")
        #expect(try await browser.open(.get, "/account").status == 200)

        let again = try await type(codes[0], try await begin(account, server))
        #expect(again.status == 200 && again.body.contains("role=\"alert\""))
        let stored: Int64 = try await server.database.value(
            "select count(*) from recovery_code where account = \(account.id)")
        #expect(stored == 9)
    }

    @Test("where a passkey is asked for none does, and nobody is logged in by one alone")
    func notEnough() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(requires: .any)
        let identity = try await server.enrollPhone(of: account), codes = try await make(account, identity, server)

        let stranger = try await Browser(server).open(.get, "/login/recovery?return_to=/account")
        #expect(stranger.status == 303 && stranger.place.hasPrefix("/login"))

        _ = try await AccountStore(clock: server.time.clock).update(
            account.id, AccountChange(requiredFactor: .passkey), in: server.database)
        let browser = try await begin(account, server)
        _ = try await type(codes[0], browser)
        #expect(try await browser.open(.get, "/account").status != 200)
    }

    @Test("wrong ones are counted, and then it takes a while")
    func limited() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(requires: .any)
        let identity = try await server.enrollPhone(of: account), codes = try await make(account, identity, server)
        let browser = try await begin(account, server)

        var last = 0
        for _ in 0..<8 { last = try await type("0000-0000-0000", browser).status }
        let right = try await type(codes[0], browser)

        #expect(last == 429 && right.status == 429)
    }

    @Test("of two who type one code at once, one is in")
    func together() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(requires: .any)
        let identity = try await server.enrollPhone(of: account), codes = try await make(account, identity, server)
        let one = try await begin(account, server), other = try await begin(account, server)

        async let first = type(codes[0], one)
        async let second = type(codes[0], other)
        let places = try await [first.place, second.place].filter { $0 == "/account" }

        #expect(places.count == 1)
    }

    @Test("they keep nobody from setting up another phone when an operator took the last away")
    func alone() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(requires: .any)
        let identity = try await server.enrollPhone(of: account)
        _ = try await make(account, identity, server)
        try await server.phones.removeAll(of: account.id, actor: .server)

        let browser = try await begin(account, server), led = try await browser.open(.get, "/account")

        #expect(led.place.hasSuffix("/add"))
    }

    @Test("an app sends one in place of the phone's answer")
    func app() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(requires: .tiqr)
        let identity = try await server.enrollPhone(of: account), codes = try await make(account, identity, server)
        let phone = try await Phone.registered(in: server)

        let first = try await phone.logInForCode(as: account.username)
        let second = try await phone.ask(["auth_session": first["auth_session"], "factor": "recovery"])
        let missing = try await phone.ask(["auth_session": second["auth_session"]])
        let wrong = try await phone.ask(["auth_session": second["auth_session"], "recovery_code": "0000-0000-0000"])
        let done = try await phone.ask(["auth_session": second["auth_session"], "recovery_code": codes[3]])

        #expect(first.json["factors"] == ["tiqr", "recovery"])
        #expect(second.outcome == "403 insufficient_authorization" && missing.outcome == "400 invalid_request")
        #expect(wrong.outcome == "403 access_denied" && done.outcome == "200")
        #expect(try await phone.redeem(code: done["authorization_code"] ?? "").outcome == "200")
    }
}
