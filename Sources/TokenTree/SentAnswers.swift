import Base
import Database
import Foundation
import Synchronization

/// Answers to rotations on their way out: the first one that leaves begins the last ten seconds of the refresh token
/// before (`RefreshFamily`), and its row is told once it has left. Afterwards, so that no row says of an answer that it
/// was sent which nobody got, whatever stands still or is silent in between; and nobody waits for it.
///
/// What the row does not say yet, this process knows. A process that ends in between takes that with it: the token
/// before is as good as the newest then, until that is used. Who stole it gets what its holder has, and of two who go
/// on from there the later is noticed.
final class SentAnswers: Sendable {
    /// `child` is what an answer says of `family`.
    fileprivate struct Sent: Sendable {
        let family: NodeID
        let child: NodeID
        let at: Date
        let began: ContinuousClock.Instant
        var hasLeft = false

        /// It left, or is about to.
        var counts: Bool { hasLeft || .now - began <= SentAnswers.patience }

        /// The first that is noted counts. Of a rotation that was followed by another nothing is said any more.
        var noted: SQL {
            """
            update family set answered_at = \(at)
            where id = \(family) and child = \(child) and answered_at = 'infinity'
            """
        }
    }

    /// An answer between its first and its last byte.
    struct Leaving: Sendable { fileprivate let sent: Sent }

    private struct State {
        var sent: [NodeID: Sent] = [:]
        /// Whose rows are to be told, in the order in which the answers left.
        var untold: [NodeID] = []
        var isTelling = false
    }

    /// More than ask for tokens in an outage; beyond them the oldest go untold.
    static let most = 20_000
    /// That are told in one commit.
    private static let together = 128
    /// One that took longer left nobody knows when: its sender stood still, or who asked has gone.
    static let patience = Duration.seconds(1)
    /// Before the next try, when the database is away.
    private static let pause = Duration.milliseconds(500)

    private let state = Mutex(State())
    private let database: Database

    init(database: Database) { self.database = database }

    /// Known from here on, since who asked can come back before the sender goes on.
    func begin(_ family: NodeID, child: NodeID, at now: Date) -> Leaving {
        let sent = Sent(family: family, child: child, at: now, began: .now)
        state.withLock { state in
            let known = state.sent[family]
            if let known, known.child == child, known.counts { return }
            state.sent[family] = sent
            if known?.hasLeft == true { state.untold.removeAll { $0 == family } }
        }
        return Leaving(sent: sent)
    }

    /// It went nowhere.
    func fail(_ leaving: Leaving) {
        let (family, began) = (leaving.sent.family, leaving.sent.began)
        state.withLock { state in
            guard let known = state.sent[family], known.began == began, !known.hasLeft else { return }
            state.sent[family] = nil
        }
    }

    func succeed(_ leaving: Leaving) {
        guard .now - leaving.sent.began <= SentAnswers.patience else { return fail(leaving) }
        let isNeeded = state.withLock { state in
            var sent = leaving.sent
            let known = state.sent[sent.family]
            guard known == nil || known?.child == sent.child, known?.hasLeft != true else { return false }
            sent.hasLeft = true
            state.sent[sent.family] = sent
            state.untold.append(sent.family)
            if state.untold.count > SentAnswers.most { state.sent[state.untold.removeFirst()] = nil }
            defer { state.isTelling = true }
            return !state.isTelling
        }
        guard isNeeded else { return }
        Task.detached { [weak self] in while await self?.tellSome() == true {} }
    }

    /// Which child of `family` left this process, and when, where its row may not say so yet.
    func of(_ family: NodeID) -> (child: NodeID, at: Date)? {
        state.withLock { state in
            guard let sent = state.sent[family], sent.counts else { return nil }
            return (sent.child, sent.at)
        }
    }

    /// Until all rows are told, or the time is over.
    func settle(within longest: Duration) async {
        let deadline = ContinuousClock.now + longest
        while state.withLock({ $0.isTelling }), .now < deadline { try? await Task.sleep(for: .milliseconds(2)) }
    }

    /// Whether there may be more.
    private func tellSome() async -> Bool {
        guard let batch = next() else { return false }
        do {
            // In one order everywhere.
            let ordered = batch.sorted { $0.family.lockNumber < $1.family.lockNumber }
            _ = try await database.batchAlone(ordered.map(\.noted))
            finish(batch)
        } catch {
            try? await Task.sleep(for: SentAnswers.pause)
        }
        return true
    }

    private func next() -> [Sent]? {
        state.withLock { state in
            let batch = state.untold.prefix(SentAnswers.together).compactMap { state.sent[$0] }
            state.isTelling = !batch.isEmpty
            return batch.isEmpty ? nil : batch
        }
    }

    /// A family that went on meanwhile is still to be told of.
    private func finish(_ batch: [Sent]) {
        state.withLock { state in
            let told = batch.filter { state.sent[$0.family]?.child == $0.child }.map(\.family)
            for family in told { state.sent[family] = nil }
            let gone = Set(told)
            state.untold.removeAll { gone.contains($0) }
        }
    }
}
