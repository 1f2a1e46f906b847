import Base
import Database
import Foundation
import Registration
import TestSupport
import Testing
import TokenTree

@Suite("Growth: app instances that nobody uses")
struct UnusedInstanceTests {
    private static let day: TimeInterval = 86_400

    private func status(_ phone: Phone) async throws -> String? {
        try await InstanceStore(clock: phone.server.time.clock).find(phone.clientID, in: phone.server.database)?.status
    }

    @Test("one in which nobody logged in ends after 90 days, with a line that says why; its row goes 90 days later")
    func unused() async throws {
        try await TestServer.with { server in
            let tried = try await Phone.registered(in: server), used = try await Phone.registered(in: server)
            _ = try await used.logIn()

            server.time.advance(90 * Self.day)
            try await server.tidy()
            let early = try await status(tried)
            server.time.advance(Self.day)
            try await server.tidy()
            let ended = try await status(tried)
            let reason: String = try await server.database.value(
                "select reason from audit where node = \("instance:\(tried.clientID)") and actor = 'server'")
            server.time.advance(92 * Self.day)
            try await server.tidy()

            #expect(early == "live" && ended == "revoked" && reason == "nobody logged in for 90 days")
            #expect(try await status(tried) == nil)
            #expect(try await status(used) == "live", "its person is told first, and only where there is a limit")
            #expect(try await tried.get("/user-profile", token: tried.instance.accessToken).status == 401)
        }
    }

    @Test("0 keeps them")
    func kept() async throws {
        try await TestServer.with(options: .init(flags: ["instances-unused": "0"])) { server in
            let phone = try await Phone.registered(in: server)

            server.time.advance(200 * Self.day)
            try await server.tidy()

            #expect(try await status(phone) == "live")
        }
    }

    @Test("what was blocked stays, so that lists show why a device is kept out")
    func blocked() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server)
            let instances = InstanceStore(clock: server.time.clock)
            let instance = try #require(try await instances.find(phone.clientID, in: server.database))
            try await server.database.atomically { transaction in
                _ = try await BlockStore(clock: server.time.clock).block(
                    instance, only: nil, by: .server, in: transaction)
                try await server.parts.revocation.revoke(
                    .virtual(Ancestor(.instance, phone.clientID)), by: .server, in: transaction)
            }

            server.time.advance(100 * Self.day)
            try await server.tidy()

            #expect(try await status(phone) == "blocked")
        }
    }

    @Test("a person is told by mail 14 days before theirs ends; whoever opens the app keeps it")
    func idle() async throws {
        try await TestServer.withMail(flags: ["instances-idle": "60"]) { server, mailbox in
            let ada = try await server.newResident(), idle = try await Phone.registered(in: server)
            let opened = try await Phone.registered(in: server)
            for phone in [idle, opened] { _ = try await phone.logIn(as: ada.username) }
            _ = try await mailbox.fetch()

            server.time.advance(46 * Self.day)
            try await server.tidy()
            let early = try await mailbox.fetch()
            server.time.advance(Self.day)
            try await server.tidy()
            let told = try await mailbox.fetch()
            _ = try await InstanceStore(clock: server.time.clock).seen(opened.clientID, in: server.database)
            server.time.advance(13 * Self.day)
            try await server.tidy()
            let waiting = try await status(idle)
            server.time.advance(2 * Self.day)
            try await server.tidy()
            let again = try await mailbox.fetch()

            #expect(early.isEmpty && again.isEmpty, "\(early.map(\.subject)) \(again.map(\.subject))")
            #expect(told.map(\.subject) == Array(repeating: "An app on your phone will be disconnected", count: 2))
            #expect(waiting == "live")
            #expect(try await status(idle) == "revoked")
            #expect(try await status(opened) == "live")
        }
    }

    @Test("an app that only refreshes what it holds is in use; what it was told before is told anew when it is not")
    func refreshed() async throws {
        try await TestServer.withMail(flags: ["instances-idle": "60"]) { server, mailbox in
            let ada = try await server.newResident(), phone = try await Phone.registered(in: server)
            let tried = try await Phone.registered(in: server)
            var held = try await phone.logIn(as: ada.username)
            _ = try await mailbox.fetch()
            func refresh() async throws {
                held = try await phone.refresh(try #require(held["refresh_token"]))
                try #require(held.outcome == "200")
            }

            server.time.advance(40 * Self.day)
            try await server.tidy()
            try await refresh()
            _ = try await tried.refresh(tried.instance.refreshToken)
            server.time.advance(40 * Self.day)
            try await server.tidy()
            let early = try await mailbox.fetch()
            server.time.advance(7 * Self.day)
            try await server.tidy()
            let told = try await mailbox.fetch()
            server.time.advance(Self.day)
            try await refresh()
            server.time.advance(20 * Self.day)
            try await server.tidy()
            let kept = try await status(phone), used = try await status(tried)
            server.time.advance(41 * Self.day)
            try await server.tidy()
            let again = try await mailbox.fetch(), warned = try await status(phone)
            server.time.advance(15 * Self.day)
            try await server.tidy()

            #expect(early.isEmpty && told.count == 1 && again.count == 1)
            #expect(kept == "live" && used == "live" && warned == "live")
            #expect(try await status(phone) == "revoked")
        }
    }
}
