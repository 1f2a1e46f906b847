import Accounts
import Base
import Database
import Foundation
import HTTPTypes
import Push
import TestSupport
import Testing
import Tiqr
import TokenTree

@Suite("/login/tiqr/number: a push is answered in the browser that began it")
struct TiqrNumberPageTests {
    /// A person who is logged in and whose phone was rung again from the same browser.
    private struct Rung {
        let server: TestServer, browser: Browser, identity: PhoneIdentity
        let page: Reply, path: String, link: String, number: String

        var wrong: String { number == "00" ? "01" : "00" }
        func answers() async throws -> Bool { try await TiqrPhone(server).logsIn(link, identity) }
        func tell(_ number: String) async throws -> Reply { try await browser.submit(page, ["number": number]) }
        func wait() async throws -> Reply { try await browser.open(.get, path) }
    }

    private func rung(_ body: @Sendable (Rung) async throws -> Void) async throws {
        let webhook = PushWebhook(
            url: "https://push.example.org", secret: Randomness.system.secret(),
            http: PushHTTP { _ in PushHTTP.Answer(status: 204, body: []) }, clock: .system)
        var options = TestServerOptions(pushes: PushRoutes(webhook: webhook))
        options.flags["tiqr-number-matching"] = "push"
        try await TestServer.with(options: options) { server in
            let account = try await server.newResident(), identity = try await server.enrollPhone(of: account),
                browser = Browser(server)
            try await browser.logInWithPhone(identity)
            let path = try await browser.open(.get, "/login/tiqr?return_to=/account").place,
                page = try await browser.open(.get, path)
            let rows = try await server.database.query(
                "select id, number from tiqr_authentication where number_state = 'due'")
            let row = try #require(rows.first)
            let link = try await server.phones.shown(try row("id")).authURL
            try await body(
                Rung(
                    server: server, browser: browser, identity: identity, page: page, path: path, link: link,
                    number: try row("number")))
        }
    }

    @Test("the page shows no code, and neither the answer nor the number alone is enough")
    func both() async throws {
        try await rung { rung in
            let isIn = try await rung.answers(), between = try await rung.wait()
            let told = try await rung.tell(rung.number), done = try await rung.wait(),
                replayed = try await rung.tell(rung.number)

            #expect(rung.page.status == 200 && rung.page.phoneLink.isEmpty)
            #expect(isIn && between.status == 200 && between.body.contains("You have confirmed."))
            #expect(told.status == 303 && done.place == "/account" && replayed.status != 200)
        }
        try await rung { rung in
            let told = try await rung.tell(rung.number), between = try await rung.wait(),
                isIn = try await rung.answers()
            let done = try await rung.wait()

            #expect(told.status == 303 && between.body.contains("The number is right.") && isIn)
            #expect(done.place == "/account")
        }
    }

    @Test("a wrong number ends it, whatever comes after")
    func wrong() async throws {
        try await rung { rung in
            let isIn = try await rung.answers(), told = try await rung.tell(rung.wrong)
            let late = try await rung.tell(rung.number), after = try await rung.wait()

            #expect(isIn && told.status == 303 && late.status == 303 && after.place != "/account")
        }
    }

    @Test("what is no number is asked for again")
    func malformed() async throws {
        try await rung { rung in
            for typed in ["", "7", "123", "4a", "<b>", String(repeating: "4", count: 2_000)] {
                let again = try await rung.tell(typed)
                #expect(again.status == 200 && again.body.contains("role=\"alert\""), "\(typed.prefix(9))")
            }
            let right = try await rung.tell(rung.number), next = try await rung.wait()

            #expect(right.status == 303 && next.body.contains("The number is right."))
        }
    }

    @Test("a phone that is blocked meanwhile is waited for no more: the page says so, and no number is taken")
    func blocked() async throws {
        let operators = TiqrCaller.administrator(AuditActor(name: "admin:root"))
        try await rung { rung in
            try await rung.server.parts.tiqr.block(rung.identity.name, minutes: 5, for: operators)
            let page = try await rung.wait(), told = try await rung.tell(rung.number),
                malformed = try await rung.tell("x"), isIn = try await rung.answers(), after = try await rung.wait()
            let states = try await rung.server.database.query(
                "select number_state from tiqr_authentication where number is not null")

            #expect(page.body.contains("This phone is blocked") && !page.body.contains("name=\"number\""))
            #expect(told.status == 303 && malformed.status == 303 && !isIn && after.place != "/account")
            #expect(try states.map { try $0("number_state", as: String.self) } == ["due"])
        }
        try await rung { rung in
            let told = try await rung.tell(rung.number), page = try await rung.wait()
            try await rung.server.parts.tiqr.block(rung.identity.name, minutes: 5, for: operators)
            let stream = try await rung.browser.open(.get, page.events), after = try await rung.wait()

            #expect(told.status == 303 && page.body.contains("The number is right."))
            #expect(stream.body.contains("event: state") && stream.body.contains("data: final"))
            #expect(after.body.contains("This phone is blocked"))
        }
        try await rung { rung in
            let isIn = try await rung.answers()
            try await rung.server.parts.tiqr.block(rung.identity.name, minutes: nil, for: operators)
            let after = try await rung.wait()

            #expect(isIn && after.body.contains("This phone is blocked"))
        }
    }

    @Test("another browser can tell nothing; who wants a code instead rings no phone and has no number")
    func others() async throws {
        try await rung { rung in
            let thief = try await Browser(rung.server).submit(rung.page, ["number": rung.number])
            let place = try await rung.browser.open(.get, "/login/tiqr?return_to=/account&push=0").place
            let code = try await rung.browser.open(.get, place)

            #expect(thief.status == 403 && !place.contains("push=1") && !code.phoneLink.isEmpty)
        }
    }
}
