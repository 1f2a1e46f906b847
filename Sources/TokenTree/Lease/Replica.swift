import Base
import Database
import Foundation
import Synchronization

/// This process as the others see it: its row of `replica`, and what it knows of `change`.
final class Replica: Sendable {
    /// Whoever has not read changes for so long begins anew: they are kept for longer (`kept`).
    private static let oldest = Duration.seconds(300)
    /// Seconds for which changes are kept.
    static let kept: TimeInterval = 3_600
    /// Changes of one read.
    private static let page = 10_000
    /// Which history of the log this is: another primary has another timeline, a backup that was put back is another
    /// cluster or another table.
    private static let history: SQL = "change_history()"
    private static let length = Lease.length / .seconds(1)
    /// A row between two renewals.
    private static let version: SQL = "(r.id::text || ' ' || r.lease_until::text)"

    /// From the first question to the last one for long.
    struct Following {
        /// Numbers of another life mean nothing in this one.
        let life = Randomness.system.uuid()
        var lease: Lease
        var memory: TokenMemory
        /// On another one numbers may come again.
        let history: String
        /// Before it was known which history that is.
        let begunAt: ContinuousClock.Instant
        var readAt: ContinuousClock.Instant
    }

    struct State {
        var following: Following?
        var askedAt: ContinuousClock.Instant?
    }

    let state = Mutex(State())
    private let id = Randomness.system.uuid()
    private let database: Database

    init(database: Database) { self.database = database }

    // MARK: Following

    /// Writes the row, and behind its commit reads what has changed.
    func renew() async throws {
        let sent = ContinuousClock.now
        // Another value each time, also where the database's clock went back: that is what shows others a renewal.
        let rows = try await database.query(
            """
            insert into replica as r (id, lease_until, seen)
            values (\(id), clock_timestamp() + \(Replica.length) * interval '1 second', 0)
            on conflict (id) do update
                set lease_until = greatest(r.lease_until + interval '1 microsecond', excluded.lease_until)
            returning r.xmax = 0 as is_new
            """)
        if state.withLock({ $0.following == nil }) { try await begin() }
        guard let known = try await read() else { return }
        // One that was struck off has seen nothing, as its new row has it.
        if try rows.first?("is_new") == true { try await acknowledge(known) }
        state.withLock { $0.following?.lease.renewed(sent: sent, head: known) }
    }

    private func begin() async throws {
        let begun = ContinuousClock.now
        let rows = try await database.query(
            "select coalesce(max(number), 0) as head, \(Replica.history) as history from change")
        guard let row = rows.first else { return }
        let head: Int = try row("head"), history: String = try row("history")
        state.withLock { state in
            state.following = Following(
                lease: Lease(applied: head), memory: TokenMemory(asOf: head, at: begun), history: history,
                begunAt: begun, readAt: begun)
        }
        try await acknowledge(head)
    }

    /// Forgets what has changed since it was last read, and says so; up to where. `nil` where nothing is followed, or
    /// not any more: then everything was forgotten.
    @discardableResult
    func read() async throws -> Int? {
        while true {
            let begun = ContinuousClock.now
            let known: (life: UUID, history: String, applied: Int)? = state.withLock { state in
                if let readAt = state.following?.readAt, begun - readAt > Replica.oldest { state.following = nil }
                return state.following.map { ($0.life, $0.history, $0.lease.applied) }
            }
            guard let (life, history, applied) = known else { return nil }
            let results = try await database.batch([
                "select \(Replica.history) as history",
                """
                select number, node, name from change where number > \(applied) order by number limit \(Replica.page)
                """,
            ])
            guard try results[0].first?("history") == history else {
                forget()
                return nil
            }
            let head = try results[1].last?("number") ?? applied
            var changes: [(Int, Change)] = []
            for row in results[1] {
                let node: NodeID? = try row("node"), name: String? = try row("name")
                guard let change = node.map(Change.node) ?? name.map(Change.name) else { continue }
                changes.append((try row("number"), change))
            }
            let isSame = state.withLock { state in
                // Several read at once: each change is applied once, and to what it was read for.
                guard state.following?.life == life, let applied = state.following?.lease.applied,
                    let readAt = state.following?.readAt
                else { return false }
                for (number, change) in changes where number > applied {
                    state.following?.memory.changed(change, number: number)
                }
                state.following?.lease.apply(upTo: head)
                state.following?.readAt = max(begun, readAt)
                state.following?.memory.turn(known: max(head, applied), at: begun)
                return true
            }
            guard isSame else { return nil }
            if head > applied { try await acknowledge(head) }
            if results[1].count < Replica.page { return head }
        }
    }

    /// Need not outlive a crash: what is lost only has others wait.
    private func acknowledge(_ number: Int) async throws {
        _ = try await database.batchAlone([
            "select set_config('synchronous_commit', 'off', true)",
            "update replica set seen = \(number) where id = \(id) and seen < \(number)",
        ])
    }

    private func forget() { state.withLock { $0.following = nil } }

    /// Nobody asks any more: nobody need wait for this process.
    func end() async {
        forget()
        _ = try? await database.execute("delete from replica where id = \(id)")
    }

    // MARK: Waiting for the others

    /// What is known of the others and a change.
    struct Look {
        /// No other process answers from memory what held before `target`: all that have a row have seen it.
        let isOver: Bool
        let target: Int
        /// The rows of those that have not, as they are until their next renewal.
        let silent: [String]
    }

    /// `target`: the change; the newest when it was first asked, where none is given. Leases go by no time of the
    /// database's: when its clock jumps ahead, all would look as if they were over. For another primary it counts.
    func look(for target: Int?) async throws -> Look {
        let rows = try await database.query(
            """
            with head as (select coalesce(\(target), max(number), 0) as number from change)
            select head.number, e.history = \(Replica.history) as is_same,
                e.since + \(Replica.length) * interval '1 second' > clock_timestamp() as is_blind,
                array(select \(Replica.version) from replica r where r.id <> \(id) and r.seen < head.number) as silent
            from head, lease_era e
            """)
        guard let row = rows.first else { throw DatabaseError.unavailable("lease_era has no row") }
        let number: Int = try row("number"), silent: [String] = try row("silent")
        guard try row("is_same") else {
            _ = try await database.execute(
                """
                update lease_era set history = \(Replica.history), since = clock_timestamp()
                where history <> \(Replica.history)
                """)
            return Look(isOver: false, target: number, silent: silent)
        }
        return Look(isOver: try !row("is_blind", as: Bool.self) && silent.isEmpty, target: number, silent: silent)
    }

    /// Those that have neither renewed nor seen it for longer than a lease is: nobody waits for them again. Whoever
    /// lives makes its row anew, and reads behind it what has changed.
    func strikeOff(_ look: Look) async throws {
        _ = try await database.execute(
            "delete from replica r where r.seen < \(look.target) and \(Replica.version) = any(\(look.silent))")
    }

    static func tidy(in database: Database) async throws {
        _ = try await database.batch([
            "delete from change where at < clock_timestamp() - \(Replica.kept) * interval '1 second'",
            "delete from replica where lease_until < clock_timestamp() - interval '1 hour'",
        ])
    }
}
