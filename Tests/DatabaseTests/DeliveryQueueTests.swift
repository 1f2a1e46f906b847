import Foundation
import Synchronization
import Testing

@testable import Database

@Suite("The delivery queue of all outboxes", .timeLimit(.minutes(10)))
struct DeliveryQueueTests {
    private func with(_ body: (Parcels) async throws -> Void) async throws {
        try await TestDatabase.with(connections: 8) { (database) async throws in
            let parcels = Parcels(database: database)
            try await parcels.make()
            try await body(parcels)
        }
    }

    /// While `body` lasts.
    private func running(_ queues: [DeliveryQueue], _ body: () async throws -> Void) async throws {
        let workers = queues.map { queue in Task { await queue.run() } }
        do {
            try await body()
        } catch {
            Issue.record(error)
        }
        for worker in workers { worker.cancel() }
        for worker in workers { await worker.value }
    }

    private static func hang() async throws -> DeliveryOutcome {
        try await Task.sleep(for: .seconds(3_600))
        return .delivered
    }

    private func eventually(_ condition: () async throws -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(60)
        while try await !condition() {
            try #require(ContinuousClock.now < deadline)
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    @Test("what is there at the start is sent, then what is told of; what was delivered is gone")
    func told() async throws {
        try await with { parcels in
            try await parcels.add([1, 2, 3], telling: false)
            var seen: [Int?] = [], arrivals = parcels.wire.arrivals.makeAsyncIterator()
            try await running([parcels.queue(DeliveryLimits(share: 1)) { _, _ in .delivered }]) {
                for _ in 1...3 { seen.append(await arrivals.next()) }
                for batch in [[4, 5], [6], [7, 8]] {
                    try await parcels.add(batch)
                    for _ in batch { seen.append(await arrivals.next()) }
                }
                try await eventually { try await parcels.left().isEmpty }
            }

            #expect(seen == [1, 2, 3, 4, 5, 6, 7, 8], "with a share of one in order")
        }
    }

    @Test("what nobody tells of is found after a while")
    func untold() async throws {
        try await with { parcels in
            try await parcels.add([1])
            var arrivals = parcels.wire.arrivals.makeAsyncIterator()
            try await running([parcels.queue(longestNap: .seconds(3)) { _, _ in .delivered }]) {
                _ = await arrivals.next()
                // By now it listens, and has looked since.
                try await Task.sleep(for: .seconds(1))
                try await parcels.add([2], telling: false)

                #expect(await arrivals.next() == 2)
            }
        }
    }

    @Test("a receiver that hangs has its share and no more, and another's is sent meanwhile")
    func hangs() async throws {
        try await with { parcels in
            try await parcels.add(Array(1...40), to: "slow", telling: false)
            var arrivals = parcels.wire.arrivals.makeAsyncIterator()
            let queue = parcels.queue { _, receiver in receiver == "slow" ? try await Self.hang() : .delivered }
            try await running([queue]) {
                for _ in 1...4 { _ = await arrivals.next() }
                try await parcels.add([41], to: "quick")

                #expect(await arrivals.next() == 41)
            }

            #expect(parcels.wire.most(to: "slow") == 4 && parcels.wire.sent.count == 5)
        }
    }

    @Test("receivers that hang and fill all places lose them when they are late")
    func late() async throws {
        try await with { parcels in
            for number in 0..<8 { try await parcels.add([number], to: "slow\(number / 4)", telling: false) }
            var arrivals = parcels.wire.arrivals.makeAsyncIterator()
            let queue = parcels.queue(DeliveryLimits(total: 8, patience: .milliseconds(300))) { _, receiver in
                receiver == "quick" ? .delivered : try await Self.hang()
            }
            try await running([queue]) {
                for _ in 1...8 { _ = await arrivals.next() }
                try await parcels.add([8], to: "quick")

                #expect(await arrivals.next() == 8)
            }
        }
    }

    @Test("what is postponed is sent when it is due, not before, though nobody tells of it")
    func postponed() async throws {
        try await with { parcels in
            try await parcels.add([1])
            let attempts = Mutex<[ContinuousClock.Instant]>([])
            var arrivals = parcels.wire.arrivals.makeAsyncIterator()
            let queue = parcels.queue(pause: 0.2) { _, _ in
                attempts.withLock { attempts in
                    attempts.append(.now)
                    return attempts.count < 3 ? .later("busy") : .delivered
                }
            }
            try await running([queue]) {
                for _ in 1...3 { _ = await arrivals.next() }
                try await eventually { try await parcels.left().isEmpty }
            }

            let times = attempts.withLock { $0 }, pauses = zip(times, times.dropFirst()).map { $1 - $0 }
            // 0.4 and 0.8 s, each give or take a quarter.
            for (pause, least) in zip(pauses, [0.3, 0.6]) {
                #expect(pause > .seconds(least), "\(pause)")
            }
        }
    }

    @Test("when a lease ends another process sends the row, and what the first says afterwards changes nothing")
    func lease() async throws {
        try await with { parcels in
            try await parcels.add([1])
            let (gate, opener) = AsyncStream.makeStream(of: Void.self)
            let killed = parcels.queue(lease: 0.5) { _, _ in
                for await _ in gate {}
                return .later("from beyond")
            }
            let first = Task { try await killed.sendDue() }
            var arrivals = parcels.wire.arrivals.makeAsyncIterator()
            _ = await arrivals.next()
            try await running([parcels.queue { _, _ in .later("not now") }]) {
                #expect(await arrivals.next() == 1)
                try await eventually { try await parcels.left().first?.error != nil }
                opener.finish()
                _ = try await first.value
            }

            #expect(try await parcels.left().map(\.error) == ["not now"])
        }
    }

    @Test("what is refused, or too old, is given up: deleted, or kept as a dead letter", arguments: [true, false])
    func givenUp(keeps: Bool) async throws {
        try await with { parcels in
            try await parcels.add([1])
            try await parcels.add([2], createdAt: Date(timeIntervalSinceNow: -Parcels.day))
            try await parcels.add([3])
            let queue = parcels.queue(keepsDeadLetters: keeps) { id, _ in id == 1 ? .refused("never") : .later("no") }

            let rounds = [try await queue.sendDue(), try await queue.sendDue()]

            let left = try await parcels.left()
            #expect(rounds == [3, 0])
            #expect(left.map(\.id) == (keeps ? [1, 2, 3] : [3]) && left.last?.next != nil)
            #expect(left.dropLast().allSatisfy { $0.next == nil })
            #expect(left.compactMap(\.error) == (keeps ? ["never", "no", "no"] : ["no"]))
        }
    }

    @Test("processes side by side send each row once, and to no receiver more than their shares")
    func processes() async throws {
        try await with { parcels in
            for number in 0..<10 {
                try await parcels.add(Array(number * 30..<number * 30 + 30), to: "receiver\(number)", telling: false)
            }
            let queues = (0..<3).map { _ in
                parcels.queue { _, _ in
                    try await Task.sleep(for: .milliseconds(2))
                    return .delivered
                }
            }

            try await running(queues) { try await eventually { try await parcels.left().isEmpty } }

            #expect(parcels.wire.sent.sorted() == Array(0..<300))
            #expect((0..<10).allSatisfy { parcels.wire.most(to: "receiver\($0)") <= 12 })
        }
    }

    @Test("cancelled, it gives back what has no answer, and ends")
    func cancelled() async throws {
        try await with { parcels in
            try await parcels.add([1])
            var arrivals = parcels.wire.arrivals.makeAsyncIterator()

            try await running([parcels.queue { _, _ in try await Self.hang() }]) { _ = await arrivals.next() }

            let left = try await parcels.left().first
            #expect(left?.next.map { $0 <= Date() } == true && left?.error == nil)
        }
    }

    @Test("while the database fails it tries again, and ends when it is cancelled")
    func away() async throws {
        try await TestDatabase.with { (database) async throws in
            let parcels = Parcels(database: database)
            var arrivals = parcels.wire.arrivals.makeAsyncIterator()
            try await running([parcels.queue { _, _ in .delivered }]) { try await Task.sleep(for: .milliseconds(100)) }
            try await running([parcels.queue { _, _ in .delivered }]) {
                try await Task.sleep(for: .milliseconds(200))
                try await parcels.make()
                try await parcels.add([1], telling: false)

                #expect(await arrivals.next() == 1)
            }
        }
    }
}
