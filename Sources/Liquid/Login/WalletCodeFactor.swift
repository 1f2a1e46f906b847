import Accounts
import Base
import Foundation
import HTTP
import OAuth
import Pages
import Passkeys
import Vocabulary

extension SecondFactor {
    /// A wallet's passkey that a person linked, shown by scanning a code. It is the key of the factor `wallet`, so it
    /// stands in for that one and counts beside it for nothing.
    static func walletCode(_ codes: WalletCodeLogin) -> SecondFactor {
        let factor = WalletCodeFactor(codes: codes)
        return SecondFactor(
            name: WalletCodeLogin.factor, isWhole: false, page: WalletCodeRoutes.page, enrollmentPage: nil,
            isReserve: true, button: { Language(tag: $0).walletCode.button },
            isEnrolled: { try await codes.isEnrolled($0, in: $1) },
            begin: { account, _ in try await factor.begin(account) },
            progress: { subject, _, _, _, wait in try await factor.progress(subject, wait: wait) })
    }
}

/// A login without a browser: the app shows the code, or opens it on the device that it is on. The account is known
/// from the password, and the answer has to be that of its wallet: so nobody is asked whose it is.
private struct WalletCodeFactor: Sendable {
    let codes: WalletCodeLogin

    func begin(_ account: Account) async throws -> (subject: String, shown: JSONObject) {
        guard try await codes.isEnrolled(account.id) else { throw OAuthError(.accessDenied, "no wallet is linked") }
        let id = try await codes.begin()
        var shown = shown(try await codes.state(id))
        shown["link"] = .string(codes.link(id))
        return (id, shown)
    }

    func progress(_ subject: String, wait: Int) async throws -> SecondFactor.Progress {
        var code = try await codes.state(subject)
        if case .waiting = code.state, wait > 0 {
            code = try await codes.wait(subject, unlike: code.etag, within: wait)
        }
        switch code.state {
        case .waiting: return .pending(shown(code))
        case .over: return .failed(WalletCodeFactor.denied("no wallet answered in time"))
        case .answered(let answer):
            guard let account = answer.account else {
                return .failed(WalletCodeFactor.denied("the wallet that answered is linked with no account"))
            }
            return .done(
                account: account, methods: PasskeyAnswer.methodsOfWallets,
                stands: { try await codes.take(subject, answer, of: account, in: $0) })
        }
    }

    private func shown(_ code: WalletCode) -> JSONObject {
        code.expiresAt.map { ["expires_at": .string($0.rfc3339)] } ?? [:]
    }

    private static func denied(_ cause: String) -> OAuthError {
        SecondFactor.over(cause, factor: WalletCodeLogin.factor)
    }
}
