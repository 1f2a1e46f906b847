import Base
import Database
import Foundation

/// An answer that is about to be sent: `child` is what it says of `family`.
struct RefreshAnswer: Sendable, Hashable {
    let family: NodeID
    let child: NodeID

    /// Those that are sent at the same time are noted together, in one order everywhere. With them goes what other
    /// processes cannot know: which ones were not sent.
    static func note(
        _ answers: [RefreshAnswer], unsent: UnsentAnswers, at now: Date, in database: Database
    ) async throws {
        let lost = unsent.untold(besides: Set(answers.map(\.family)))
        // One that is asked for twice at once is noted once, so that it is known what was written.
        let ordered =
            (Set(answers).map { ($0.family, $0.noted(now, unsent: unsent.times(of: $0))) }
            + lost.map { ($0.answer.family, $0.takenBack) }).sorted { $0.0.lockNumber < $1.0.lockNumber }
        do {
            _ = try await database.batchAlone(ordered.map(\.1))
        } catch {
            // It may have taken effect.
            for answer in answers { unsent.add(answer, notedAt: now) }
            throw error
        }
        unsent.tell(lost)
    }

    /// The first that is sent says when; in place of the time of one that this process noted and did not send. Each
    /// later one moves it by the least there is, so that whoever noted the one before sees that it was not the last.
    private func noted(_ now: Date, unsent: [Date]) -> SQL {
        """
        update family set answered_at = case when answered_at = 'infinity' or answered_at = any (\(unsent))
            then \(now) else answered_at + interval '1 microsecond' end
        where id = \(family) and child = \(child)
        """
    }
}
