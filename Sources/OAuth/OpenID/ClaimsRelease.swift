import Accounts
import Base
import Foundation
import Registration
import Vocabulary

/// What a web client is told of a person: what its scopes and its `claims` parameter name, within what the operator
/// releases to it (OpenID Connect Core, 5.4 and 5.5; decisions.md, Federation 5).
struct ClaimsRelease: Sendable {
    let client: WebClient

    /// Claims behind a scope. `preferred_username` is not among them: it is a login name, so only an operator's policy
    /// releases it.
    static let byScope: [String: [String]] = ["profile": ["name", "given_name", "family_name"], "email": ["email"]]

    func names(_ scope: Scope, _ single: [String] = []) -> [String] {
        let asked =
            scope.names.flatMap { ClaimsRelease.byScope[$0] ?? [] } + single
            + (scope.contains("profile") ? client.claims?.filter { $0 == "preferred_username" } ?? [] : [])
        let policy = client.claims ?? ClaimsRelease.byScope.values.flatMap { $0 }
        var seen: Set<String> = []
        return asked.filter { policy.contains($0) && seen.insert($0).inserted }
    }

    func claims(of account: Account, _ names: [String]) -> JSONObject {
        JSONObject(names.compactMap { name in account.claim(name).map { (name, $0) } })
    }
}
