import Base
import Database
import Foundation

/// An answer that is about to be sent: `child` is what it says of `family`.
struct RefreshAnswer: Sendable {
    let family: NodeID
    let child: NodeID

    /// Those that are sent at the same time are noted together, in one order everywhere. With them goes what other
    /// processes cannot know: which ones were not sent.
    static func note(
        _ answers: [RefreshAnswer], unsent: UnsentAnswers, at now: Date, in database: Database
    ) async throws {
        let lost = unsent.untold(besides: Set(answers.map(\.family)))
        let ordered = (answers.map { ($0, $0.noted(now)) } + lost.map { ($0, $0.takenBack) }).sorted {
            $0.0.family.lockNumber < $1.0.family.lockNumber
        }
        _ = try await database.batchAlone(ordered.map(\.1))
        unsent.tell(lost)
    }

    private func noted(_ now: Date) -> SQL {
        """
        update family set answered_at = \(now) where id = \(family) and child = \(child)
            and answered_at = 'infinity'
        """
    }

    /// As it was before.
    var takenBack: SQL {
        """
        update family set answered_at = 'infinity' where id = \(family) and child = \(child)
            and answered_at is distinct from 'infinity'
        """
    }
}
