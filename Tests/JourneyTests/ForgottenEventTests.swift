import Accounts
import Base
import Database
import Foundation
import TestSupport
import Testing

@Suite("how long logins are remembered")
struct ForgottenEventTests {
    private func count(_ house: TestHouse, _ account: Account) async throws -> Int {
        try await house.database.value("select count(*) from authentication_event where account = \(account.id)")
    }

    @Test("what belongs to a session stays, however old, and goes with it when it is old")
    func ofSessions() async throws {
        try await TestHouse.with { house in
            let sessions = SessionStore(clock: house.time.clock), ada = try await house.newResident()
            _ = try await house.visitor(as: ada)
            _ = try await house.database.execute("update authentication_event set at = at - interval '401 days' where account = \(ada.id)")

            try await sessions.forget(in: house.database)
            let live = try await count(house, ada)
            house.time.advance(2 * 86_400)
            try await sessions.forget(in: house.database)
            let over = try await count(house, ada)

            #expect(live == 1 && over == 0)
        }
    }

    @Test("a client is no stranger for 400 days after its last login")
    func strangers() async throws {
        try await TestHouse.with { house in
            let sessions = SessionStore(clock: house.time.clock), events = AuthenticationEvents(clock: house.time.clock), ada = try await house.newResident()
            _ = try await events.record(ada, methods: ["mfa", "swk"], client: "phone", in: house.database)

            house.time.advance(400 * 86_400)
            try await sessions.forget(in: house.database)
            let known = try await sessions.knows("phone", account: ada.username, in: house.database)
            let hasCompleted = try await events.hasCompleted("mfa", client: "phone", account: ada.id, in: house.database)
            house.time.advance(1)
            try await sessions.forget(in: house.database)
            let left = try await count(house, ada), stranger = try await sessions.knows("phone", account: ada.username, in: house.database)

            #expect(known == ada.id && hasCompleted && left == 0 && stranger == nil)
        }
    }
}
