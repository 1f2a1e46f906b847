import Accounts
import Base

/// What the index lets a service know of a person: nothing but the claims its entry lists (decisions.md, Federation 5).
public enum AttributeRelease {
    /// Claims that a service may be given (OpenID Connect Core, 5.1).
    public static let known = ofScopes

    /// Those behind the scopes `profile` and `email` (5.4).
    public static let ofScopes = ["email", "name", "given_name", "family_name", "preferred_username"]

    public static func claims(of account: Account, to service: FederationService) -> JSONObject {
        JSONObject(service.claims.compactMap { name in account.claim(name).map { (name, $0) } })
    }
}
