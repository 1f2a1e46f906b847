import Accounts
import Database
import Foundation
import Vocabulary

/// That a login should show two factors, and which would do: asked for by the account (`required_factor`) or by the request (`acr`).
struct FactorDemand: Sendable {
    let account: UUID
    /// It is the account that asks.
    let isOfAccount: Bool
    /// The login does not go on without.
    let isCondition: Bool
    /// Those that meet it, enrolled or not.
    let fitting: [SecondFactor]

    /// `nil` when nobody asks. `levels` are in order of preference; `isEssential`: one of them must be reached (OpenID Connect Core, 5.5.1.1).
    init?(_ account: Account, levels: [AuthenticationContext.Level], isEssential: Bool = false, of factors: [SecondFactor]) {
        let required = account.requiredFactor, isNeeded = isEssential && !levels.contains(.oneFactor)
        guard required != .none || isNeeded || levels.first == .twoFactors else { return nil }
        (self.account, isOfAccount, isCondition) = (account.id, required != .none, required != .none || isNeeded)
        fitting = switch required {
        case .none, .any: factors
        case .tiqr, .passkey: factors.filter { $0.name == required.rawValue }
        }
    }

    /// Whether a session is enough. An account that asks for a factor which nothing here can show is let in by no other.
    func isMet(by authentication: AuthenticationContext) -> Bool { authentication.level == .twoFactors && !(isOfAccount && fitting.isEmpty) }

    /// Those of them that the person has.
    func enrolled(in executor: any SQLExecutor) async throws -> [SecondFactor] { try await SecondFactor.enrolled(fitting, of: account, in: executor) }
}

extension SecondFactor {
    /// Those of `factors` that the person has, in their order.
    static func enrolled(_ factors: [SecondFactor], of account: UUID, in executor: any SQLExecutor) async throws -> [SecondFactor] {
        var enrolled: [SecondFactor] = []
        for factor in factors {
            if try await factor.isEnrolled(account, executor) { enrolled.append(factor) }
        }
        return enrolled
    }
}
