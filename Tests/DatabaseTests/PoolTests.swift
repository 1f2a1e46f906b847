import Synchronization
import Testing

@testable import Database

@Suite("The pool, without a server")
struct PoolTests {
    private let now = ContinuousClock.now

    private func pool(limit: Int) throws -> Pool {
        let conninfo = try Conninfo(.init(connectionString: "host=/nowhere"))
        return Pool(limit: limit) { Connection(id: $0, conninfo: conninfo) { _ in } }
    }

    private func waiter(_ use: Pool.Use, at now: ContinuousClock.Instant? = nil) -> Pool.Waiter {
        Pool.Waiter(ticket: Ticket(), use: use, deadline: (now ?? self.now) + .seconds(5)) { _ in }
    }

    /// What the actions are, in short: `start 1`, `grant 1`, `refuse`, `close 1`; wakes are left out.
    private func told(_ actions: [Pool.Action]) -> [String] {
        actions.compactMap { action in
            switch action {
            case .start(let connection): "start \(connection.id)"
            case .close(let connection): "close \(connection.id)"
            case .grant(_, .success(let connection)): "grant \(connection.id)"
            case .grant(_, .failure): "refuse"
            case .wake: nil
            }
        }
    }

    @Test("opens a connection per waiting caller up to the limit, then shares the least loaded")
    func growth() throws {
        var pool = try pool(limit: 2)
        let one = Pool.Use.shared(weight: 1)

        #expect(pool.take(one) == nil)
        #expect(told(pool.enlist(waiter(one), now: now)) == ["start 1"])
        #expect(told(pool.enlist(waiter(one), now: now)) == ["start 2"])
        #expect(told(pool.enlist(waiter(one), now: now)) == [])
        #expect(told(pool.becameReady(1, now: now)) == ["grant 1"])
        #expect(told(pool.becameReady(2, now: now)) == ["grant 2", "grant 1"])
        #expect(pool.take(one)?.id == 2)
        _ = pool.finished(1, weight: 2, now: now)
        #expect(pool.take(one)?.id == 1)
    }

    @Test("it tells how many connections there are and work, and who waits for one")
    func use() throws {
        var pool = try pool(limit: 2)
        #expect(pool.use == PoolUse(open: 0, inUse: 0, waiting: 0, limit: 2))

        _ = pool.enlist(waiter(.lease), now: now)
        #expect(pool.use == PoolUse(open: 1, inUse: 0, waiting: 1, limit: 2))
        _ = pool.becameReady(1, now: now)
        #expect(pool.use == PoolUse(open: 1, inUse: 1, waiting: 0, limit: 2))
    }

    @Test("a lease waits for a connection to drain, which takes no newcomers meanwhile")
    func reservation() throws {
        var pool = try pool(limit: 1)
        _ = pool.enlist(waiter(.shared(weight: 1)), now: now)
        _ = pool.becameReady(1, now: now)

        #expect(told(pool.enlist(waiter(.lease), now: now)) == [])
        #expect(told(pool.enlist(waiter(.shared(weight: 1)), now: now)) == [])
        #expect(told(pool.finished(1, weight: 1, now: now)) == ["grant 1"])
        #expect(pool.members[0].isLeased)
        #expect(told(pool.release(1, reusable: true, now: now)) == ["grant 1"])
    }

    @Test("after a failure one attempt at a time, and not before the backoff is over")
    func backoff() throws {
        var pool = try pool(limit: 4)
        _ = pool.enlist(waiter(.lease), now: now)
        _ = pool.enlist(waiter(.lease), now: now)

        #expect(told(pool.lost(1, reason: "refused", now: now)) == [])
        #expect(told(pool.lost(2, reason: "refused", now: now)) == [])
        #expect(told(pool.tick(now: now)) == [])
        #expect(told(pool.tick(now: now + .milliseconds(250))) == ["start 3"])
        #expect(told(pool.becameReady(3, now: now)) == ["grant 3", "start 4"])
    }

    @Test("attempts that fail together are one failure, and there is another within a second for as long as it takes")
    func backoffs() throws {
        var pool = try pool(limit: 8), now = now
        for _ in 1...8 { _ = pool.enlist(waiter(.lease, at: now + .seconds(60)), now: now) }
        for id in 1...8 { #expect(told(pool.lost(id, reason: "shutting down", now: now)) == []) }

        now += .milliseconds(100)
        #expect(told(pool.tick(now: now)) == ["start 9"])
        for id in 9...20 {
            #expect(told(pool.lost(id, reason: "refused", now: now)) == [])
            now += .seconds(1)
            #expect(told(pool.tick(now: now)) == ["start \(id + 1)"])
        }
    }

    @Test("who waited too long, or was cancelled, goes; what cannot be reused is closed")
    func leaving() throws {
        var pool = try pool(limit: 1)
        _ = pool.enlist(waiter(.lease), now: now)
        _ = pool.becameReady(1, now: now)
        let impatient = waiter(.lease)
        _ = pool.enlist(impatient, now: now)
        _ = pool.enlist(waiter(.lease), now: now)
        _ = pool.enlist(waiter(.lease, at: now + .seconds(3)), now: now)

        #expect(told(pool.withdraw(impatient.ticket, now: now)) == ["refuse"])
        #expect(told(pool.tick(now: now + .seconds(6))) == ["refuse"])
        #expect(told(pool.release(1, reusable: false, now: now)) == ["close 1", "start 2"])
    }

    @Test("closing serves who waits and refuses who comes")
    func closing() throws {
        var pool = try pool(limit: 1)
        _ = pool.enlist(waiter(.lease), now: now)
        _ = pool.enlist(waiter(.lease), now: now)
        pool.close()

        #expect(told(pool.enlist(waiter(.lease), now: now)) == ["refuse"])
        #expect(told(pool.becameReady(1, now: now)) == ["grant 1"])
        #expect(!pool.isQuiet)
        #expect(told(pool.finish()) == ["refuse", "close 1"])
    }
}
