import Base
import Foundation
import TestSupport
import Testing

@Suite("passkeys: what /openapi.yaml tells is what is asked and answered", .server)
struct PasskeySchemaTests {
    private func read() async throws -> DescribedAPI {
        try DescribedAPI(try await TestServer.ofSuite.get("/openapi.yaml").body)
    }

    /// A form as an object of its fields.
    private func object(_ fields: [(String, String)]) -> JSONValue {
        .object(JSONObject(fields.map { ($0.0, JSONValue.string($0.1)) }))
    }

    @Test("questions and forms of our pages are told: setting up a passkey, and logging in with it")
    func pages() async throws {
        let server = try TestServer.ofSuite, described = try await read(), account = try await server.newResident(),
            browser = Browser(server), other = Browser(server)
        let add = "/account/passkeys/add", link = "/account/passkeys/link"
        try await browser.logInWithPassword(as: account)

        let linking = try await browser.ask(try await browser.open(.get, link), action: link).asked
        let (fields, asked) = try await browser.ask(try await browser.open(.get, add), action: add)
        var device = PasskeyDevice()
        let made = device.create(asked.json["options"]),
            added = try await browser.answer(made, fields, asked, action: add, ["name": "mine"])
        let (loginFields, login) = try await other.ask(try await other.open(.get, Browser.passkey))
        let answer = try device.get(login.json["options"]), entered = try await other.answer(answer, loginFields, login)

        for (reply, path) in [
            (asked, "\(add)/options"), (linking, "\(link)/options"), (login, "/login/passkey/options"),
        ] {
            let faults = described.faults(reply, "post", path)
            #expect(reply.status == 200 && faults == [], "\(path): \(reply.body)")
        }
        let setup = described.faults(
            asking: object([("form_token", "a"), ("name", "mine"), ("answer", made.text)]), "post", add)
        let entering = object([
            ("form_token", "a"), ("return_to", "/account"), ("attempt", "b"), ("answer", answer.text),
        ])
        let form = described.faults(asking: entering, "post", "/login/passkey")
        #expect(setup == [] && form == [] && added.status == 303 && entered.status == 303)
        #expect(
            described["post", add]?.answers.keys.contains("303") == true
                && described["post", "/login/passkey"]?.answers.keys.contains("303") == true)
        let strange = described.faults(asking: object([("form_token", "a"), ("answer", "{}")]), "post", add)
        #expect(!strange.isEmpty)
    }

    @Test("what is refused there is told: no question for who is not logged in, no form of another browser")
    func refusals() async throws {
        let server = try TestServer.ofSuite, described = try await read(), browser = Browser(server)
        for path in ["/account/passkeys/add/options", "/account/passkeys/link/options", "/login/passkey/options"] {
            let reply = try await browser.open(
                .post, path, form: [("form_token", "a")], headers: [.accept: "application/json"])
            let faults = described.faults(reply, "post", path)
            #expect(reply.outcome == "403 forbidden" && faults == [], "\(path): \(reply.body)")
        }
    }

    @Test("an app's login with a passkey is told step by step")
    func app() async throws {
        let server = try TestServer.ofSuite, described = try await read(),
            account = try await server.newResident(requires: .passkey)
        let device = try await server.passkey(of: account), app = try await Phone.registered(in: server),
            path = "/authorize/challenge"
        func ask(_ form: [(String, String)]) async throws -> Reply {
            let asked = described.faults(asking: object(form), "post", path)
            let reply = try await server.post(
                path, json: object(form), headers: try app.dpop(.post, path, token: app.instance.accessToken))
            let answered = described.faults(reply, "post", path)
            #expect(asked == [] && answered == [], "\(reply.body)")
            return reply
        }
        let first = try await Patience.whileBusy {
            try await ask([
                ("username", account.username), ("password", Residents.password), ("code_challenge", Phone.challenge),
                ("code_challenge_method", "S256"),
            ])
        }
        let second = try await ask([("auth_session", first["auth_session"] ?? ""), ("factor", "passkey")])
        let answer = try device.get(second.json["passkey"]?["options"])
        let done = try await ask([("auth_session", second["auth_session"] ?? ""), ("credential", answer.text)])

        #expect(
            first.outcome == "403 insufficient_authorization" && second.outcome == "403 insufficient_authorization"
                && done["authorization_code"] != nil)
    }
}
