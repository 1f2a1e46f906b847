import Accounts
import Database
import Foundation
import Vocabulary

/// That a login should show two factors, and which would do: asked for by the account (`required_factor`) or by the
/// request (`acr`).
struct FactorDemand: Sendable {
    /// What a person does to meet it.
    enum Step: Sendable {
        case show(SecondFactor)
        /// Possession alone was shown, and there is nothing else: the password has to stand beside it.
        case password
        /// They have none that would do.
        case nothing
    }

    let account: UUID
    /// It is the account that asks.
    let isOfAccount: Bool
    /// The login does not go on without.
    let isCondition: Bool
    /// Those that meet it, enrolled or not.
    let fitting: [SecondFactor]
    private let required: Account.RequiredFactor

    /// `nil` when nobody asks. `levels` are in order of preference; `isEssential`: one of them must be reached (OpenID
    /// Connect Core, 5.5.1.1).
    init?(
        _ account: Account, levels: [AuthenticationContext.Level], isEssential: Bool = false, of factors: [SecondFactor]
    ) {
        let required = account.requiredFactor, isNeeded = isEssential && !levels.contains(.oneFactor)
        guard required != .none || isNeeded || levels.first == .twoFactors else { return nil }
        (self.account, isOfAccount, isCondition, self.required) = (
            account.id, required != .none, required != .none || isNeeded, required
        )
        fitting = factors.filter { FactorDemand.meets($0.name, required) }
    }

    /// A passkey is met by nothing else, since nothing else withstands phishing: not by a wallet's key either, whose
    /// app signs for whichever page it scanned. A phone is met by whatever a phone shows, and by a factor of which
    /// nobody wrote down the name. What an institution's provider says it has seen meets none that an account asks for:
    /// that stands beside it.
    private static func meets(_ factor: String, _ required: Account.RequiredFactor) -> Bool {
        guard factor != AuthenticationHistory.upstream else { return required == .none }
        return switch required {
        case .none, .any: true
        case .tiqr: factor != FactorDemand.passkey && !FactorDemand.wallets.contains(factor)
        case .passkey: factor == FactorDemand.passkey
        }
    }

    private static let passkey = Account.RequiredFactor.passkey.rawValue
    /// In this browser, and by a code.
    private static let wallets: Set<String> = ["wallet", "wallet-code"]

    /// Whether a factor of this name, once shown, is one that is asked for.
    func takes(_ factor: String) -> Bool { FactorDemand.meets(factor, required) }

    /// When a session last showed what is asked for: a factor that this account takes, or any two.
    func shownAt(_ history: AuthenticationHistory) -> Date? {
        switch required {
        case .none: history.time(of: .twoFactors)
        case .any: history.ofOurs.time(of: .twoFactors)
        case .tiqr, .passkey: history.ofOurs.shownAt(takes)
        }
    }

    /// Whether a session is enough. An account that asks for a factor which nothing here can show is let in by no
    /// other.
    func isMet(by session: BrowserSession) -> Bool {
        !(isOfAccount && fitting.isEmpty) && shownAt(session.history) != nil
    }

    /// Those of them that the person has.
    func enrolled(in executor: any SQLExecutor) async throws -> [SecondFactor] {
        try await SecondFactor.enrolled(fitting, of: account, in: executor)
    }

    /// The next one for a session that is not enough: a factor that makes two of what it has, so that nobody is sent in
    /// circles. `isNew`: whether a password of that time is as new as the factor has to be.
    func step(
        _ session: BrowserSession, isNew: (Date?) -> Bool = { $0 != nil }, in executor: any SQLExecutor
    ) async throws -> Step {
        let history = isOfAccount ? session.history.ofOurs : session.history
        let enrolled = try await SecondFactor.byUse(try await enrolled(in: executor), session, in: executor),
            hasPassword = isNew(history.passwordAt)
        if let factor = enrolled.first(where: { $0.isWhole || hasPassword }) { return .show(factor) }
        return enrolled.isEmpty ? .nothing : .password
    }
}

extension SecondFactor {
    /// What stands in for others counts beside one of them alone.
    static func counting(_ factors: [SecondFactor]) -> [SecondFactor] {
        factors.allSatisfy(\.isReserve) ? [] : factors
    }

    /// Those of `factors` that the person has and that count, in their order.
    static func enrolled(
        _ factors: [SecondFactor], of account: UUID, in executor: any SQLExecutor
    ) async throws -> [SecondFactor] {
        var enrolled: [SecondFactor] = []
        for factor in factors {
            if try await factor.isEnrolled(account, executor) { enrolled.append(factor) }
        }
        return counting(enrolled)
    }
}
