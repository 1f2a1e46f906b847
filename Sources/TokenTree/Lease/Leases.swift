import Base
import Database
import Foundation
import Metrics

/// Answers from memory where that is exact, and waits, behind a revocation, until nobody answers otherwise
/// (docs/token-tree.md, "Leases"). `Lease` has the rules.
///
/// Nothing is renewed, and nothing remembered, in a process that nobody asks.
public final class Leases: Sendable {
    private static let channel = "pando_changes"
    /// Between two renewals.
    private static let beat = Duration.seconds(1)
    private static let longestPause = Duration.milliseconds(50)

    /// What was found in memory, and what was known then.
    public struct Recalled: Sendable {
        public let row: TokenRow
        fileprivate let applied: Int
    }

    /// What was known of changes at some time: of what is read after that, all of these changes are seen.
    public struct Known: Sendable, Equatable {
        fileprivate let life: UUID
        fileprivate let number: Int
        /// When changes began to be followed on the history that these numbers are of.
        let begunAt: ContinuousClock.Instant
    }

    /// Tokens that were looked for, in memory with success, and in the database.
    private let fromMemory = Counter(label: "pando_token_lookups_total", dimensions: [("source", "memory")])
    private let fromDatabase = Counter(label: "pando_token_lookups_total", dimensions: [("source", "database")])
    /// Looked for while this process follows changes, and no lease held: what the database must answer meanwhile.
    private let fallbacks = Counter(label: "pando_lease_fallbacks_total")
    private let replica: Replica
    private let patience: Duration
    private let settling: GroupCommit<Void, Void>
    private let (rings, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    /// `patience`: for how long it goes on without being asked.
    init(database: Database, patience: Duration = .seconds(10)) {
        let replica = Replica(database: database)
        (self.replica, self.patience) = (replica, patience)
        settling = GroupCommit("revocations", lanes: 1, most: 10_000) { revocations in
            try await Leases.settle(replica)
            return revocations
        }
    }

    // MARK: Asking

    /// The row, if it is certain that nothing has ended it. Memory is looked into first and the lease last, and nothing
    /// is applied in between. `name`: a fact that must be as it was when that was known.
    public func recall(_ id: NodeID, while name: String, since known: Known) -> Recalled? {
        asked { state in
            guard let following = state.following, let row = following.memory.row(id),
                following.life == known.life, following.memory.isSame(name, since: known.number)
            else { return nil }
            guard isCertain(following) else { return nil }
            fromMemory.increment()
            return Recalled(row: row, applied: following.lease.applied)
        }
    }

    /// The row, if it is certain at this moment that nothing has ended it: as if the database had been asked.
    public func recall(_ id: NodeID) -> TokenRow? {
        asked { state in
            guard let following = state.following, isCertain(following), let row = following.memory.row(id) else {
                return nil
            }
            fromMemory.increment()
            return row
        }
    }

    private func isCertain(_ following: Replica.Following) -> Bool {
        let isCertain = following.lease.isCertain(at: .now)
        if !isCertain { fallbacks.increment() }
        return isCertain
    }

    /// How long ago the lease was asked for that this process has; `nil` where nobody asks, so that none is needed.
    public var age: Duration? {
        replica.state.withLock { $0.following?.lease.grantedAt.map { .now - $0 } }
    }

    /// Whether what was recalled is certain still, when the answer is about to be given.
    public func stands(_ recalled: Recalled) -> Bool {
        replica.state.withLock { state in
            guard let lease = state.following?.lease else { return false }
            return lease.applied == recalled.applied && lease.isCertain(at: .now)
        }
    }

    /// To be asked before something is read that is to be remembered; `nil` where nothing is.
    public var known: Known? {
        asked { state in state.following.map { Known(life: $0.life, number: $0.lease.applied, begunAt: $0.begunAt) } }
    }

    /// Notes that somebody asks. The first one wakes who renews.
    private func asked<Value>(_ body: (inout Replica.State) -> Value?) -> Value? {
        let (value, isFirst): (Value?, Bool) = replica.state.withLock { state in
            let isFirst = state.askedAt == nil
            state.askedAt = .now
            return (body(&state), isFirst)
        }
        if isFirst { bell.yield() }
        return value
    }

    /// A token is being looked for in the database.
    func countReading() { fromDatabase.increment() }

    func remember(_ row: TokenRow, asOf known: Known) {
        replica.state.withLock { state in
            if state.following?.life == known.life { state.following?.memory.remember(row, asOf: known.number) }
        }
    }

    /// A row of a standby that has all changes up to `head`, and may lack later ones. What this process has heard
    /// since, from the primary, is held against the row whenever it is recalled; where that does not reach back so far,
    /// it is not remembered.
    func remember(_ row: TokenRow, having head: Int, asOf known: Known) {
        replica.state.withLock { state in
            if state.following?.life == known.life {
                state.following?.memory.remember(row, asOf: min(head, known.number))
            }
        }
    }

    // MARK: Revoking

    /// Behind the commit of a revocation: returns when no process answers from memory what held before.
    func settle() async throws { try await settling.commit(()) }

    /// No lease without what was committed before the first look is longer than that, by this process's clock: one that
    /// was renewed since came with it.
    private static func settle(_ replica: Replica) async throws {
        try await replica.read()
        let first = try await replica.look(for: nil),
            limit = ContinuousClock.now + Lease.length + Lease.length / Lease.drift
        var isOver = first.isOver, pause = Duration.milliseconds(1)
        while !isOver, .now < limit {
            try await Task.sleep(for: pause)
            pause = min(pause * 2, longestPause)
            isOver = try await replica.look(for: first.target).isOver
        }
        // It is final by now, whatever becomes of that.
        if !isOver { try? await replica.strikeOff(first) }
    }

    /// Deletes what nobody needs any more.
    public static func tidy(in database: Database) async throws { try await Replica.tidy(in: database) }

    // MARK: Renewing

    /// Renews while anybody asks, and reads what has changed. Until cancelled.
    public func run(on database: Database) async {
        await withDiscardingTaskGroup { group in
            // However many are told of while some are read, they are read at once.
            let (news, newsBell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            group.addTask { for await _ in database.listen(Leases.channel) { newsBell.yield() } }
            group.addTask {
                // Should it fail, the next renewal reads.
                for await _ in news { _ = try? await self.replica.read() }
            }
            var wakes = rings.makeAsyncIterator()
            while !Task.isCancelled, await wakes.next() != nil {
                while !Task.isCancelled, isAsked() {
                    // A renewal that fails gives no lease: then the database is asked for each answer.
                    try? await replica.renew()
                    try? await Task.sleep(for: Leases.beat)
                }
                // Also when this is cancelled: nobody shall wait for a process that has ended.
                await Task { await self.replica.end() }.value
            }
            group.cancelAll()
        }
    }

    /// Whether anybody has asked lately; if not, whoever asks next rings.
    private func isAsked() -> Bool {
        replica.state.withLock { state in
            guard let askedAt = state.askedAt, ContinuousClock.now - askedAt < patience else {
                state.askedAt = nil
                return false
            }
            return true
        }
    }
}
