import Accounts
import Base
import Foundation
import HTTP
import OAuth
import Pages
import TokenTree
import Vocabulary

extension SecondFactor {
    /// Approving in an app as the IdP's second factor, without a browser too.
    public static func operations(_ approval: ApprovalLogin, pushes: PushAllowance) -> SecondFactor {
        let factor = OperationsFactor(approval: approval, pushes: pushes)
        return SecondFactor(
            name: OperationsFactor.name, page: "/login/approval", enrollmentPage: "/account/approvals/add",
            button: { Language(tag: $0).approval.button },
            isEnrolled: { try await approval.isEnrolled($0, in: $1) }, begin: { try await factor.begin($0, $1) },
            progress: { subject, _, _, _, wait in try await factor.progress(subject, wait: wait) },
            remove: { phone, account, actor, transaction in
                do {
                    try await approval.remove(phone, of: account, keepingOne: false, actor: actor, in: transaction)
                } catch BackOfficeRefusal.registrationNotFound {}
            })
    }
}

/// A login without a browser asks the phones of an account, and looks for the approval. Each answer tells the link
/// anew, since its proximity code lives for half a minute; who waits is answered when it changes.
private struct OperationsFactor: Sendable {
    static let name = ApprovalLogin.factor

    let approval: ApprovalLogin
    let pushes: PushAllowance

    func begin(_ account: Account, _ asker: SecondFactor.Requester) async throws -> (subject: String, shown: JSONObject)
    {
        let factors = try await approval.phones(of: account.id).filter(\.isFactor)
        guard factors.contains(where: { $0.state == .active }) else {
            throw OAuthError(
                .accessDenied, factors.isEmpty ? "no phone is set up" : "the phone is blocked; ask an administrator")
        }
        let rings =
            if try await approval.canRing(account.id) {
                try await pushes.take(client: asker.client, account: account.id)
            } else { false }
        let actor = AuditActor(name: "instance:\(asker.client)", origin: asker.origin)
        let login = try await approval.begin(
            account.id, .init(from: asker.origin, rings: rings), below: asker.lineage, actor: actor)
        var shown = OperationsFactor.shown(login)
        shown["push"] = .string(rings ? "queued" : "none")
        return (login.id, shown)
    }

    func progress(_ subject: String, wait: Int) async throws -> SecondFactor.Progress {
        guard let now = try await approval.state(subject) else {
            return .failed(OperationsFactor.denied("there is nothing to approve any more"))
        }
        guard now.status == .pending, wait > 0,
            let later = try await approval.wait(subject, unlike: now.etag, within: wait)
        else { return try await progress(now) }
        return try await progress(later)
    }

    private func progress(_ login: LoginOperation) async throws -> SecondFactor.Progress {
        switch login.status {
        case .pending: return .pending(OperationsFactor.shown(login))
        case .approved:
            guard let person = try await approval.standing(login) else {
                return .failed(OperationsFactor.denied("the phone that approved was removed or blocked since"))
            }
            return .done(
                account: person, methods: approval.methods(login),
                stands: { try await approval.isStanding(login, of: person, in: $0) })
        case .rejected: return .failed(OperationsFactor.denied("the login was rejected on the phone"))
        case .expired: return .failed(OperationsFactor.denied("nobody approved in time"))
        case .canceled: return .failed(OperationsFactor.denied("the question was withdrawn"))
        case .failed: return .failed(OperationsFactor.denied("too many attempts were wrong"))
        }
    }

    private static func shown(_ login: LoginOperation) -> JSONObject {
        [
            "operation_id": .string(login.id), "deeplink": JSONValue(login.deeplink),
            "expires_at": .string(login.expiresAt.rfc3339),
        ]
    }

    private static func denied(_ cause: String) -> OAuthError { SecondFactor.over(cause, factor: name) }
}
