import Base
import Database
import Foundation
import Registration
import TestSupport
import Testing
import TokenTree

@Suite("what is forgotten of events and the tree")
struct ForgottenTreeTests {
    private static let day: TimeInterval = 86_400

    private struct Counts: CustomStringConvertible {
        var outbox = 0, delivery = 0, received = 0, reach = 0, revocation = 0

        var description: String {
            "outbox \(outbox), delivery \(delivery), received \(received), reach \(reach), revocation \(revocation)"
        }
    }

    private func counts(_ server: TestServer) async throws -> Counts {
        let database = server.database
        return Counts(
            outbox: try await database.value("select count(*) from outbox"),
            delivery: try await database.value("select count(*) from delivery"),
            received: try await database.value("select count(*) from event_received"),
            // A signing key can be revoked for as long as it is known.
            reach: try await database.value(
                """
                select count(*) from reach r
                where not exists (select from ancestor a where a.id = r.node and a.kind = 'signer')
                """),
            revocation: try await database.value("select count(*) from revocation"))
    }

    @Test("who must be told is known while the node can be revoked, and no longer")
    func reach() async throws {
        try await TestServer.with { server in
            let gone = try await Phone.registered(in: server), kept = try await Phone.registered(in: server)
            _ = try await gone.joinService()
            let service = try await kept.joinService()
            try await server.parts.revocation.revoke(.virtual(Ancestor(.instance, gone.clientID)), by: .server)
            let before = try await counts(server).reach

            try await server.tidy()
            #expect(try await counts(server).reach < before)
            try await server.parts.revocation.revoke(.virtual(Ancestor(.instance, kept.clientID)), by: .server)
            try await server.sendEvents()

            #expect(try await kept.authorizeApp(service).outcome == "401 invalid_token")
        }
    }

    @Test("a service that was removed takes its events along when it has heard of its end, or after patience")
    func removed() async throws {
        try await TestServer.with { server in
            try await PollingService.tell(server, ["learn", "quiet"], times: 2)
            try await server.sendEvents()
            _ = try await server.database.execute(
                "update service set status = 'removed', changed_at = \(server.time.now)")

            try await server.tidy()
            let heard: Int = try await server.database.value("select count(*) from outbox where service = 'learn'")
            let unheard: Int = try await server.database.value("select count(*) from outbox where service = 'quiet'")
            server.time.advance(7 * Self.day + 1)
            try await server.tidy()

            #expect(heard == 0 && unheard == 2)
            let left = try await counts(server)
            #expect(left.outbox == 0 && left.delivery == 0, "\(left)")
        }
    }

    @Test("what neither push nor poll takes is given up by housekeeping, and forgotten a month later")
    func unheard() async throws {
        try await TestServer.with { server in
            try await PollingService.tell(server)

            server.time.advance(7 * Self.day + 3_600)
            try await server.tidy()
            let dead: Int = try await server.database.value("select count(*) from outbox where error is not null")
            server.time.advance(30 * Self.day + 1)
            try await server.tidy()

            #expect(dead == 1)
            #expect(try await counts(server).outbox == 0)
        }
    }
}
