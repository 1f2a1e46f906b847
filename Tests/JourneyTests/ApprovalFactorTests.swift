import Accounts
import Base
import Foundation
import Operations
import TestSupport
import Testing
import TokenTree

@Suite("first-party login: approved in an app", .server)
struct ApprovalFactorTests {
    /// A person who must have a factor and has a phone that approves, an app, and the phone asked.
    private struct Asked {
        let account: Account
        var phone: PowerAuthPhone
        let app: Phone
        /// The answers to password and to `factor`.
        let first: Reply, second: Reply

        var link: String { ApprovalFactorTests.link(second) }
        var session: String? { second["auth_session"] }
    }

    private static func link(_ reply: Reply) -> String { reply.json["operations"]?["deeplink"]?.string ?? "" }

    private func asked(_ server: TestServer) async throws -> Asked {
        let account = try await server.newResident(requires: .any), phone = try await server.approver(of: account),
            app = try await Phone.registered(in: server)
        let first = try await app.logInForCode(as: account.username)
        try #require(first.outcome == "403 insufficient_authorization", "password: \(first.body)")
        let second = try await app.ask(["auth_session": first["auth_session"], "factor": "operations"])
        try #require(second.outcome == "403 insufficient_authorization", "factor: \(second.body)")
        return Asked(account: account, phone: phone, app: app, first: first, second: second)
    }

    @Test("the phone is asked and approves, and the token tells both factors")
    func whole() async throws {
        let server = try TestServer.ofSuite
        var asked = try await asked(server)
        let shown = asked.second.json["operations"]

        let early = try await asked.app.ask(["auth_session": asked.session]),
            approved = try await asked.phone.approve(link: asked.link)
        let late = try await asked.app.ask(["auth_session": asked.session]),
            again = try await asked.app.ask(["auth_session": asked.session])
        let tokens = try await asked.app.redeem(code: late["authorization_code"] ?? "")

        #expect(
            asked.first.json["factors"] == ["operations"] && shown?["operation_id"]?.string != nil
                && shown?["expires_at"]?.string != nil && shown?["push"] == "none")
        #expect(early.outcome == "400 authorization_pending" && ApprovalFactorTests.link(early) == asked.link)
        #expect(
            approved.isOK && late.outcome == "200" && tokens.outcome == "200" && again.outcome == "400 invalid_session")
        #expect(claims(of: tokens.accessToken)["amr"] == ["mfa", "pin", "pwd", "swk"])
    }

    @Test("who waits is answered when the phone has approved; the link is another every half minute")
    func waiting() async throws {
        try await TestServer.with { server in
            var asked = try await asked(server)
            server.time.advance(30)
            let later = try await asked.app.ask(["auth_session": asked.session]), app = asked.app,
                session = asked.session

            async let held = app.ask(["auth_session": session], wait: 30)
            try await Task.sleep(for: .milliseconds(300))
            let approved = try await asked.phone.approve(link: ApprovalFactorTests.link(later)), reply = try await held

            #expect(
                later.outcome == "400 authorization_pending" && ApprovalFactorTests.link(later) != asked.link
                    && approved.isOK && reply.outcome == "200")
        }
    }

    @Test("a rejection, and what nobody approved in time, are told so, and asked anew with the same auth_session")
    func over() async throws {
        try await TestServer.with { server in
            var asked = try await asked(server)
            let rejected = try await asked.phone.reject(link: asked.link),
                no = try await asked.app.ask(["auth_session": asked.session])
            let anew = try await asked.app.ask(["auth_session": asked.session, "factor": "operations"])
            server.time.advance(181)
            let late = try await asked.app.ask(["auth_session": anew["auth_session"]])
            let last = try await asked.app.ask(["auth_session": anew["auth_session"], "factor": "operations"])
            let approved = try await asked.phone.approve(link: ApprovalFactorTests.link(last)),
                done = try await asked.app.ask(["auth_session": last["auth_session"]])

            #expect(
                rejected.isOK && no.outcome == "403 access_denied"
                    && no["error_description"]?.contains("factor=operations") == true)
            #expect(
                late.outcome == "403 access_denied" && late["error_description"]?.contains("in time") == true
                    && approved.isOK && done.outcome == "200")
        }
    }

    @Test(
        """
        without a confirmed phone there is nothing to offer; a blocked one cannot be asked; one removed since it \
        approved completes nothing
        """
    )
    func unusable() async throws {
        let server = try TestServer.ofSuite, bare = try await server.newResident(requires: .any),
            app = try await Phone.registered(in: server)
        var asked = try await asked(server), locked = try await self.asked(server)
        _ = try await server.approver(of: bare, confirmed: false)
        let approved = try await asked.phone.approve(link: asked.link), id = asked.phone.activationID,
            person = asked.account.id
        try await server.database.atomically {
            try await server.approvals.remove(id, of: person, keepingOne: false, actor: .server, in: $0)
        }
        for _ in 0..<5 { _ = try await locked.phone.validate(isWrong: true) }

        let none = try await app.logInForCode(as: bare.username),
            gone = try await asked.app.ask(["auth_session": asked.session])
        let blocked = try await locked.app.ask(["auth_session": locked.session, "factor": "operations"])

        #expect(none.json["factors"] == [] && approved.isOK && gone.outcome == "403 access_denied")
        #expect(blocked.outcome == "403 access_denied" && blocked["error_description"]?.contains("blocked") == true)
    }
}
