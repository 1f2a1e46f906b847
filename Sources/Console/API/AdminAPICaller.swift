import Accounts
import Administration
import Base
import Database
import Foundation
import OAuth
import Registration
import TokenTree
import Vocabulary

/// Who asks the administration API: a person by their roles, read at every request, or a machine by what the operator
/// gave its client. An access token of scope `admin` or `admin.read` says that it may be asked in their name.
struct AdminAPICaller: Sendable {
    /// `account:UUID` or `client:ID`, as the audit trail has it.
    let name: String
    let origin: String?
    let authority: AdminAuthority
    /// The token is of scope `admin`.
    let mayChange: Bool

    func actor(reason: String?) -> AuditActor { AuditActor(name: name, origin: origin, reason: reason) }

    /// What is told them to be there for them. Whether what they name is theirs is asked when they do.
    func isOffered(_ entry: AdminEntry) -> Bool {
        (!entry.isChange || mayChange) && AdminPermissions.mayRun(entry, authority)
    }
}

extension AdminAuthority {
    /// Of a machine that looks at everything: its grant is nobody's.
    fileprivate static let auditingMachine: AdminAuthority = {
        let nobody = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
        return AdminAuthority(
            [RoleGrant(account: nobody, role: .auditor)].compactMap(\.self), of: nobody, authenticatedAt: nil)
    }()
}

extension ConsoleContext {
    /// Throws `OAuthError`: 401 for no token that is good here, 403 for one that does not reach as far.
    func caller(_ presented: PresentedRequest, changes: Bool) async throws -> AdminAPICaller {
        let holder = try await idp.administrationToken(presented), body = holder.token.body
        let scope = Scope(body.scope ?? ""), mayChange = scope?.contains(AdminScope.name) == true
        guard mayChange || scope?.contains(AdminScope.read) == true else {
            throw OAuthError(
                .insufficientScope, "this token is not for the administration",
                members: ["scope": changes ? AdminScope.name : AdminScope.read])
        }
        guard mayChange || !changes else {
            throw OAuthError(
                .insufficientScope, "this token only looks", members: ["scope": AdminScope.name])
        }
        if let account = body.account {
            let grants = try await RoleStore(clock: clock).grants(of: account, in: database)
            let login = body.claims.login.time.map { Date(timeIntervalSince1970: TimeInterval($0)) }
            return AdminAPICaller(
                name: "account:\(account.uuidString.lowercased())", origin: presented.origin,
                authority: AdminAuthority(grants, of: account, authenticatedAt: login), mayChange: mayChange)
        }
        guard body.parent == nil, body.bundle == nil, let client = body.client,
            try await WebClientStore.administers(
                client, scope: mayChange ? AdminScope.name : AdminScope.read, in: database)
        else { throw OAuthError(.insufficientScope, "the client of this token may not administer") }
        return AdminAPICaller(
            name: "client:\(client)", origin: presented.origin,
            authority: mayChange ? .operatorOfDatabase : .auditingMachine, mayChange: mayChange)
    }
}
