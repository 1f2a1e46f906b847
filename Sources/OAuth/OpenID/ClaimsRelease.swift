import Accounts
import Base
import Federation
import Foundation
import Registration
import Vocabulary

/// What a web client is told of a person: what its scopes and its `claims` parameter name, within what the operator
/// releases to it (OpenID Connect Core, 5.4 and 5.5; decisions.md, Federation 5).
///
/// Where tokens live on for months the operator may have released more since: then it is also within what the person
/// agreed to, and more is told when they have seen it on the consent page.
struct ClaimsRelease: Sendable {
    let client: WebClient
    /// `nil` where the person decides now, or did a minute ago.
    var agreed: [String]?

    /// Claims behind a scope. A release of `email` is one of `email_verified` (`Account.claims`).
    static let byScope: [String: [String]] = [
        "profile": ["name", "given_name", "family_name", "preferred_username"], "email": ["email"],
    ]

    /// No scope stands for what institutions say of their people, so whoever logs somebody in is told what the operator
    /// releases of it.
    func names(_ scope: Scope, _ single: [String] = []) -> [String] {
        let asked =
            scope.names.flatMap { ClaimsRelease.byScope[$0] ?? [] } + single
            + (scope.contains("openid") ? AttributeRelease.ofInstitutions + AttributeRelease.ofFederation : [])
        let policy = client.claims ?? AttributeRelease.ofScopes
        var seen: Set<String> = []
        return asked.map { $0 == "email_verified" ? "email" : $0 }
            .filter { policy.contains($0) && agreed?.contains($0) != false && seen.insert($0).inserted }
    }

    func claims(of account: Account, _ names: [String]) -> JSONObject { account.claims(names) }
}
