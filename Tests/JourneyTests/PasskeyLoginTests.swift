import Accounts
import Base
import Foundation
import HTTPTypes
import Liquid
import TestSupport
import Testing
import TokenTree

@Suite("Login with a passkey, in a browser", .server)
struct PasskeyLoginTests {
    private static let mfa = "https://refeds.org/profile/mfa"
    private static let essential = "{\"id_token\":{\"acr\":{\"essential\":true,\"value\":\"\(mfa)\"}}}"

    @Test("without a name, from the login page: the passkey says who it is, and the application hears of two factors")
    func whole() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(),
            device = try await server.passkey(of: account)
        let app = try await server.webApp(), browser = Browser(server)

        let login = try #require(
            try await browser.follow(try await browser.open(.get, AuthorizationDraft(app.id).path)).page)
        let shown = try await browser.show(device, at: login)
        let place = try await browser.goOn(try await browser.follow(shown))
        let tokens = try await app.redeem(place.answer["code"]), idToken = claims(of: tokens["id_token"] ?? ""),
            script = try await server.get("/assets/passkey.js")

        #expect(login.body.contains("autocomplete=\"username webauthn\""))
        #expect(
            login[header: "Content-Security-Policy"]?.hasPrefix(
                "script-src 'self'; connect-src 'self'; default-src 'none'") == true)
        #expect(script.status == 200 && script[header: "Content-Type"] == "text/javascript; charset=utf-8")
        #expect(
            tokens.outcome == "200" && idToken["amr"] == ["mfa", "swk", "user"]
                && idToken["acr"] == .string(PasskeyLoginTests.mfa))
    }

    @Test("to nobody in particular the question names no passkey, and is no other than for somebody without one")
    func names() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(),
            device = try await server.passkey(of: account)
        let stranger = Browser(server), person = Browser(server)
        try await person.logInWithPassword(as: account)

        let blank = try await stranger.ask(try await stranger.open(.get, Browser.passkey)).asked
        let own = try await person.ask(try await person.open(.get, Browser.passkey)).asked

        #expect(
            blank.json["options"]?["allowCredentials"] == [] && blank.json["options"]?["userVerification"] == "required"
        )
        #expect(
            own.json["options"]?["allowCredentials"]?.array?.compactMap { $0["id"]?.string } == [device.name]
                && own[header: "Cache-Control"] == "no-store")
    }

    @Test("after the password, where the application insists: a passkey of that person, and of nobody else")
    func secondFactor() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(),
            other = try await server.newResident(), app = try await server.webApp()
        let device = try await server.passkey(of: account), foreign = try await server.passkey(of: other),
            browser = Browser(server)
        let draft = AuthorizationDraft(app.id, changes: ["claims": PasskeyLoginTests.essential])

        let page = try #require(try await browser.signIn(draft, as: account.username).page)
        let refused = try await browser.show(foreign, at: page), shown = try await browser.show(device, at: page)
        let place = try await browser.goOn(try await browser.follow(shown)),
            tokens = try await app.redeem(place.answer["code"])

        #expect(
            page.body.contains("data-passkey=\"get\"") && refused.status == 200
                && refused.body.contains("This passkey is another person"))
        #expect(claims(of: tokens["id_token"] ?? "")["amr"] == ["mfa", "pwd", "swk", "user"])
    }

    @Test("an account that asks for a passkey is let in by no phone; its passkey is asked for after it, at devices too")
    func required() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(requires: .passkey),
            browser = Browser(server)
        let identity = try await server.enrollPhone(of: account), device = try await server.passkey(of: account)

        try await browser.logInWithPhone(identity)
        let barred = [
            try await browser.open(.get, "/account"), try await browser.open(.get, "/device"),
            try await browser.open(.get, "/account/password"),
        ]
        let page = try #require(try await browser.follow(barred[0]).page)
        let shown = try await browser.show(device, at: page), own = try await browser.open(.get, "/account")

        #expect(
            barred.map(\.place)
                == ["%2Faccount", "%2Fdevice", "%2Faccount%2Fpassword"].map { "/login/passkey?return_to=" + $0 })
        #expect(shown.place == "/account" && own.status == 200)
        #expect(
            !page.body.contains("/login/tiqr") && page.body.contains("Have you lost your passkey?"),
            "a phone would lead here again")
    }

    @Test("another factor that the account takes is a door, and nobody is sent to the support")
    func doors() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(requires: .any),
            browser = Browser(server)
        _ = try await server.enrollPhone(of: account)
        _ = try await server.passkey(of: account)
        try await browser.logInWithPassword(as: account)

        let page = try await browser.open(.get, Browser.passkey)

        #expect(
            page.body.contains("href=\"/login/tiqr?return_to=%2Faccount\"")
                && !page.body.contains("Have you lost your passkey?"))
    }

    @Test("the log knows which check refused, and the page says it in other words")
    func logged() async throws {
        let log = CapturedLog()
        try await TestServer.with(logger: log.logger) { server in
            let account = try await server.newResident(), browser = Browser(server)
            var device = try await server.passkey(of: account)
            device.origin = "https://localhost.evil.example"
            let reply = try await browser.show(device, at: try await browser.open(.get, Browser.passkey))
            #expect(!reply.body.contains("origin_not_allowed"))
        }
        #expect(
            log.all.contains {
                $0.contains("a passkey was refused") && $0.contains("origin_not_allowed") && $0.contains("login")
            })
    }

    @Test("without script the form leads to the page that says so; who has no passkey is led to setting one up")
    func noScript() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(), browser = Browser(server),
            blank = Browser(server)
        try await browser.logInWithPassword(as: account)
        let login = try await blank.open(.get, "/login?return_to=/account")

        let sent = try await blank.open(
            .post, "/login/passkey", form: Browser.form(login, action: "/login/passkey").fields)
        let page = try #require(try await blank.follow(sent).page), none = try await browser.open(.get, Browser.passkey)

        #expect(sent.place == "/login/passkey?return_to=%2Faccount" && page.body.contains("Passkeys need JavaScript"))
        #expect(page.body.contains("href=\"/login?return_to=%2Faccount\""))
        #expect(none.body.contains("No passkey is set up") && none.body.contains("href=\"/account/passkeys/add\""))
    }

    // MARK: Refusals

    @Test("an answer counts once, in the browser that asked, for the question it was asked last")
    func bound() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(),
            device = try await server.passkey(of: account)
        let browser = Browser(server), thief = Browser(server), page = try await browser.open(.get, Browser.passkey),
            stolen = try await thief.open(.get, Browser.passkey)
        let (fields, asked) = try await browser.ask(page), right = try device.get(asked.json["options"])
        let (theirs, theirQuestion) = try await thief.ask(stolen)

        let elsewhere = try await thief.answer(right, theirs, asked),
            relayed = try await thief.answer(right, theirs, theirQuestion)
        let same = fields.filter { $0.0 == "form_token" || $0.0 == "return_to" } + [("attempt", asked["attempt"] ?? "")]
        let renewed = try await browser.open(.post, "/login/passkey/options", form: same)
        let old = try await browser.answer(right, fields, asked)
        let first = try await browser.answer(try device.get(renewed.json["options"]), fields, renewed)
        let (more, again) = try await browser.ask(try await browser.open(.get, Browser.passkey), own: false),
            answer = try device.get(again.json["options"])
        let second = try await browser.answer(answer, more, again),
            third = try await browser.answer(answer, more, again)

        #expect(elsewhere.body.contains("took too long") && relayed.body.contains("could not be checked"))
        #expect(
            renewed["attempt"] == asked["attempt"] && old.body.contains("could not be checked"),
            "a newer question takes the place of the older")
        #expect(first.body.contains("took too long"), "and any answer uses it up")
        #expect(second.place == "/account" && third.status != 303, "\(second.status) \(third.status)")
        let nobody = try await thief.whoIsIn()
        #expect(nobody == nil)
    }

    @Test("a form of another site, or of another browser, asks nothing and answers nothing")
    func foreignForm() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(),
            device = try await server.passkey(of: account)
        let browser = Browser(server), attacker = Browser(server)
        let page = try await browser.open(.get, Browser.passkey),
            theirs = try await attacker.open(.get, Browser.passkey)
        let (_, asked) = try await attacker.ask(theirs), fields = Browser.form(theirs, action: "/login/passkey").fields
        let own = Browser.form(page, action: "/login/passkey").fields

        let logged = try await browser.answer(try device.get(asked.json["options"]), fields, asked)
        let crossed = try await browser.open(
            .post, "/login/passkey/options", form: own,
            headers: [.origin: "https://evil.example", .accept: "application/json"])
        let bare = try await browser.open(
            .post, "/login/passkey/options", form: [("return_to", "/account")], headers: [.accept: "application/json"])

        #expect(logged.status == 403 && crossed.outcome == "403 forbidden" && bare.outcome == "403 forbidden")
        let nobody = try await browser.whoIsIn()
        #expect(nobody == nil, "nobody is logged in as the attacker")
    }

    @Test(
        "what does not stand WebAuthn's checks is refused, and says what to do next",
        arguments: ["origin", "unverified", "unknown", "noise", "handle"])
    func refused(_ what: String) async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(),
            other = try await server.newResident(), browser = Browser(server)
        var device = try await server.passkey(of: account)
        let foreign = try await server.passkey(of: other), page = try await browser.open(.get, Browser.passkey),
            (fields, asked) = try await browser.ask(page)
        let options = asked.json["options"]

        var words = "could not be checked"
        let answer: JSONValue
        switch what {
        case "origin":
            device.origin = "https://localhost.evil.example"
            answer = try device.get(options)
        case "unverified":
            device.flags = 0x01
            answer = try device.get(options)
        case "unknown":
            (answer, words) = (try PasskeyDevice().get(options), "not known here any more")
        case "handle":
            var response = try device.get(options)["response"]?.object ?? [:]
            response["userHandle"] = JSONValue(foreign.userHandle)
            answer = [
                "id": .string(device.name), "rawId": .string(device.name), "type": "public-key",
                "response": .object(response),
            ]
        default: answer = ["id": "x"]
        }
        let reply = try await browser.answer(answer, fields, asked)

        #expect(
            reply.status == 200 && reply.body.contains(words) && reply.body.contains("data-passkey=\"get\""),
            "\(what): \(reply.body)")
        let nobody = try await browser.whoIsIn()
        #expect(nobody == nil)
    }

    @Test("a copy of a passkey is refused and noted; who is suspended, and whose passkey was removed, are not let in")
    func notLetIn() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(), browser = Browser(server)
        var device = try await server.passkey(of: account)
        device.counter = 5
        try await browser.logInWithPasskey(device)
        let copied = try await Browser(server).showNew(device)
        let suspended = try await server.newResident(), theirs = try await server.passkey(of: suspended)
        _ = try await AccountStore(clock: server.time.clock).setStatus(suspended.id, .suspended, in: server.database)
        let locked = try await Browser(server).showNew(theirs)
        let name = device.name, person = account.id
        try await server.database.atomically {
            try await server.parts.passkeys.remove(name, of: person, keepingOne: false, actor: .server, in: $0)
        }
        device.counter = 6
        let removed = try await Browser(server).showNew(device)

        #expect(
            copied.body.contains("There may be a copy") && locked.status == 403
                && locked.body.contains("may not log in") && removed.body.contains("not known here"))
    }

    @Test("a question that nobody answered in time is over; asked anew it counts")
    func slow() async throws {
        try await TestServer.with { server in
            let account = try await server.newResident(), device = try await server.passkey(of: account),
                browser = Browser(server)
            let (fields, asked) = try await browser.ask(try await browser.open(.get, Browser.passkey))
            server.time.advance(301)

            let late = try await browser.answer(try device.get(asked.json["options"]), fields, asked)
            let again = try await browser.show(device, at: late)

            #expect(late.body.contains("That took too long") && again.place == "/account")
        }
    }
}

extension Browser {
    /// What comes of a passkey in a browser that has seen nothing yet.
    fileprivate func showNew(_ device: PasskeyDevice) async throws -> Reply {
        try await show(device, at: try await open(.get, Browser.passkey))
    }
}
