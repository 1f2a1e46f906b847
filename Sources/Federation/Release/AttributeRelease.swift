import Accounts
import Base

/// What the index lets a service know of a person: nothing but the claims its entry lists (decisions.md, Federation 5).
public enum AttributeRelease {
    /// Claims behind the scopes `profile` and `email` (OpenID Connect Core, 5.4).
    public static let ofScopes = ["email", "name", "given_name", "family_name", "preferred_username"]
    /// What institutions say of their people: told where an operator says so, and nowhere else.
    public static let ofInstitutions = PersonAttribute.allCases.map(\.rawValue)
    /// To which institution the person belongs, and what they may administer.
    public static let ofFederation = ["institution", "roles"]
    /// Claims that an operator may release. `email_verified` goes with `email`, unasked.
    public static let known = ofScopes + ofInstitutions + ofFederation

    public static func claims(of account: Account, to service: FederationService) -> JSONObject {
        account.claims(service.claims)
    }
}
