import Accounts
import Base
import Foundation
import TestSupport
import Testing

@Suite("first-party login: with a second factor", .server)
struct LoginFactorTests {
    private static let mfa = "https://refeds.org/profile/mfa"

    /// A person who must have a phone and has one, an app, and the phone asked.
    private struct Asked {
        let account: Account
        let identity: PhoneIdentity
        let app: Phone
        /// The answers to password and to `factor`.
        let first: Reply, second: Reply

        var link: String { second.json["tiqr"]?["auth_url"]?.string ?? "" }
        var session: String? { second["auth_session"] }
    }

    private func asked(_ server: TestServer, requires factor: Account.RequiredFactor = .tiqr) async throws -> Asked {
        let account = try await server.newResident(requires: factor),
            identity = try await server.enrollPhone(of: account), app = try await Phone.registered(in: server)
        let first = try await app.logInForCode(as: account.username, acr: factor == .none ? LoginFactorTests.mfa : nil)
        try #require(first.outcome == "403 insufficient_authorization", "password: \(first.body)")
        let second = try await app.ask(["auth_session": first["auth_session"], "factor": "tiqr"])
        try #require(second.outcome == "403 insufficient_authorization", "factor: \(second.body)")
        return Asked(account: account, identity: identity, app: app, first: first, second: second)
    }

    @Test(
        "the phone is asked and answers, and the token tells both factors",
        arguments: [Account.RequiredFactor.tiqr, .any, .none])
    func whole(_ required: Account.RequiredFactor) async throws {
        let server = try TestServer.ofSuite, asked = try await asked(server, requires: required),
            shown = asked.second.json["tiqr"]
        #expect(asked.first.json["factors"] == ["tiqr"] && asked.second["auth_session"] != asked.first["auth_session"])
        #expect(
            asked.link.hasPrefix("tiqrauth://\(asked.identity.name)@") && shown?["universal_link"]?.string != nil
                && shown?["expires_at"]?.string != nil)
        #expect(shown?["push"] == "none", "an app that never logged this person in rings no phone")

        let early = try await asked.app.ask(["auth_session": asked.session])
        let isIn = try await TiqrPhone(server).logsIn(asked.link, asked.identity)
        let late = try await asked.app.ask(["auth_session": asked.session]),
            again = try await asked.app.ask(["auth_session": asked.session])
        let tokens = try await asked.app.redeem(code: late["authorization_code"] ?? "")

        #expect(early.outcome == "400 authorization_pending" && early["auth_session"] == nil)
        #expect(isIn && late.outcome == "200" && tokens.outcome == "200" && again.outcome == "400 invalid_session")
        let told = claims(of: tokens.accessToken)
        #expect(
            told["amr"] == ["mfa", "pwd", "swk"] && told["acr"] == .string(LoginFactorTests.mfa)
                && told["auth_time"] == .integer(server.now))
    }

    @Test("what the offline phone shows may be typed; wrong ones count, and five block")
    func typed() async throws {
        let server = try TestServer.ofSuite, asked = try await asked(server), challenge = TiqrChallenge(asked.link)

        let malformed = try await asked.app.ask(["auth_session": asked.session, "otp": "12"])
        let wrong = try await asked.app.ask([
            "auth_session": asked.session, "otp": asked.identity.wrongAnswer(challenge),
        ])
        let right = try await asked.app.ask(["auth_session": asked.session, "otp": asked.identity.answer(challenge)])
        let tokens = try await asked.app.redeem(code: right["authorization_code"] ?? "")

        #expect(
            malformed.outcome == "400 invalid_request" && wrong.outcome == "403 access_denied"
                && wrong.json["attempts_left"] == 4)
        #expect(right.outcome == "200" && claims(of: tokens.accessToken)["amr"] == ["mfa", "otp", "pwd"])

        let other = try await self.asked(server), guess = other.identity.wrongAnswer(TiqrChallenge(other.link))
        for _ in 0..<4 { _ = try await other.app.ask(["auth_session": other.session, "otp": guess]) }
        let fifth = try await other.app.ask(["auth_session": other.session, "otp": guess]),
            after = try await other.app.ask(["auth_session": other.session])
        let anew = try await other.app.ask(["auth_session": other.session, "factor": "tiqr"])

        #expect(fifth.outcome == "403 access_denied" && fifth.json["duration"] == 10)
        #expect(after.outcome == "403 access_denied" && after["error_description"]?.contains("factor=tiqr") == true)
        #expect(anew.outcome == "403 access_denied" && anew["error_description"]?.contains("blocked") == true)
    }

    @Test("who waits is answered when the phone has answered")
    func waiting() async throws {
        let server = try TestServer.ofSuite, asked = try await asked(server)

        async let held = asked.app.ask(["auth_session": asked.session], wait: 30)
        try await Task.sleep(for: .milliseconds(300))
        let isIn = try await TiqrPhone(server).logsIn(asked.link, asked.identity)
        let reply = try await held

        #expect(isIn && reply.outcome == "200")
    }

    @Test("a question that nobody answered in time is told so, and asked anew with the same auth_session")
    func expired() async throws {
        try await TestServer.with { server in
            let asked = try await asked(server)
            server.time.advance(181)

            let late = try await asked.app.ask(["auth_session": asked.session])
            let anew = try await asked.app.ask(["auth_session": asked.session, "factor": "tiqr"])
            let isIn = try await TiqrPhone(server).logsIn(anew.json["tiqr"]?["auth_url"]?.string ?? "", asked.identity)
            let done = try await asked.app.ask(["auth_session": anew["auth_session"]])

            #expect(late.outcome == "403 access_denied" && late["error_description"]?.contains("in time") == true)
            #expect(anew.outcome == "403 insufficient_authorization" && isIn && done.outcome == "200")
        }
    }

    @Test("without a phone there is nothing to offer, and a wish alone is passed over")
    func nobody() async throws {
        let server = try TestServer.ofSuite
        let app = try await Phone.registered(in: server), other = try await Phone.registered(in: server),
            third = try await Phone.registered(in: server)
        let required = try await server.newResident(requires: .any), free = try await server.newResident(),
            unproven = try await server.newResident(requires: .any)
        _ = try await server.enrollPhone(of: unproven, answering: false)

        let reply = try await app.logInForCode(as: required.username),
            asked = try await app.ask(["auth_session": reply["auth_session"], "factor": "tiqr"])
        let wish = try await other.logInForCode(as: free.username, acr: LoginFactorTests.mfa),
            never = try await third.logInForCode(as: unproven.username)

        #expect(
            reply.outcome == "403 insufficient_authorization" && reply.json["factors"] == []
                && reply["error_description"]?.contains("/account") == true)
        #expect(asked.outcome == "400 invalid_request" && wish.outcome == "200")
        #expect(never.json["factors"] == [], "a phone that never answered is no factor")
    }

    @Test("a passkey that an account asks for is not met by a phone")
    func passkey() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(requires: .passkey),
            app = try await Phone.registered(in: server)
        _ = try await server.enrollPhone(of: account)

        let reply = try await app.logInForCode(as: account.username),
            asked = try await app.ask(["auth_session": reply["auth_session"], "factor": "tiqr"])

        #expect(
            reply.outcome == "403 insufficient_authorization" && reply.json["factors"] == []
                && asked.outcome == "400 invalid_request")
    }

    // MARK: Refusals

    @Test("an auth_session is the instance's that began it, is one of ours, and asks nobody by itself")
    func foreign() async throws {
        let server = try TestServer.ofSuite, asked = try await asked(server),
            thief = try await Phone.registered(in: server)
        let isIn = try await TiqrPhone(server).logsIn(asked.link, asked.identity)

        let stolen = try await thief.ask(["auth_session": asked.session]),
            begun = try await thief.ask(["auth_session": asked.first["auth_session"], "factor": "tiqr"])
        let token = try await asked.app.ask(["auth_session": asked.app.instance.accessToken]),
            noise = try await asked.app.ask(["auth_session": "x.y.z"])
        let spoilt = try await asked.app.ask(["auth_session": asked.session.map { String($0.dropLast(4)) + "AAAA" }])
        let unasked = try await asked.app.ask(["auth_session": asked.first["auth_session"]])
        let unknown = try await asked.app.ask(["auth_session": asked.first["auth_session"], "factor": "passkey"])

        #expect(isIn)
        for reply in [stolen, begun, token, noise, spoilt] {
            #expect(reply.outcome == "400 invalid_session" && reply["authorization_code"] == nil, "\(reply.body)")
        }
        #expect(unasked.outcome == "400 invalid_request" && unknown.outcome == "400 invalid_request")
        let own = try await asked.app.ask(["auth_session": asked.session])
        #expect(own.outcome == "200", "what others tried uses nothing up")
    }

    @Test("of one password login one code is issued, however many questions it asked and whoever hurries")
    func once() async throws {
        let server = try TestServer.ofSuite, asked = try await asked(server), phone = TiqrPhone(server)
        let other = try await asked.app.ask(["auth_session": asked.first["auth_session"], "factor": "tiqr"])
        let isIn = try await phone.logsIn(asked.link, asked.identity),
            isInAgain = try await phone.logsIn(other.json["tiqr"]?["auth_url"]?.string ?? "", asked.identity)

        let replies = try await crowd(10) { number in
            try await asked.app.ask(["auth_session": number.isMultiple(of: 2) ? asked.session : other["auth_session"]])
        }

        #expect(isIn && isInAgain)
        #expect(
            replies.count(where: { $0.outcome == "200" }) == 1
                && replies.count(where: { $0.outcome == "400 invalid_session" }) == 9, "\(replies.map(\.outcome))")
    }

    @Test("a password counts for a quarter of an hour, an auth_session for five minutes")
    func old() async throws {
        try await TestServer.with { server in
            let asked = try await asked(server)
            server.time.advance(299)
            let renewed = try await asked.app.ask(["auth_session": asked.session, "factor": "tiqr"])
            server.time.advance(2)
            let dead = try await asked.app.ask(["auth_session": asked.session])
            var session = renewed["auth_session"]
            for _ in 0..<2 {
                server.time.advance(290)
                session = try await asked.app.ask(["auth_session": session, "factor": "tiqr"])["auth_session"]
            }
            server.time.advance(60)
            let over = try await asked.app.ask(["auth_session": session, "factor": "tiqr"])

            #expect(renewed.outcome == "403 insufficient_authorization" && dead.outcome == "400 invalid_session")
            #expect(session != nil && over.outcome == "400 invalid_session")
        }
    }

    @Test("who is suspended between the factors gets nothing; nor does a phone that was removed since it answered")
    func suspended() async throws {
        let server = try TestServer.ofSuite, asked = try await asked(server), lost = try await self.asked(server),
            phone = TiqrPhone(server)
        let isIn = try await phone.logsIn(asked.link, asked.identity),
            isInToo = try await phone.logsIn(lost.link, lost.identity)
        _ = try await AccountStore(clock: server.time.clock).setStatus(
            asked.account.id, .suspended, in: server.database)
        try await server.phones.remove(lost.identity.name, of: lost.account.id, actor: .server)

        let reply = try await asked.app.ask(["auth_session": asked.session]),
            removed = try await lost.app.ask(["auth_session": lost.session])

        #expect(isIn && isInToo)
        #expect(reply.outcome == "403 access_denied" && removed.outcome == "403 access_denied")
    }

    @Test("the instance's person stays its person")
    func otherPerson() async throws {
        let server = try TestServer.ofSuite, asked = try await asked(server)
        _ = try await asked.app.logIn(as: "bob")

        let reply = try await asked.app.ask(["auth_session": asked.session])

        #expect(reply.outcome == "403 access_denied" && reply["error_description"]?.contains("another person") == true)
    }
}
