import Base
import Database
import Foundation
import Synchronization

/// Answers to rotations that this process noted as about to be sent and then did not send: the statement was given up,
/// since PostgreSQL said nothing, or this process stood still. Whether it took effect is not known, and by when it says
/// that the answer went out the last ten seconds of the token before may be over. Its holder was told 503 and has that
/// token alone, so it counts as never sent: `RefreshFamily` takes the note back.
///
/// Only its own note: whoever sent the same answer meanwhile, here or in another process, noted another time. Then the
/// holder has the newest, and the token before is as old as its ten seconds say.
///
/// In memory, as the database is what cannot be written to at that time. A process that is killed between the commit of
/// the note and the answer takes this knowledge with it.
final class UnsentAnswers: Sendable {
    struct Unsent: Sendable {
        let answer: RefreshAnswer
        /// What may stand in the row if nobody sent it: a time for each try.
        fileprivate(set) var times: [Date]

        /// As it was before.
        var takenBack: SQL {
            """
            update family set answered_at = 'infinity' where id = \(answer.family) and child = \(answer.child)
                and answered_at = any (\(times))
            """
        }
    }

    private struct State {
        var unsent: [NodeID: Unsent] = [:]
        /// In the order in which they came, for what has to make room.
        var families: [NodeID] = []
        var untold: Set<NodeID> = []
    }

    /// More than ask for tokens in an outage; one has two nodes.
    private static let most = 20_000
    /// Of one answer: who is told 503 tries again.
    private static let mostTimes = 64
    /// That the database is told of at once: what waits for it is the answers of others.
    private static let mostTold = 64

    private let state = Mutex(State())

    func add(_ answer: RefreshAnswer, notedAt now: Date) {
        state.withLock { state in
            var times = UnsentAnswers.times(of: answer, state)
            if times.count == UnsentAnswers.mostTimes { times.removeFirst() }
            times.append(now)
            if state.unsent.updateValue(Unsent(answer: answer, times: times), forKey: answer.family) == nil {
                state.families.append(answer.family)
            }
            state.untold.insert(answer.family)
            guard state.families.count > UnsentAnswers.most else { return }
            let oldest = state.families.removeFirst()
            state.unsent[oldest] = nil
            state.untold.remove(oldest)
        }
    }

    /// One was sent to that family after all.
    func remove(_ family: NodeID) {
        state.withLock { state in
            guard state.unsent.removeValue(forKey: family) != nil else { return }
            state.families.removeAll { $0 == family }
            state.untold.remove(family)
        }
    }

    /// What did not reach the holder of `family`.
    func of(_ family: NodeID) -> Unsent? { state.withLock { $0.unsent[family] } }

    /// When this process noted that answer without sending it.
    func times(of answer: RefreshAnswer) -> [Date] { state.withLock { UnsentAnswers.times(of: answer, $0) } }

    private static func times(of answer: RefreshAnswer, _ state: State) -> [Date] {
        state.unsent[answer.family].flatMap { $0.answer == answer ? $0.times : nil } ?? []
    }

    /// Some of those that the database has not been told of yet, but for `families`, about which more is known now.
    func untold(besides families: Set<NodeID>) -> [Unsent] {
        state.withLock { state in
            state.untold.lazy.filter { !families.contains($0) }.prefix(UnsentAnswers.mostTold).compactMap {
                state.unsent[$0]
            }
        }
    }

    func tell(_ told: [Unsent]) {
        guard !told.isEmpty else { return }
        state.withLock { state in
            for one in told {
                let family = one.answer.family, isAll = state.unsent[family]?.times == one.times
                if isAll, state.unsent[family]?.answer == one.answer { state.untold.remove(family) }
            }
        }
    }
}
