import Base
import Database
import Foundation
import Testing

@testable import Operations

/// As `OneMoreTests` of Tests/JourneyTests, for what operations end by themselves.
@Suite("One more than every limit: operations and phones")
struct OneMoreOperationTests {
    /// A hundred further operations like this one, newer; `below` is what they hang from.
    private func clone(_ order: OperationView, below node: UUID? = nil, in bank: OperationsBank) async throws {
        _ = try await bank.database.execute(
            """
            insert into phone_operation overriding system value select (jsonb_populate_record(x, jsonb_build_object(
                'id', 'more' || g, 'number', x.number + g,
                'lineage', to_jsonb(case when \(node)::uuid is null then x.lineage else array[\(node)::uuid] end)))).*
            from phone_operation x cross join generate_series(1, 100) g where x.id = \(order.id)
            """)
    }

    @Test("an operation is in a phone's list behind a hundred newer ones that ended with the token of their app")
    func pending() async throws {
        try await OperationsBank.with { bank in
            let phone = try await bank.phone(), order = try await bank.order(), node = UUID()
            try await clone(order, below: node, in: bank)
            #expect(try await phone.listed().contains(order.id) == false, "the newest hundred have all places")

            _ = try await bank.database.execute(
                """
                insert into revocation (node, label, revoked_at, actor)
                values (\(node), 'token:more', \(bank.time.now), 'test')
                """)

            #expect(try await phone.listed() == [order.id])
        }
    }

    @Test("operations whose time is over are all written down")
    func overdue() async throws {
        try await OperationsBank.with { bank in
            try await clone(try await bank.order(), in: bank)
            bank.time.advance(301)

            // As the worker does: again at once while a round is full.
            let rounds = [
                try await bank.service.expire(), try await bank.service.expire(), try await bank.service.expire(),
            ]

            #expect(rounds == [ExpireOperations.page, 1, 0])
            #expect(
                try await bank.database.value("select count(*) from phone_operation where status = 'EXPIRED'") == 101)
        }
    }

    @Test("activation codes that nobody used are all ended in one round of housekeeping")
    func codes() async throws {
        try await OperationsBank.with { bank in
            let started = try await bank.fixture.start()
            _ = try await bank.database.execute(
                """
                insert into phone_registration select (jsonb_populate_record(r, jsonb_build_object(
                    'id', 'more' || g, 'code_hash', sha256(convert_to('more' || g, 'UTF8'))))).*
                from phone_registration r cross join generate_series(1, \(PowerAuthTidying.batch)) g
                where r.id = \(started.registration.id)
                """)
            bank.time.advance(86_400)

            try await bank.fixture.service.tidy()

            let states = try await bank.database.query(
                "select state, count(*) as number from phone_registration group by state")
            #expect(states.count == 1)
            #expect(try states.first.map { try $0("state") } == "REMOVED")
            #expect(try states.first.map { try $0("number") } == PowerAuthTidying.batch + 1)
        }
    }
}
