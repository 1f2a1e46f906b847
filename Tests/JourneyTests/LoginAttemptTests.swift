import Accounts
import Base
import Database
import Foundation
import OAuth
import TestSupport
import Testing
import Vocabulary

@Suite("logins under way in a browser", .server)
struct LoginAttemptTests {
    private func refusal(_ body: () async throws -> String?) async throws -> BrowserLogin.Incomplete? {
        do {
            _ = try await body()
            return nil
        } catch let why as BrowserLogin.Incomplete {
            return why
        }
    }

    /// What the audit trail says of logins of this account that came to nothing.
    private func audited(_ server: TestServer, _ account: Account) async throws -> [String] {
        try await server.database.query(
            """
            select detail->>'why' as why from audit where action = 'login' and outcome = 'refused'
                and account = \(account.id) order by id
            """
        ).map { try $0("why", as: String.self) }
    }

    private func open(
        _ server: TestServer, _ context: BrowserSessionContext, for account: Account?
    ) async throws -> LoginAttempt {
        try await server.web.attempts.open(
            "tiqr", subject: "question", account: account?.id, then: "/account", browser: context.browser)
    }

    // MARK: The rows

    @Test("an attempt is found by its browser and method alone, as it was opened")
    func found() async throws {
        let server = try TestServer.ofSuite, store = server.web.attempts, context = server.browserContext(),
            ada = try await server.newResident()
        let attempt = try await open(server, context, for: ada)

        let found = try await store.find(attempt.reference, method: "tiqr", browser: context.browser)
        let elsewhere = try await store.find(
            attempt.reference, method: "tiqr", browser: server.browserContext().browser)
        let another = try await store.find(attempt.reference, method: "passkey", browser: context.browser)
        let unknown = try await store.find("x", method: "tiqr", browser: context.browser)

        #expect(
            found?.subject == "question" && found?.account == ada.id && found?.then == "/account"
                && found?.expiresAt == attempt.expiresAt)
        #expect(elsewhere == nil && another == nil && unknown == nil)
    }

    @Test("a replaced question ends what was found before it, and the attempt goes on")
    func replaced() async throws {
        let server = try TestServer.ofSuite, store = server.web.attempts, context = server.browserContext(),
            attempt = try await open(server, context, for: nil)

        let isReplaced = try await store.replace(attempt, subject: "another", account: nil)
        let isReplacedAgain = try await store.replace(attempt, subject: "third", account: nil)
        let old = try await store.use(attempt, in: server.database),
            now = try await store.find(attempt.reference, method: "tiqr", browser: context.browser)
        let used = try await store.use(try #require(now), in: server.database),
            twice = try await store.use(try #require(now), in: server.database)
        let after = try await store.find(attempt.reference, method: "tiqr", browser: context.browser)

        #expect(isReplaced && !isReplacedAgain && !old && now?.subject == "another")
        #expect(used && !twice && after == nil)
    }

    @Test("it lasts a quarter of an hour, then it goes; of one browser and method the latest twenty stay")
    func bounded() async throws {
        try await TestServer.with { server in
            let store = server.web.attempts, context = server.browserContext(),
                first = try await open(server, context, for: nil)
            let another = try await store.open(
                "passkey", subject: "question", account: nil, then: "/account", browser: context.browser)
            for _ in 0..<20 {
                server.time.advance(1)
                _ = try await open(server, context, for: nil)
            }
            let gone = try await store.find(first.reference, method: "tiqr", browser: context.browser)
            let kept: Int = try await server.database.value("select count(*) from login_attempt where method = 'tiqr'")
            let other = try await store.find(another.reference, method: "passkey", browser: context.browser)
            let last = try await open(server, context, for: nil)
            server.time.advance(900)
            let late = try await store.find(last.reference, method: "tiqr", browser: context.browser)
            let used = try await store.use(last, in: server.database),
                isReplaced = try await store.replace(last, subject: "x", account: nil)
            server.time.advance(1)
            try await store.forget()
            let left: Int = try await server.database.value("select count(*) from login_attempt")

            #expect(gone == nil && kept == 20 && other != nil && late == nil && !used && !isReplaced && left == 0)
        }
    }

    // MARK: Completing

    @Test("a step-up raises its session, whose cookie changes and whose sid does not")
    func stepUp() async throws {
        let server = try TestServer.ofSuite, ada = try await server.newResident(),
            before = try await server.browserContext(as: ada), attempt = try await open(server, before, for: ada)

        let cookie = try await server.web.login.complete(ada.id, methods: ["mfa", "swk"], using: attempt, before)
        let after = try await server.browserContext(before, cookie: try #require(cookie)).session
        let known = try await server.web.events.hasCompleted(
            "mfa", client: before.client, account: ada.id, in: server.database)
        let stranger = try await server.web.events.hasCompleted(
            "mfa", client: server.browserContext().client, account: ada.id, in: server.database)

        #expect(before.session?.history.context().level == .oneFactor && after?.history.context().level == .twoFactors)
        #expect(
            after?.history.context().methods == ["mfa", "pwd", "swk"] && after?.id == before.session?.id && known
                && !stranger)
    }

    @Test("an attempt that names nobody logs in whoever answered, and ends another person's session")
    func nameless() async throws {
        let server = try TestServer.ofSuite, ada = try await server.newResident(), bob = try await server.newResident(),
            context = server.browserContext()

        let first = try await server.web.login.complete(
            ada.id, methods: ["mfa", "swk"], using: try await open(server, context, for: nil), context)
        let asAda = try await server.browserContext(context, cookie: try #require(first))
        let second = try await server.web.login.complete(
            bob.id, methods: ["mfa", "otp"], using: try await open(server, asAda, for: nil), asAda)
        let asBob = try await server.browserContext(context, cookie: try #require(second)),
            old = try await server.browserContext(context, cookie: try #require(first))

        #expect(asAda.session?.account.id == ada.id && asAda.session?.history.context().level == .twoFactors)
        #expect(asBob.session?.account.id == bob.id && old.session == nil)
    }

    @Test("of all that complete one attempt, one does")
    func once() async throws {
        let server = try TestServer.ofSuite, ada = try await server.newResident(), context = server.browserContext(),
            attempt = try await open(server, context, for: nil)

        let cookies = try await crowd(8) { _ in
            try await server.web.login.complete(ada.id, methods: ["mfa", "swk"], using: attempt, context)
        }

        #expect(cookies.count(where: { $0 != nil }) == 1)
    }

    @Test("a step-up never makes one person another, in either direction, and needs the session that it is for")
    func otherPerson() async throws {
        let server = try TestServer.ofSuite, ada = try await server.newResident(), bob = try await server.newResident(),
            context = try await server.browserContext(as: ada)
        let nobody = BrowserSessionContext(browser: context.browser, session: nil, device: nil, origin: nil)
        let forAda = try await open(server, context, for: ada), forBob = try await open(server, context, for: bob),
            ended = try await open(server, context, for: ada)

        let answeredByBob = try await refusal {
            try await server.web.login.complete(bob.id, methods: ["mfa", "swk"], using: forAda, context)
        }
        let inAnothers = try await refusal {
            try await server.web.login.complete(bob.id, methods: ["mfa", "swk"], using: forBob, context)
        }
        let without = try await refusal {
            try await server.web.login.complete(ada.id, methods: ["mfa", "swk"], using: ended, nobody)
        }
        let again = try await server.web.login.complete(ada.id, methods: ["mfa", "swk"], using: forAda, context)
        let sessions: Int = try await server.database.value(
            "select count(*) from browser_session where account = \(bob.id)")

        #expect(answeredByBob == .another && inAnothers == .over && without == .over)
        let bobs = try await audited(server, bob), adas = try await audited(server, ada)
        #expect(bobs == ["another", "over"] && adas == ["over"])
        #expect(again == nil, "a refused attempt is used up")
        #expect(sessions == 0)
    }

    @Test("a suspended account, or one that is gone, completes nothing")
    func suspended() async throws {
        let server = try TestServer.ofSuite, ada = try await server.newResident(), context = server.browserContext(),
            accounts = AccountStore(clock: server.time.clock)
        let (first, second) = (try await open(server, context, for: nil), try await open(server, context, for: nil))

        _ = try await accounts.setStatus(ada.id, .suspended, in: server.database)
        let kept = try await refusal {
            try await server.web.login.complete(ada.id, methods: ["mfa", "swk"], using: first, context)
        }
        try await accounts.delete(ada.id, in: server.database)
        let gone = try await refusal {
            try await server.web.login.complete(ada.id, methods: ["mfa", "swk"], using: second, context)
        }

        let told = try await audited(server, ada)
        #expect(kept == .suspended && gone == .suspended && told == ["suspended", "suspended"])
    }

    @Test("what was removed since it answered completes nothing, and the attempt is used up")
    func removed() async throws {
        let server = try TestServer.ofSuite, ada = try await server.newResident(), context = server.browserContext(),
            attempt = try await open(server, context, for: nil)

        let refused = try await refusal {
            try await server.web.login.complete(ada.id, methods: ["mfa", "swk"], using: attempt, context) { _ in false }
        }
        let again = try await server.web.login.complete(ada.id, methods: ["mfa", "swk"], using: attempt, context),
            told = try await audited(server, ada)

        #expect(refused == .removed && again == nil && told == ["removed"])
    }

    @Test("a session that ended while the phone was asked is not raised")
    func endedMeanwhile() async throws {
        let server = try TestServer.ofSuite, ada = try await server.newResident(),
            context = try await server.browserContext(as: ada)
        let attempt = try await open(server, context, for: ada)
        _ = try await server.database.execute(
            "update browser_session set expires_at = created_at where id = \(context.session?.id ?? "")")

        let refused = try await refusal {
            try await server.web.login.complete(ada.id, methods: ["mfa", "swk"], using: attempt, context)
        }
        let live: Int = try await server.database.value(
            "select count(*) from browser_session where account = \(ada.id) and expires_at > created_at")

        #expect(refused == .over && live == 0)
    }

    // MARK: Ringing phones

    @Test("only a client that logged the person in with two factors rings the phone, three times until it is answered")
    func pushes() async throws {
        let server = try TestServer.ofSuite, ada = try await server.newResident(), pushes = server.web.pushes,
            context = try await server.browserContext(as: ada)

        let early = try await pushes.take(client: context.client, account: ada.id)
        _ = try await server.web.login.complete(
            ada.id, methods: ["mfa", "swk"], using: try await open(server, context, for: ada), context)
        let stranger = try await pushes.take(client: server.browserContext().client, account: ada.id)
        var taken: [Bool] = []
        for _ in 0..<5 { taken.append(try await pushes.take(client: context.client, account: ada.id)) }
        try await pushes.forgive(ada.id, in: server.database)
        let after = try await pushes.take(client: context.client, account: ada.id)

        #expect(!early && !stranger && taken == [true, true, true, false, false] && after)
    }
}
