import Accounts
import Base
import Database
import Foundation
import TokenTree
import Vocabulary

/// What a person changes about their second factors: who may, and that the last one stays where the account asks for one. Counted over all factors, whichever
/// rooms stand behind them.
extension WebSide {
    /// Seconds within which somebody has logged in who changes what they log in with.
    static let recent: TimeInterval = 900

    /// In the order in which factors are offered.
    public func enrolledFactors(of account: UUID) async throws -> [SecondFactor] { try await SecondFactor.enrolled(factors, of: account, in: login.database) }

    public func isRecent(_ time: Date) -> Bool { login.clock.now().timeIntervalSince(time) <= WebSide.recent }

    /// Whether the account asks for a factor, has none that would do, and `name` would.
    public func isDue(_ name: String, of account: Account) async throws -> Bool {
        guard let demand = FactorDemand(account, levels: [], of: factors), demand.fitting.contains(where: { $0.name == name }) else { return false }
        return try await demand.enrolled(in: login.database).isEmpty
    }

    /// Takes one away by `body`, with the account held: of two taken away at once, by whatever methods, the second knows of the first. `isLast`: the account asks
    /// for such a factor, and no other method has one.
    public func changeFactor(_ name: String, of account: UUID, _ body: (_ isLast: Bool, any SQLExecutor) async throws -> Void) async throws {
        try await login.database.atomically { transaction in
            guard let held = try await login.accounts.hold(account, in: transaction) else { throw OAuthError(.accessDenied, "this account is gone") }
            let fitting = FactorDemand(held, levels: [], of: factors)?.fitting ?? []
            var isLast = fitting.contains { $0.name == name }
            for factor in fitting where isLast && factor.name != name {
                if try await factor.isEnrolled(account, transaction) { isLast = false }
            }
            try await body(isLast, transaction)
        }
    }
}
