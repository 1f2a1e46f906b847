import Accounts
import Base
import Foundation
import TestSupport
import Testing

@Suite("first-party login: with a passkey", .server)
struct PasskeyFactorTests {
    /// A person who must have a passkey and has one, an app, and the answers to password and `factor`.
    private struct Asked {
        let account: Account, device: PasskeyDevice, app: Phone, first: Reply, second: Reply

        var options: JSONValue? { second.json["passkey"]?["options"] }
        var session: String? { second["auth_session"] }
    }

    private func asked(_ server: TestServer) async throws -> Asked {
        let account = try await server.newResident(requires: .passkey), device = try await server.passkey(of: account),
            app = try await Phone.registered(in: server)
        let first = try await app.logInForCode(as: account.username)
        try #require(first.outcome == "403 insufficient_authorization", "password: \(first.body)")
        let second = try await app.ask(["auth_session": first["auth_session"], "factor": "passkey"])
        try #require(second.outcome == "403 insufficient_authorization", "factor: \(second.body)")
        return Asked(account: account, device: device, app: app, first: first, second: second)
    }

    @Test("the app is given the question, its answer is the second factor, and the token tells both")
    func whole() async throws {
        let asked = try await asked(try TestServer.ofSuite)

        let early = try await asked.app.ask(["auth_session": asked.session])
        let right = try await asked.app.ask([
            "auth_session": asked.session, "credential": try asked.device.get(asked.options).text,
        ])
        let tokens = try await asked.app.redeem(code: right["authorization_code"] ?? "")

        #expect(
            asked.first.json["factors"] == ["passkey"]
                && asked.options?["allowCredentials"]?.array?.compactMap { $0["id"]?.string } == [asked.device.name])
        #expect(early.outcome == "400 invalid_request" && right.outcome == "200" && tokens.outcome == "200")
        #expect(claims(of: tokens.accessToken)["amr"] == ["mfa", "pwd", "swk", "user"])
    }

    @Test("any answer uses the question up; another is asked with the same auth_session")
    func once() async throws {
        let asked = try await asked(try TestServer.ofSuite), right = try asked.device.get(asked.options).text
        var crooked = asked.device
        crooked.origin = "https://evil.example"

        let wrong = try await asked.app.ask([
            "auth_session": asked.session, "credential": try crooked.get(asked.options).text,
        ])
        let late = try await asked.app.ask(["auth_session": asked.session, "credential": right])
        let anew = try await asked.app.ask(["auth_session": asked.session, "factor": "passkey"])
        let done = try await asked.app.ask([
            "auth_session": anew["auth_session"],
            "credential": try asked.device.get(anew.json["passkey"]?["options"]).text,
        ])
        let again = try await asked.app.ask(["auth_session": anew["auth_session"], "credential": right])

        #expect(
            wrong.outcome == "403 access_denied" && wrong["error_description"]?.contains("factor=passkey") == true
                && late.outcome == "403 access_denied")
        #expect(done.outcome == "200" && again.outcome != "200")
    }

    @Test("another person's passkey, another login's answer, and noise complete nothing")
    func foreign() async throws {
        let server = try TestServer.ofSuite, asked = try await asked(server), other = try await self.asked(server)

        let theirs = try await asked.app.ask([
            "auth_session": asked.session, "credential": try other.device.get(asked.options).text,
        ])
        let crossed = try await other.app.ask([
            "auth_session": other.session, "credential": try other.device.get(asked.options).text,
        ])
        let noise = try await asked.app.ask(["auth_session": asked.session, "credential": "{"])
        let phone = try await asked.app.ask(["auth_session": asked.first["auth_session"], "factor": "tiqr"])

        #expect([theirs, crossed].map(\.outcome) == ["403 access_denied", "403 access_denied"])
        #expect(noise.outcome == "400 invalid_request" && phone.outcome == "400 invalid_request")
    }

    @Test("a passkey that is removed between its answer and the end of the login gets no code")
    func removedMeanwhile() async throws {
        try await TestServer.with { server in
            let asked = try await asked(server), right = try asked.device.get(asked.options).text, id = asked.device.id
            let running = try await server.database.transaction { transaction -> Task<Reply, any Error> in
                _ = try await AccountStore(clock: server.time.clock).hold(asked.account.id, in: transaction)
                // It answers, and then waits for the account.
                let running = Task { try await asked.app.ask(["auth_session": asked.session, "credential": right]) }
                var hasAnswered = false
                for _ in 0..<1_500 where !hasAnswered {
                    try await Task.sleep(for: .milliseconds(20))
                    hasAnswered = try await server.database.value(
                        "select last_used_at is not null from passkey where id = \(id)")
                }
                try #require(hasAnswered)
                _ = try await transaction.execute("delete from passkey where id = \(id)")
                return running
            }

            let reply = try await running.value,
                again = try await asked.app.ask(["auth_session": asked.session, "factor": "passkey"])

            #expect(
                reply.outcome == "403 access_denied"
                    && reply["error_description"]?.contains("removed meanwhile") == true)
            #expect(reply["authorization_code"] == nil && again.outcome == "400 invalid_request")
        }
    }

    @Test("the trail says which app it was, and from where")
    func audited() async throws {
        let server = try TestServer.ofSuite, asked = try await asked(server), id = "passkey:\(asked.device.name)"
        _ = try await asked.app.ask([
            "auth_session": asked.session, "credential": try asked.device.get(asked.options).text,
        ])

        let actor: String = try await server.database.value(
            "select actor from audit where action = 'passkey.answer' and node = \(id)")

        #expect(actor == "instance:\(asked.app.instance.clientID)")
    }

    @Test("what the account asks for counts when the answer comes")
    func changed() async throws {
        let server = try TestServer.ofSuite, asked = try await asked(server)
        _ = try await AccountStore(clock: server.time.clock).update(
            asked.account.id, AccountChange(requiredFactor: .tiqr), in: server.database)

        let reply = try await asked.app.ask([
            "auth_session": asked.session, "credential": try asked.device.get(asked.options).text,
        ])

        #expect(reply.outcome == "400 invalid_session")
    }
}
