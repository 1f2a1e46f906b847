import Accounts
import Base
import Database
import Foundation
import TokenTree
import Vocabulary

/// What a person changes about their second factors: who may, and that the last one stays where the account asks for
/// one. Counted over all factors, whichever rooms stand behind them.
extension WebSide {
    /// Seconds within which somebody has logged in who changes what they log in with.
    static let recent: TimeInterval = 900

    /// In the order in which factors are offered.
    public func enrolledFactors(of account: UUID) async throws -> [SecondFactor] {
        try await SecondFactor.enrolled(factors, of: account, in: login.database)
    }

    /// Those of them that lead on: where the account asks for a factor and they have such a one, no other does.
    /// What they use in the browser of `session` comes first.
    public func usefulFactors(of account: Account, in session: BrowserSession? = nil) async throws -> [SecondFactor] {
        var enrolled = try await enrolledFactors(of: account.id)
        if let session { enrolled = try await SecondFactor.byUse(enrolled, session, in: login.database) }
        guard let demand = FactorDemand(account, levels: [], of: factors) else { return enrolled }
        let taken = SecondFactor.counting(enrolled.filter { demand.takes($0.name) })
        return taken.isEmpty ? enrolled : taken
    }

    /// What somebody shows first who wants to change what they log in with.
    public enum BeforeChange: Sendable {
        case nothing, login
        /// The path of its page.
        case factor(page: String)
    }

    /// Who has no factor shows a new login. Who has one shows it, and of those that the account asks for if there is
    /// one: an account that asks for a passkey would otherwise get a new one from whoever holds a phone. A key that
    /// shows possession alone needs the password beside it: by a wallet's, which may have signed for somebody else's
    /// page, nobody gets a passkey of their own. `favourite` is asked where several would do.
    public func before(changing session: BrowserSession, favourite: String) async throws -> BeforeChange {
        let enrolled = try await enrolledFactors(of: session.account.id)
        guard !enrolled.isEmpty else { return isRecent(session.history.latest) ? .nothing : .login }
        let demand = FactorDemand(session.account, levels: [], of: factors),
            taken = SecondFactor.counting(enrolled.filter { demand?.takes($0.name) ?? true })
        // Not the latest login: a password typed once more makes no factor of this morning a recent one, and neither
        // does a wallet's tap.
        let shown =
            taken.isEmpty
            ? session.history.ofOurs.time(of: .twoFactors)
            : session.history.ofOurs.shownAt { demand?.takes($0) ?? true }
        if let shown, isRecent(shown) { return .nothing }
        let hasPassword = session.history.ofOurs.passwordAt.map(isRecent) ?? false,
            asked = (taken.isEmpty ? enrolled : taken).filter { $0.isWhole || hasPassword }
        // What stands in for others is kept for the day on which there is nothing else.
        let own = asked.filter { !$0.isReserve }
        guard let factor = own.first(where: { $0.name == favourite }) ?? own.first ?? asked.first else {
            return .login
        }
        return .factor(page: factor.page)
    }

    public func isRecent(_ time: Date) -> Bool { login.clock.now().timeIntervalSince(time) <= WebSide.recent }

    /// Whether the account asks for a factor, has none that would do, and `name` would.
    public func isDue(_ name: String, of account: Account) async throws -> Bool {
        guard let demand = FactorDemand(account, levels: [], of: factors),
            demand.fitting.contains(where: { $0.name == name })
        else { return false }
        return try await demand.enrolled(in: login.database).isEmpty
    }

    /// Takes one away by `body`, with the account held: of two taken away at once, by whatever methods, the second
    /// knows of the first, and a login by the one that goes is over or not yet begun. `isLast`: the account asks for
    /// such a factor, and no other method has one. The person's other sessions that showed such a factor end: whoever
    /// has the stolen one may be in there.
    public func changeFactor(
        _ name: String, _ context: BrowserSessionContext, _ body: (_ isLast: Bool, any SQLExecutor) async throws -> Void
    ) async throws {
        guard let session = context.session else { throw OAuthError(.loginRequired, "log in first") }
        let account = session.account.id
        try await login.database.atomically { transaction in
            guard let held = try await login.accounts.hold(account, in: transaction) else {
                throw OAuthError(.accessDenied, "this account is gone")
            }
            // Whoever was thrown out by the one before ends nobody's session in return.
            try await login.store.hold(session.lineage, in: transaction)
            let revocations = try await transaction.query(
                "select r.node from revocation r where r.node = any (\(session.lineage))")
            guard revocations.isEmpty else { throw OAuthError(.loginRequired, "log in first") }
            let fitting = FactorDemand(held, levels: [], of: factors)?.fitting ?? []
            var isLast = fitting.contains { $0.name == name }
            for factor in fitting where isLast && factor.name != name && !factor.isReserve {
                if try await factor.isEnrolled(account, transaction) { isLast = false }
            }
            try await body(isLast, transaction)
            try await endOthers(
                showing: name, than: session, context.actor().because("\(name) removed"), in: transaction)
            try await recovery.notices.factorRemoved(name, from: held, in: transaction)
        }
    }

    private func endOthers(
        showing factor: String, than session: BrowserSession, _ actor: AuditActor, in transaction: any SQLExecutor
    ) async throws {
        for other in try await login.sessions.showing(factor, of: session.account.id, in: transaction)
        where other != session.id {
            try await login.revocation.revoke(.virtual(Ancestor(.session, other)), by: actor, in: transaction)
        }
    }
}
