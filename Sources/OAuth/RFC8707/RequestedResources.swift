import Base
import Federation
import TokenTree
import Vocabulary

/// What an authorization request is for (RFC 8707, 2.1): services of the federation, and this server itself, whose
/// base URL is its resource. Which of them a token is for, the token request says (2.2).
///
/// An access token has one audience (RFC 8707, 3; RFC 9068, 3): a service that gets one can do nothing with it
/// elsewhere, at `/userinfo` neither. So where `openid` is granted a token for this server can be had beside those for
/// services, whether or not it was named: `/userinfo` is part of what was agreed to.
public struct RequestedResources: Sendable {
    /// In the order of their first mention.
    public let services: [FederationService]
    /// Whether the request named this server.
    let namesIssuer: Bool

    /// What tokens may be had for beside the services.
    private func includesIssuer(_ scope: Scope) -> Bool {
        services.isEmpty || namesIssuer || scope.contains("openid")
    }

    /// The one service that was named, alone. All of such a login hangs below that service, as one at the service's own
    /// client does.
    var only: FederationService? { services.count == 1 && !namesIssuer ? services.first : nil }

    /// Those whose tokens hang below nodes of their own, so that one can end while the others go on.
    var several: [FederationService] { only == nil ? services : [] }

    /// For `TokenClaims.resources`. `nodes` are those of `several`, by the id of the service.
    func granted(_ scope: Scope, nodes: [String: [NodeID]]) -> [GrantedResource] {
        let all =
            services.map {
                GrantedResource(
                    audience: $0.base, lineage: $0.namedForLineage, lifetime: $0.tokenLifetime,
                    nodes: nodes[$0.id] ?? [])
            } + (includesIssuer(scope) ? [GrantedResource(audience: nil)] : [])
        return all.count > 1 ? all : []
    }
}

extension TokenClaims {
    /// What a token request is for that names this resource, or none: one of those that were granted (RFC 8707, 2.2),
    /// else `invalid_target`. `base` is of who issues.
    ///
    /// Where none is named it is what these claims are for: of a code the one service that was named alone, else who
    /// issues; of a refresh token what it was first issued with.
    func target(_ named: String?, at base: String) throws(OAuthError) -> GrantedResource {
        let choice =
            resources.isEmpty ? [GrantedResource(audience: audience, lineage: lineage, lifetime: lifetime)] : resources
        let wanted = named.map { WebAddress($0)?.description }
        let found = choice.first { granted in
            guard let wanted else { return granted.audience == audience }
            return wanted != nil && wanted == WebAddress(granted.audience ?? base)?.description
        }
        guard let found else {
            throw OAuthError(
                .invalidTarget,
                named == nil
                    ? "several resources were authorized: name one of them" : "resource is none that was authorized",
                status: 400)
        }
        return found
    }
}
