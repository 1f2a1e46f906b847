import Accounts
import Base
import Foundation
import HTTP
import OAuth
import Pages
import TokenTree
import Vocabulary

extension SecondFactor {
    /// A person's own passkeys as the IdP's second factor, without a browser too.
    public static func passkey(_ login: PasskeyLogin, randomness: Randomness) -> SecondFactor {
        PasskeyFactor(login: login, flow: .idp, randomness: randomness).factor(
            isWhole: true, enrollmentPage: AccountPasskeyRoutes.add)
    }

    /// Those of wallets that they linked: a factor of its own, since wallets sign for whichever page they scanned
    /// (protocols/liquid.md, 1.5). It shows possession.
    public static func wallet(_ login: PasskeyLogin, randomness: Randomness) -> SecondFactor {
        PasskeyFactor(login: login, flow: .liquid, randomness: randomness).factor(isWhole: false, enrollmentPage: nil)
    }
}

/// A login without a browser: the app is given what to ask the authenticator, and sends its answer
/// (AuthenticationResponseJSON) as text in `credential`. Nobody else answers, so there is nothing to wait for; any
/// answer uses the question up. Only passkeys of the one kind are asked, and taken.
private struct PasskeyFactor: Sendable {
    let login: PasskeyLogin
    let flow: Passkey.Flow
    let randomness: Randomness

    func factor(isWhole: Bool, enrollmentPage: String?) -> SecondFactor {
        SecondFactor(
            name: flow.factor, isWhole: isWhole, page: "/login/passkey", enrollmentPage: enrollmentPage,
            isOnPasswordPage: true, button: { Language(tag: $0).passkey.button },
            enrollmentLink: { Language(tag: $0).passkey.passkeyInstead },
            isEnrolled: { try await login.isEnrolled($0, flow, in: $1) },
            begin: { account, _ in try await begin(account) },
            progress: { subject, account, parameters, asker, _ in
                try await progress(subject, account: account, parameters, asker)
            },
            remove: { passkey, account, actor, transaction in
                do {
                    try await login.remove(
                        passkey, of: account, only: flow, keepingOne: false, actor: actor, in: transaction)
                } catch PasskeyRefusal.notFound {}
            })
    }

    /// The subject stands in the signed `auth_session`, which is one instance's.
    private func holder(_ subject: String, _ account: UUID) -> String {
        "app \(account.uuidString.lowercased()) \(subject)"
    }

    private func begin(_ account: Account) async throws -> (subject: String, shown: JSONObject) {
        let subject = randomness.identifier()
        do {
            return (
                subject,
                [
                    "options": try await login.requestOptions(
                        for: account.id, only: flow, holder: holder(subject, account.id))
                ]
            )
        } catch PasskeyRefusal.notFound {
            throw OAuthError(.accessDenied, flow == .idp ? "no passkey is set up" : "no wallet's passkey is linked")
        }
    }

    private func progress(
        _ subject: String, account: UUID, _ parameters: Vocabulary.OAuthParameters,
        _ asker: SecondFactor.Requester
    ) async throws -> SecondFactor.Progress {
        guard let text = try parameters["credential"] else {
            return .failed(
                OAuthError(.invalidRequest, "credential is missing: send what the authenticator answered, as JSON text")
            )
        }
        guard let credential = try? JSONReader.read(Array(text.utf8)) else {
            return .failed(OAuthError(.invalidRequest, "credential is not JSON"))
        }
        let actor = AuditActor(name: "instance:\(asker.client)", origin: asker.origin)
        do {
            let answer = try await login.answer(credential, only: flow, holder: holder(subject, account), actor: actor)
            return .done(
                account: answer.account, methods: answer.methods,
                stands: { try await login.isStanding(answer.passkey, of: answer.account, in: $0) })
        } catch let refusal as PasskeyRefusal {
            return .failed(error(refusal))
        }
    }

    /// Which check refused is for the log: whoever makes the app reads it there.
    private func error(_ refusal: PasskeyRefusal) -> OAuthError {
        switch refusal {
        case .challengeUnknown:
            SecondFactor.over("nothing was asked, or it was answered, or took too long", factor: flow.factor)
        case .refused(let check):
            OAuthError(
                .accessDenied, "the passkey was refused; begin again with factor=\(flow.factor)",
                cause: "the passkey was refused: \(check.explain)")
        case .unknown, .notFound, .tooMany, .taken, .last:
            SecondFactor.over("this passkey is not known here", factor: flow.factor)
        }
    }
}
