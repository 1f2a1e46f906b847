import Foundation

/// Attempts and blocks of one identity: 5 wrong answers, then 10, 20, 40 … 1440 minutes (design/backoffice.md, "On the
/// phone's side").
struct BlockLadder: Sendable {
    static let attempts = 5
    static let firstMinutes = 10
    static let longestMinutes = 1_440

    /// Until an operator ends it.
    let forGood: Bool
    let until: Date?
    /// Wrong answers since the last right one or the last block.
    let failures: Int

    var attemptsLeft: Int { max(0, BlockLadder.attempts - failures) }

    /// What a 204 carries: minutes, rounded up, a day for a block without end; `nil` when there is none.
    func minutesLeft(at now: Date) -> Int? {
        if forGood { return BlockLadder.longestMinutes }
        guard let until, until > now else { return nil }
        // PostgreSQL rounds to microseconds, which may be a little more than ten minutes.
        let milliseconds = (until.timeIntervalSince(now) * 1_000).rounded()
        return max(1, Int((milliseconds / 60_000).rounded(.up)))
    }
}
