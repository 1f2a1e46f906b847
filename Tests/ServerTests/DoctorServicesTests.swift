import Database
import Foundation
import Logging
import TestSupport
import Testing

@testable import Server

@Suite("pando doctor: services that hear nothing of what ends", .timeLimit(.minutes(30)))
struct DoctorServicesTests {
    private func findings(_ server: TestServer) async throws -> [String: Finding] {
        let values = try await ConfigurationValues(
            flags: ["migrations": Checkout.folder("migrations").path], environment: [:])
        let found = await DatabaseChecks(
            settings: try Settings(values), database: server.database, clock: server.time.clock, logger: .quiet
        ).findings()
        return Dictionary(grouping: found, by: \.name).compactMapValues(\.first)
    }

    /// An event for `learn` that waits since then.
    private func tell(_ server: TestServer, at date: Date) async throws {
        _ = try await server.database.batch([
            """
            insert into delivery (service, last) values ('learn', 1)
            on conflict (service) do update set last = 1
            """,
            """
            insert into outbox (service, seq, jti, event, body, created_at)
            values ('learn', 1, 'of-a-test', 'ended', '{}', \(date))
            """,
        ])
    }

    @Test("where an event waits for more than five minutes, its service is named")
    func late() async throws {
        try await TestServer.with { server in
            let none = try await findings(server)
            try await tell(server, at: server.time.now - 300)
            let young = try await findings(server)
            server.time.advance(1)
            let late = try await findings(server)
            _ = try await server.database.execute("update outbox set settled_at = \(server.time.now)")
            let heard = try await findings(server)

            #expect([none, young, heard].allSatisfy { $0["services"]?.status == .ok })
            #expect([none, late, heard].allSatisfy { $0["dead-letters"]?.status == .ok })
            #expect(late["services"]?.status == .warning && late["services"]?.advice != nil)
            #expect(late["services"]?.text == "what ends is not heard of by learn")
        }
    }

    @Test("a service that more than five attempts did not reach is named, of many the first five")
    func failing() async throws {
        try await TestServer.with { server in
            _ = try await server.database.execute("update delivery set failures = 5")
            let few = try await findings(server)
            _ = try await server.database.execute("update delivery set failures = 6 where service = 'quiet'")
            let quiet = try await findings(server)
            _ = try await server.database.batch([
                """
                insert into service select (jsonb_populate_record(s, jsonb_build_object(
                    'id', 'more' || g, 'base', s.base || '/more' || g))).*
                from service s cross join generate_series(1, 6) g where s.id = 'learn'
                """,
                "insert into delivery (service, failures) select 'more' || g, 6 from generate_series(1, 6) g",
            ])
            let many = try await findings(server)

            #expect(few["services"]?.status == .ok)
            #expect(quiet["services"]?.text == "what ends is not heard of by quiet")
            #expect(many["services"]?.status == .warning)
            #expect(
                many["services"]?.text == "what ends is not heard of by more1, more2, more3, more4, more5 and 2 more")
        }
    }

    @Test("a service whose events were given up is named, though nothing waits for it")
    func dead() async throws {
        try await TestServer.with { server in
            try await tell(server, at: server.time.now - 86_400)
            _ = try await server.database.execute(
                "update outbox set settled_at = \(server.time.now), error = 'HTTP status 404'")

            let found = try await findings(server)

            #expect(found["services"]?.status == .ok)
            #expect(found["dead-letters"]?.status == .warning && found["dead-letters"]?.advice != nil)
            #expect(found["dead-letters"]?.text == "events were given up for learn")
        }
    }
}
