import Accounts
import Base
import Database
import Foundation
import HTTPTypes
import OAuth
import TestSupport
import Testing
import Vocabulary

@testable import HTTP
@testable import OAuth

@Suite("/login: what somebody used last comes first", .server)
struct RememberedWayTests {
    private static let remembered = "As last time in this browser:"

    private func at(_ text: String, in page: Reply) -> String.Index? { page.body.range(of: text)?.lowerBound }

    private func login(_ browser: Browser) async throws -> Reply {
        try await browser.open(.get, "/login?return_to=/account&again=1")
    }

    @Test("a phone that logged somebody in stands before the password the next time, and once only")
    func phone() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(),
            identity = try await server.enrollPhone(of: account), browser = Browser(server)
        let before = try await login(browser)
        try await browser.logInWithPhone(identity)

        let after = try await login(browser)

        let way = try #require(at("/login/tiqr?", in: after)), username = try #require(at("id=\"username\"", in: after))
        #expect(at(Self.remembered, in: before) == nil && at(Self.remembered, in: after) != nil && way < username)
        #expect(after.body.components(separatedBy: "href=\"/login/tiqr?").count == 2)
    }

    @Test("the password leaves the page as it is, and takes the place of what was remembered")
    func password() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(), browser = Browser(server)
        await browser.set(cookie: "pando_way", to: "tiqr")
        let before = try await login(browser)
        try await browser.logInWithPassword(as: account)

        let after = try await login(browser)

        #expect(at(Self.remembered, in: before) != nil && at(Self.remembered, in: after) == nil)
    }

    @Test(
        "whatever else the cookie holds changes nothing, and is not shown",
        arguments: ["", "recovery", "nothing", "TIQR", "tiqr%0d", "<b>", "a;b", String(repeating: "a", count: 4_000)])
    func hostile(_ value: String) async throws {
        let browser = Browser(try TestServer.ofSuite)
        await browser.set(cookie: "pando_way", to: value)

        let page = try await login(browser)

        #expect(page.status == 200 && at(Self.remembered, in: page) == nil)
    }

    @Test("the login page is the same for everybody whom the browser does not know, whoever is named")
    func noOracle() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident()
        _ = try await server.enrollPhone(of: account)
        func page(_ name: String) async throws -> String {
            let browser = Browser(server), first = try await login(browser)
            let reply = try await Patience.whileBusy {
                try await browser.submit(first, ["username": name, "password": "not the password"])
            }
            return reply.body.replacing(name, with: "NAME").replacing(#/name="form_token" value="[^"]*"/#, with: "")
        }

        let known = try await page(account.username), unknown = try await page("nobody-\(account.username)")

        #expect(known == unknown && known.contains("role=\"alert\""))
    }

    private static func factor(_ name: String, isReserve: Bool = false) -> SecondFactor {
        SecondFactor(
            name: name, page: "/login/\(name)", enrollmentPage: nil, isReserve: isReserve, button: { _ in name },
            isEnrolled: { _, _ in true }, begin: { _, _ in ("", [:]) },
            progress: { _, _, _, _, _ in .failed(OAuthError(.accessDenied, "no")) })
    }

    @Test("a second factor is the one that is used in this browser, then elsewhere; what stands in for others is last")
    func order() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(),
            context = try await server.browserContext(as: account), session = try #require(context.session)
        let factors = ["recovery", "one", "two", "three"].map { Self.factor($0, isReserve: $0 == "recovery") }
        func order() async throws -> [String] {
            try await SecondFactor.byUse(factors, session, in: server.database).map(\.name)
        }
        func use(_ factor: String, in client: String) async throws {
            _ = try await AuthenticationEvents(clock: server.web.login.clock).record(
                account, methods: ["mfa"], factor: factor, client: client, in: server.database)
        }

        let unused = try await order()
        try await use("recovery", in: context.client)
        try await use("three", in: context.client)
        try await use("two", in: "browser:another")
        let used = try await order()

        #expect(unused == ["one", "two", "three", "recovery"] && used == ["three", "two", "one", "recovery"])
    }
}
