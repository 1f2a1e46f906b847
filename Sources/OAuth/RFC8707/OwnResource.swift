import Base
import Vocabulary

/// A part of this server that is a resource of its own (RFC 8707): it takes tokens that were made for it, and those
/// open nothing else, `/userinfo` neither. What a person's applications got for this server does not administer.
public enum OwnResource: String, Sendable, CaseIterable {
    case administration = "/admin/api/v1"
    case provisioning = "/scim/v2"

    /// Its name: the URL under which it is.
    public func url(_ issuer: String) -> String { issuer + rawValue }

    /// The one that `resource` names; `nil` for another resource, and for none.
    static func named(_ resource: String?, at issuer: String) -> OwnResource? {
        guard let wanted = resource.flatMap({ WebAddress($0)?.description }) else { return nil }
        return allCases.first { WebAddress($0.url(issuer))?.description == wanted }
    }
}

extension AuthorizationServer {
    /// Looks at what is shown for a resource of ours.
    public func check(of resource: OwnResource) -> ResourceCheck {
        ResourceCheck(
            check.lookup, audience: resource.url(realm.base), proofs: check.proofs, limit: check.limit,
            clock: check.clock)
    }
}
