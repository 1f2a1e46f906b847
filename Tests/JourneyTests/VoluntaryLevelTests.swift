import Accounts
import Base
import Foundation
import HTTPTypes
import OAuth
import TestSupport
import Testing

/// `acr_values` are a wish (OpenID Connect Core, 5.5.1.1): who has the factor is asked for it, and may go on without.
@Suite("Going on without a level that is merely wished for", .server)
struct VoluntaryLevelTests {
    private static let mfa = "https://refeds.org/profile/mfa", sfa = "https://refeds.org/profile/sfa"
    private static let essential = "{\"id_token\":{\"acr\":{\"essential\":true,\"values\":[\"\(mfa)\"]}}}"

    private func path(in page: Reply) -> String? {
        page.body.firstMatch(of: #/href="(\/login\/without\?request=[A-Za-z0-9_\-]+)"/#).map { String($0.1) }
    }

    private func reference(_ page: Reply) -> String {
        Browser.form(page).fields.first { $0.0 == "request" }?.1 ?? ""
    }

    /// Of a form for that, as the server would show it to this browser.
    private func token(_ browser: Browser, _ purpose: String) async throws -> String {
        let cookies = await browser.cookies
        return BrowserSessionContext(
            browser: cookies["pando_browser"] ?? "",
            session: try await browser.server.web.login.session(cookie: cookies["pando_session"] ?? ""),
            device: nil, origin: nil
        ).formToken(purpose)
    }

    /// A person with a password and a passkey, in a browser without scripts, at the page that asks for the passkey.
    private func asked(
        _ app: WebApp, requires: Account.RequiredFactor = .none, _ changes: KeyValuePairs<String, String?>
    ) async throws -> (browser: Browser, person: Account, page: Reply) {
        let server = app.server, person = try await server.newResident(requires: requires), browser = Browser(server)
        _ = try await server.passkey(of: person)
        let draft = AuthorizationDraft(app.id, changes: changes)
        let place = try await browser.signIn(draft, as: person.username)
        let page = try #require(place.page)
        try #require(page.body.contains("data-passkey="))
        return (browser, person, page)
    }

    @Test("a person with a passkey alone goes on without scripts, and the application reads which level that is")
    func goesOn() async throws {
        let app = try await TestServer.ofSuite.webApp()
        let (browser, person, page) = try await asked(app, ["acr_values": VoluntaryLevelTests.mfa])

        let door = try #require(path(in: page)), asks = try await browser.open(.get, door)
        let place = try await browser.goOn(
            try await browser.follow(try await browser.submit(asks)), as: person.username)
        let tokens = try await app.redeem(place.answer["code"])

        #expect(asks.status == 200 && asks.body.contains("Go on without a second factor?"))
        #expect(!asks.body.contains("<script"))
        #expect(tokens.outcome == "200")
        let told = claims(of: tokens["id_token"] ?? "")
        #expect(told["acr"] == .string(VoluntaryLevelTests.sfa) && told["amr"] == ["pwd"])

        let next = try await browser.signIn(
            AuthorizationDraft(app.id, changes: ["acr_values": VoluntaryLevelTests.mfa]), as: person.username)
        #expect(next.page.flatMap(path) != nil, "it was of that request: the next one asks anew")
    }

    @Test(
        "a condition offers no such door, and takes no such answer",
        arguments: [
            (Account.RequiredFactor.none, ["claims": VoluntaryLevelTests.essential]),
            (.any, ["acr_values": VoluntaryLevelTests.mfa]), (.passkey, [:]),
        ] as [(Account.RequiredFactor, [String: String])])
    func condition(_ required: Account.RequiredFactor, _ changes: [String: String]) async throws {
        let app = try await TestServer.ofSuite.webApp(), (name, value) = changes.first ?? ("max_age", "600")
        let (browser, _, page) = try await asked(app, requires: required, [name: value]), reference = reference(page)

        let led = try await browser.open(.get, "/login/without?request=\(reference)")
        let token = try await token(browser, "without \(reference)")
        let pushed = try await browser.open(
            .post, "/login/without", form: [("request", reference), ("form_token", token)])
        let after = try await browser.follow(try await browser.open(.get, "/authorize?continue=\(reference)"))

        #expect(path(in: page) == nil && led.place == "/authorize?continue=\(reference)")
        #expect(pushed.status == 400 && after.page?.body.contains("data-passkey=") == true)
    }

    @Test("another browser, a form of another page and one without its token change nothing")
    func hostile() async throws {
        let app = try await TestServer.ofSuite.webApp()
        let (browser, person, page) = try await asked(app, ["acr_values": VoluntaryLevelTests.mfa])
        let reference = reference(page), stranger = Browser(app.server)
        _ = try await stranger.goOn(
            try await stranger.follow(try await stranger.open(.get, "/account")), as: person.username)

        let foreign = try await stranger.open(.get, "/login/without?request=\(reference)")
        var answers: [Reply] = []
        let another = try await token(stranger, "without \(reference)")
        answers.append(
            try await stranger.open(.post, "/login/without", form: [("request", reference), ("form_token", another)]))
        let login = try await token(browser, "login \(reference)")
        for token in [another, login, "", "x"] {
            answers.append(
                try await browser.open(.post, "/login/without", form: [("request", reference), ("form_token", token)]))
        }
        answers.append(try await browser.open(.post, "/login/without", form: [("request", reference)]))
        let after = try await browser.follow(try await browser.open(.get, "/authorize?continue=\(reference)"))

        #expect(foreign.status == 400)
        for answer in answers { #expect((400..<500).contains(answer.status), "\(answer.outcome)") }
        #expect(after.page?.body.contains("data-passkey=") == true, "still asked for")
    }

    @Test("a request that was answered, or is over, is told so")
    func over() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp()
            let (browser, person, page) = try await asked(app, ["acr_values": VoluntaryLevelTests.mfa])
            let asks = try await browser.open(.get, try #require(path(in: page)))
            let twice = [try await browser.submit(asks), try await browser.submit(asks)]
            let done = try await browser.goOn(try await browser.follow(twice[0]), as: person.username)
            let answered = try await browser.submit(asks)

            #expect(twice.allSatisfy { $0.place == "/authorize?continue=\(reference(page))" }, "twice is once")
            #expect(done.answer["code"] != nil && answered.status == 400)

            let (other, _, late) = try await asked(app, ["acr_values": VoluntaryLevelTests.mfa])
            let asksLate = try await other.open(.get, try #require(path(in: late)))
            server.time.advance(1_801)
            let tooLate = try await other.submit(asksLate)
            #expect(tooLate.status == 400)
        }
    }
}
