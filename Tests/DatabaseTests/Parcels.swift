import Base
import Database
import Foundation
import Synchronization

/// An outbox of the test's own, and what arrived from it.
struct Parcels: Sendable {
    /// What reaches receivers, and how many they are sent at once.
    final class Wire: Sendable {
        private struct State {
            var sent: [Int] = []
            var open: [String: Int] = [:]
            var most: [String: Int] = [:]
        }

        private let state = Mutex(State())
        let arrivals: AsyncStream<Int>
        private let sink: AsyncStream<Int>.Continuation

        init() { (arrivals, sink) = AsyncStream.makeStream(of: Int.self) }

        var sent: [Int] { state.withLock { $0.sent } }
        func most(to receiver: String) -> Int { state.withLock { $0.most[receiver] ?? 0 } }

        func send(
            _ id: Int, to receiver: String, _ answer: () async throws -> DeliveryOutcome
        ) async throws -> DeliveryOutcome {
            state.withLock { state in
                state.sent.append(id)
                state.open[receiver, default: 0] += 1
                state.most[receiver] = max(state.most[receiver] ?? 0, state.open[receiver] ?? 0)
            }
            defer { state.withLock { $0.open[receiver, default: 0] -= 1 } }
            sink.yield(id)
            return try await answer()
        }
    }

    static let day: TimeInterval = 86_400

    let database: Database
    let channel = UUID().uuidString
    let wire = Wire()

    func make() async throws {
        try await database.execute(
            """
            create table parcel (
                id bigint primary key, receiver text not null, created_at timestamptz not null, next_try timestamptz,
                tries integer not null default 0, last_error text
            )
            """)
    }

    /// As another process would: nothing is shared with those made before but the table.
    func queue(
        _ limits: DeliveryLimits = DeliveryLimits(), longestNap: Duration = .seconds(120), lease: TimeInterval = 60,
        pause: TimeInterval = 60,
        keepsDeadLetters: Bool = false,
        _ answer: @escaping @Sendable (_ id: Int, _ receiver: String) async throws -> DeliveryOutcome
    ) -> DeliveryQueue {
        let table = DeliveryTable(
            "parcel", key: "id", receivers: "select distinct p.receiver from parcel p",
            rows: "parcel d where d.receiver = r.receiver and d.next_try is not null", order: "d.next_try, d.id",
            columns: "d.id", tally: .attempts("tries"),
            patience: DeliveryTable.Patience(since: "created_at", lasts: Parcels.day),
            keepsDeadLetters: keepsDeadLetters,
            matching: { row throws(DatabaseError) in "d.id = \(try row("id", as: Int.self))" })
        return DeliveryQueue(
            "parcels", table, in: database, channel: channel, limits: limits, longestNap: longestNap, lease: lease,
            pause: RetryPause(first: pause, longest: 3_600), clock: .system, logger: TestDatabase.quiet
        ) { [wire] row in
            let id: Int = try row("id"), receiver: String = try row("receiver")
            return try await wire.send(id, to: receiver) { try await answer(id, receiver) }
        }
    }

    func add(
        _ ids: [Int], to receiver: String = "somebody", createdAt: Date = Date(), telling: Bool = true
    ) async throws {
        try await database.transaction { transaction in
            for id in ids {
                try await transaction.execute(
                    """
                    insert into parcel (id, receiver, created_at, next_try)
                    values (\(id), \(receiver), \(createdAt), \(createdAt))
                    """)
            }
            if telling { try await transaction.execute("select pg_notify(\(channel), '')") }
        }
    }

    /// Those that are left: when they are due, and why not yet.
    func left() async throws -> [(id: Int, next: Date?, error: String?)] {
        try await database.query("select id, next_try, last_error from parcel order by id").map {
            (try $0("id"), try $0("next_try"), try $0("last_error"))
        }
    }
}
