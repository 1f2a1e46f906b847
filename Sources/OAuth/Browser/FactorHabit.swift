import Accounts
import Database
import Foundation

extension SecondFactor {
    /// `factors` of the person of a session, in the order in which they are used to show them: in this browser first.
    /// Those never shown keep their order behind, and what stands in for others stays last, so that nobody uses it up
    /// by habit.
    static func byUse(
        _ factors: [SecondFactor], _ session: BrowserSession, in executor: any SQLExecutor
    ) async throws -> [SecondFactor] {
        guard factors.count > 1 else { return factors }
        let used = try await AuthenticationEvents.factorsByUse(
            of: session.account.id, session: session.id, in: executor)
        func rank(_ factor: SecondFactor) -> Int {
            factor.isReserve ? .max : used.firstIndex(of: factor.name) ?? used.count
        }
        return factors.enumerated().sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }
            .map(\.element)
    }
}
