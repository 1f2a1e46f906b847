import Accounts
import Base
import Database
import Foundation
import TestSupport
import Testing

@Suite("how long logins are remembered")
struct ForgottenEventTests {
    private func count(_ server: TestServer, _ account: Account) async throws -> Int {
        try await server.database.value("select count(*) from authentication_event where account = \(account.id)")
    }

    @Test("what belongs to a session stays, however old, and goes with it when it is old")
    func ofSessions() async throws {
        try await TestServer.with { server in
            let sessions = SessionStore(clock: server.time.clock), ada = try await server.newResident()
            _ = try await server.browserContext(as: ada)
            _ = try await server.database.execute(
                "update authentication_event set at = at - interval '401 days' where account = \(ada.id)")

            try await sessions.forget(in: server.database)
            let live = try await count(server, ada)
            server.time.advance(2 * 86_400)
            try await sessions.forget(in: server.database)
            let over = try await count(server, ada)

            #expect(live == 1 && over == 0)
        }
    }

    @Test("a client is no stranger for 400 days after its last login")
    func strangers() async throws {
        try await TestServer.with { server in
            let sessions = SessionStore(clock: server.time.clock),
                events = AuthenticationEvents(clock: server.time.clock), ada = try await server.newResident()
            _ = try await events.record(ada, methods: ["mfa", "swk"], client: "phone", in: server.database)

            server.time.advance(400 * 86_400)
            try await sessions.forget(in: server.database)
            let known = try await sessions.knows("phone", account: ada.username, in: server.database)
            let hasCompleted = try await events.hasCompleted(
                "mfa", client: "phone", account: ada.id, in: server.database)
            server.time.advance(1)
            try await sessions.forget(in: server.database)
            let left = try await count(server, ada),
                stranger = try await sessions.knows("phone", account: ada.username, in: server.database)

            #expect(known == ada.id && hasCompleted && left == 0 && stranger == nil)
        }
    }
}
