import Base
import Synchronization

/// Answers to rotations that this process noted as about to be sent and then did not send: the statement was given up,
/// since PostgreSQL said nothing, or this process stood still. Whether it took effect is not known, and by when it says
/// that the answer went out the last ten seconds of the token before may be over. Its holder was told 503 and has that
/// token alone, so it counts as never sent: `RefreshFamily` takes the note back.
///
/// In memory, as the database is what cannot be written to at that time. A process that is killed between the commit of
/// the note and the answer takes this knowledge with it.
final class UnsentAnswers: Sendable {
    private struct State {
        var children: [NodeID: NodeID] = [:]
        /// In the order in which they came, for what has to make room.
        var families: [NodeID] = []
        var untold: Set<NodeID> = []
    }

    /// More than ask for tokens in an outage; one has two nodes.
    private static let most = 20_000

    private let state = Mutex(State())

    func add(_ answer: RefreshAnswer) {
        state.withLock { state in
            if state.children.updateValue(answer.child, forKey: answer.family) == nil {
                state.families.append(answer.family)
            }
            state.untold.insert(answer.family)
            guard state.families.count > UnsentAnswers.most else { return }
            let oldest = state.families.removeFirst()
            state.children[oldest] = nil
            state.untold.remove(oldest)
        }
    }

    /// One was sent to that family after all.
    func remove(_ family: NodeID) {
        state.withLock { state in
            guard state.children.removeValue(forKey: family) != nil else { return }
            state.families.removeAll { $0 == family }
            state.untold.remove(family)
        }
    }

    /// The token that did not reach the holder of `family`.
    func child(of family: NodeID) -> NodeID? { state.withLock { $0.children[family] } }

    /// Those that the database has not been told of yet, but for `families`, about which more is known now.
    func untold(besides families: Set<NodeID>) -> [RefreshAnswer] {
        state.withLock { state in
            state.untold.subtracting(families).compactMap { family in
                state.children[family].map { RefreshAnswer(family: family, child: $0) }
            }
        }
    }

    func tell(_ answers: [RefreshAnswer]) {
        guard !answers.isEmpty else { return }
        state.withLock { state in
            for answer in answers where state.children[answer.family] == answer.child {
                state.untold.remove(answer.family)
            }
        }
    }
}
