import Accounts
import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing
import Tiqr
import TokenTree

@Suite("the audit trail: logins that were refused, and logins by apps", .server)
struct LoginAuditTests {
    /// What the trail says of an account, newest first: action, outcome, reason, count.
    private func trail(_ server: TestServer, _ account: Account, action: String? = nil) async throws -> [String] {
        try await AuditTrail.list(AuditFilter(account: account.id, action: action), in: server.database).map { line in
            let json = line.json,
                parts = [json["action"]?.string, json["outcome"]?.string, json["reason"]?.string].compactMap { $0 }
            return parts.joined(separator: " ") + " × \(json["count"]?.integer ?? 0)"
        }
    }

    private func everything(_ server: TestServer, holding text: String) async throws -> Int {
        try await server.database.value(
            """
            select (select count(*) from audit a where strpos(a::text, \(text)) > 0)
                 + (select count(*) from audit_tally t where strpos(t::text, \(text)) > 0)
                 + (select count(*) from attempt a where strpos(a::text, \(text)) > 0)
            """)
    }

    private func type(
        _ server: TestServer, _ username: String, _ password: String, in browser: Browser
    ) async throws -> Reply {
        let page = try await browser.open(.get, "/login?return_to=/account")
        return try await Patience.whileBusy {
            try await browser.submit(page, ["username": username, "password": password])
        }
    }

    @Test("wrong passwords in a browser are one line with a count, and so is what was not tried any more")
    func browser() async throws {
        let server = try TestServer.ofSuite, ada = try await server.newResident(), browser = Browser(server)

        for _ in 0..<12 { _ = try await type(server, ada.username.uppercased(), "not the right one", in: browser) }

        let lines = try await AuditTrail.list(AuditFilter(account: ada.id, outcome: "refused"), in: server.database)
            .map(\.json)
        #expect(
            try await trail(server, ada) == [
                "login refused too_many_attempts × 1", "login refused wrong_password × 11",
            ])
        #expect(
            lines.allSatisfy {
                $0["actor"]?.string?.hasPrefix("browser:") == true
                    && $0["node"] == .string("account:\(ada.id.uuidString.lowercased())")
            })
    }

    @Test("a name that nobody has stands nowhere, however it was typed")
    func nobody() async throws {
        let server = try TestServer.ofSuite, typed = "hunter2-\(UUID().uuidString.lowercased())",
            app = try await Phone.registered(in: server)
        let page = try await type(server, typed, "x", in: Browser(server)),
            reply = try await app.logInForCode(as: typed, password: "x")

        #expect(page.status == 200 && reply.outcome == "403 access_denied")
        #expect(try await everything(server, holding: typed) == 0)
        #expect(try await server.database.value("select count(*) from audit_tally where account is null") == 0)
    }

    @Test("a suspended person's right password is told from a wrong one in the trail, and nowhere else")
    func suspended() async throws {
        let server = try TestServer.ofSuite, ada = try await server.newResident(), browser = Browser(server)
        _ = try await AccountStore(clock: server.time.clock).setStatus(ada.id, .suspended, in: server.database)

        let right = try await type(server, ada.username, Residents.password, in: browser),
            wrong = try await type(server, ada.username, "x", in: browser)

        #expect(right.status == 200 && wrong.status == 200)
        #expect(try await trail(server, ada) == ["login refused wrong_password × 1", "login refused suspended × 1"])
    }

    @Test("an app's login has its line, with the instance; what it was refused has another")
    func app() async throws {
        let server = try TestServer.ofSuite, ada = try await server.newResident(), bob = try await server.newResident(),
            app = try await Phone.registered(in: server)

        for _ in 0..<3 { _ = try await app.logInForCode(as: ada.username, password: "wrong") }
        _ = try await app.logIn(as: ada.username)
        let foreign = try await app.logInForCode(as: bob.username)

        let done = try #require(
            try await AuditTrail.list(AuditFilter(account: ada.id, outcome: "done"), in: server.database).first
        ).json
        #expect(foreign.outcome == "403 access_denied")
        #expect(
            try await trail(server, ada, action: "login") == [
                "login.app refused wrong_password × 3", "login.app done × 1",
            ])
        #expect(
            done["node"] == .string("instance:\(app.clientID)") && done["actor"] == .string("instance:\(app.clientID)"))
        #expect(try await trail(server, bob) == ["login.app refused instance_of_another_person × 1"])
    }

    @Test("a phone's wrong answer is a line of its person's, with the phone")
    func phone() async throws {
        let server = try TestServer.ofSuite, ada = try await server.newResident(),
            identity = try await server.enrollPhone(of: ada)
        let phones = TiqrLogin(server.parts.tiqr),
            asked = try await phones.begin(ada.id, phone: nil, to: nil, push: false, below: [], actor: .server)
        let wrong = identity.wrongAnswer(TiqrChallenge(asked.authURL))

        for _ in 0..<2 {
            await #expect(throws: TiqrRefusal.self) {
                _ = try await phones.answer(asked.view.id, otp: wrong, identity: nil, actor: .server)
            }
        }

        #expect(try await trail(server, ada, action: "tiqr.login").first == "tiqr.login refused wrong_answer × 2")
    }

    @Test("what a phone rejects is a line of its person's")
    func rejected() async throws {
        let server = try TestServer.ofSuite, ada = try await server.newResident()
        var phone = try await server.approver(of: ada)
        let asked = try await server.parts.approvals.begin(ada.id, .init(from: "192.0.2.1"), below: [], actor: .server)

        _ = try await phone.reject(link: asked.deeplink ?? "")

        #expect(try await trail(server, ada, action: "operations.reject") == ["operations.reject done × 1"])
    }

    @Test("a passkey that is refused is a line of its person's, with the check")
    func passkey() async throws {
        let server = try TestServer.ofSuite, ada = try await server.newResident(),
            device = try await server.passkey(of: ada), holder = UUID().uuidString
        var crooked = device
        crooked.origin = "https://evil.example"

        for _ in 0..<2 {
            let options = try await server.parts.passkeys.requestOptions(for: ada.id, holder: holder),
                answer = try crooked.get(options)
            await #expect(throws: (any Error).self) {
                _ = try await server.parts.passkeys.answer(answer, holder: holder, actor: .server)
            }
        }

        #expect(
            try await trail(server, ada, action: "passkey.answer") == ["passkey.answer refused origin_not_allowed × 2"])
    }

    @Test("a change of device information says which members became another; the same again says nothing")
    func device() async throws {
        let server = try TestServer.ofSuite, ada = try await server.newResident(),
            phone = try await Phone.registered(in: server), pat = try await phone.logIn(as: ada.username)
        let path = "/instances/\(phone.clientID)"
        func patch(_ body: JSONValue) async throws -> Reply {
            var headers = try phone.dpop(.patch, path, token: pat.accessToken)
            headers[.contentType] = "application/json"
            return try await server.send(.patch, path, headers: headers, body: body.bytes)
        }

        let first = try await patch(["name": "Kitchen"]), second = try await patch(["name": "Kitchen"])
        let rows = try await server.database.query(
            "select node, detail::text as detail from audit where action = 'instances.change' and account = \(ada.id)")

        #expect(first.outcome == "200" && second.outcome == "200")
        #expect(try rows.map { try $0("node", as: String.self) } == ["instance:\(phone.clientID)"])
        #expect(try rows.map { try $0("detail", as: String.self) } == [#"{"members": ["name"]}"#])
    }
}
