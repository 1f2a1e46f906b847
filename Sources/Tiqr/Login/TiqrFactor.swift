import Accounts
import Base
import Foundation
import HTTP
import OAuth
import Pages
import TokenTree
import Vocabulary

extension SecondFactor {
    /// tiqr as the IdP's second factor, without a browser too.
    public static func tiqr(_ phones: TiqrLogin, pushes: PushAllowance) -> SecondFactor {
        let tiqr = TiqrFactor(phones: phones, pushes: pushes)
        return SecondFactor(
            name: TiqrLogin.factor, page: "/login/tiqr", enrollmentPage: "/account/phones/add",
            button: { Language(tag: $0).tiqr.button }, isEnrolled: { try await phones.isEnrolled($0, in: $1) },
            begin: { try await tiqr.begin($0, $1) },
            progress: { try await tiqr.progress($0, account: $1, $2, $3, wait: $4) },
            remove: { phone, account, actor, transaction in
                do {
                    try await phones.remove(phone, of: account, keepingOne: false, actor: actor, in: transaction)
                } catch TiqrRefusal.notFound {}
            })
    }
}

/// A login without a browser asks a phone, and looks for its answer. The phone is the account's most recently used one.
private struct TiqrFactor: Sendable {
    let phones: TiqrLogin
    let pushes: PushAllowance

    private func actor(_ asker: SecondFactor.Requester) -> AuditActor {
        AuditActor(name: "instance:\(asker.client)", origin: asker.origin)
    }

    func begin(_ account: Account, _ asker: SecondFactor.Requester) async throws -> (subject: String, shown: JSONObject)
    {
        let enrolled = try await phones.phones(of: account.id).filter { $0.lastLoginAt != nil }
        guard let phone = enrolled.first(where: { $0.status != .blocked }) else {
            throw OAuthError(
                .accessDenied,
                enrolled.isEmpty
                    ? "no phone is enrolled" : "the phone is blocked; try again later, or ask an administrator")
        }
        let push = if phone.push { try await pushes.take(client: asker.client, account: account.id) } else { false }
        let started = try await phones.begin(
            account.id, phone: phone.identity, to: nil, push: push, below: asker.lineage, actor: actor(asker))
        return (
            started.view.id,
            [
                "auth_url": .string(started.authURL), "universal_link": .string(started.universalLink),
                "expires_at": .string(started.view.expiresAt.rfc3339), "push": .string(started.push.rawValue),
            ]
        )
    }

    func progress(
        _ subject: String, account: UUID, _ parameters: Vocabulary.OAuthParameters, _ asker: SecondFactor.Requester,
        wait: Int
    ) async throws -> SecondFactor.Progress {
        do {
            if let otp = try parameters["otp"] {
                return try await progress(
                    phones.answer(subject, otp: otp, identity: try parameters["identity"], actor: actor(asker)))
            }
            let view = try await phones.state(subject)
            guard view.status == .pending, wait > 0 else { return try await progress(view) }
            return try await progress(phones.wait(subject, unlike: view.etag, within: wait))
        } catch TiqrRefusal.invalidChallenge {
            return try await progress(phones.state(subject))
        } catch let refusal as TiqrRefusal {
            return .failed(TiqrFactor.error(refusal))
        }
    }

    private func progress(_ view: AuthenticationView) async throws -> SecondFactor.Progress {
        switch view.status {
        case .pending: return .pending(["expires_at": .string(view.expiresAt.rfc3339)])
        case .authenticated:
            guard let person = try await phones.standing(view) else {
                return .failed(TiqrFactor.denied("the phone that answered was removed or blocked since"))
            }
            return .done(
                account: person, methods: phones.methods(view),
                stands: { try await phones.isStanding(view, of: person, in: $0) })
        case .expired: return .failed(TiqrFactor.denied("nobody answered in time"))
        case .cancelled: return .failed(TiqrFactor.denied("the question was withdrawn"))
        case .failed: return .failed(TiqrFactor.denied("too many answers were wrong"))
        }
    }

    private static func error(_ refusal: TiqrRefusal) -> OAuthError {
        switch refusal {
        case .invalidRequest: OAuthError(.invalidRequest, refusal.description)
        case .invalidOTP(let left):
            OAuthError(.accessDenied, refusal.description, more: ["attempts_left": .integer(left)])
        case .accountBlocked(let minutes):
            OAuthError(.accessDenied, refusal.description, more: ["duration": .integer(minutes)])
        case .notFound, .conflict, .invalidChallenge: denied("there is nothing to answer any more")
        }
    }

    private static func denied(_ cause: String) -> OAuthError { SecondFactor.over(cause, factor: "tiqr") }
}
