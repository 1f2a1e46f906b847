import Registration
import TokenTree
import Traces
import Vocabulary

/// A token endpoint (RFC 6749, 3.2), composed once for the IdP and once per service.
public final class TokenEndpoint: Sendable {
    public let realm: Realm
    private let grants: [any Grant]
    private let authentication: GrantAuthentication
    private let metrics: OAuthMetrics

    /// `clients` are the IdP's; a service authenticates nobody but the holders of its own tokens.
    public init(
        realm: Realm, grants: [any Grant], check: ResourceCheck, proofs: ProofOfPossession,
        clients: ClientAuthentication? = nil, metrics: OAuthMetrics = .shared
    ) {
        (self.realm, self.grants, self.metrics) = (realm, grants, metrics)
        authentication = GrantAuthentication(check: check, proofs: proofs, clients: clients)
    }

    public var grantTypes: [GrantType] { grants.map(\.type) }

    /// Five phases, whatever the grant. The last, answering, is the route's.
    public func respond(_ request: PresentedRequest, _ parameters: OAuthParameters) async throws -> TokenResponse {
        do {
            let response = try await grant(request, parameters)
            metrics.answered(offered(parameters)?.type, outcome: "issued")
            return response
        } catch let refusal as OAuthError {
            metrics.answered(offered(parameters)?.type, outcome: refusal.code.rawValue)
            throw refusal.asked(by: try? parameters["client_id"])
        } catch {
            metrics.answered(offered(parameters)?.type, outcome: "failed")
            throw error
        }
    }

    private func offered(_ parameters: OAuthParameters) -> (any Grant)? {
        guard let wire = try? parameters.required("grant_type") else { return nil }
        return grants.first { $0.type == GrantType(wire: wire) }
    }

    private func grant(_ request: PresentedRequest, _ parameters: OAuthParameters) async throws -> TokenResponse {
        // 1. Choose: `grant_type` names one of the grants that are offered here.
        let wire = try parameters.required("grant_type")
        guard let grant = grants.first(where: { $0.type == GrantType(wire: wire) }) else {
            throw OAuthError(.unsupportedGrantType, "grant_type \(wire.prefix(80)) is not offered here")
        }
        return try await respond(request, parameters, by: grant)
    }

    /// Opens the grant, so that its own type of request goes from phase to phase.
    private func respond(
        _ request: PresentedRequest, _ parameters: OAuthParameters, by grant: some Grant
    ) async throws -> TokenResponse {
        // 2. Read what the grant needs.
        let read = try await grant.read(parameters)
        // 3. Authenticate who asks.
        let caller = try await Phase.run("authenticate") {
            try await grant.authenticate(request, parameters, for: read, by: authentication)
        }
        // 4. Grant: its own checks, then one issue.
        do {
            return try await Phase.run("grant \(grant.type.rawValue)") { try await grant.issue(read, to: caller) }
        } catch is AncestorRevoked {
            throw OAuthError(
                grant.type == .clientCredentials ? .invalidClient : .invalidGrant,
                "what this request stands on has been revoked")
        }
    }
}
