import Foundation
import Keys
import Registration
import TokenTree
import Vocabulary

/// One way to a token. What all share is in `TokenEndpoint`; a grant fills in its own part.
///
/// Adding one takes two steps: a file with a struct that conforms, and its line in the list of the role
/// (`AuthorizationServer`, `ServiceRole`). `grant_types_supported` follows by itself.
public protocol Grant: Sendable {
    /// What this grant needs from a request, and nothing else.
    associatedtype Request: Sendable

    var type: GrantType { get }

    /// Throws `invalid_request` for what is missing. A token that the request shows may be looked up here, once for
    /// all.
    func read(_ parameters: OAuthParameters) async throws -> Request

    /// Who asks. Left out, it is a web client, the holder of a token, or whoever proves a key.
    func authenticate(
        _ presented: PresentedRequest, _ parameters: OAuthParameters, for request: Request,
        by authentication: GrantAuthentication
    ) async throws -> AuthenticatedClient

    /// Its own checks, then one issue. `AncestorRevoked` may be left to the endpoint.
    func issue(_ request: Request, to caller: AuthenticatedClient) async throws -> TokenResponse
}

extension Grant {
    public func authenticate(
        _ presented: PresentedRequest, _ parameters: OAuthParameters, for request: Request,
        by authentication: GrantAuthentication
    ) async throws -> AuthenticatedClient {
        if let client = try await authentication.client(presented, parameters) { return client }
        return try await authentication.holder(presented)
    }
}

/// Who asks, after the authentication phase. Any of these may be absent; each grant says what it needs.
public struct AuthenticatedClient: Sendable {
    public let request: PresentedRequest
    /// A registration or upgrade by a version key.
    public let registration: (jwt: JWT, version: AppVersion)?
    public let client: WebClient?
    /// Authenticates the client anew, as it is by then; where it was remembered.
    let renew: (@Sendable () async throws -> WebClient)?
    /// The token shown in the Authorization header.
    public let holder: AuthenticatedToken?
    /// The key that was shown, by either presentation.
    public let key: ShownKey?

    init(
        _ request: PresentedRequest, registration: (jwt: JWT, version: AppVersion)? = nil, client: WebClient? = nil,
        renew: (@Sendable () async throws -> WebClient)? = nil, holder: AuthenticatedToken? = nil, key: ShownKey?
    ) {
        (self.request, self.registration, self.client, self.renew, self.holder, self.key) = (
            request, registration, client, renew, holder, key
        )
    }

    /// With its client as it is now: before anybody is refused, or anything is used up or ended, by what was only
    /// remembered.
    func renewed() async throws -> AuthenticatedClient {
        guard let renew else { return self }
        return AuthenticatedClient(
            request, registration: registration, client: try await renew(), renew: renew, holder: holder, key: key)
    }

    public func actor(_ name: String) -> AuditActor { AuditActor(name: name, origin: request.origin) }
}

/// The ways in which a request to a token endpoint shows who sends it.
public struct GrantAuthentication: Sendable {
    let check: ResourceCheck
    let proofs: ProofOfPossession
    /// `nil` at a service, which authenticates nobody but the holders of its own tokens.
    let clients: ClientAuthentication?

    /// Whether a web client is known by this name: then it is no app version's, and nobody need look for one.
    func isClient(_ name: String?) -> Bool { name.map { clients?.remembers($0) == true } ?? false }

    /// A web client, also a public one; `nil` where the request names none. `remembered`: who asks lets the statement
    /// that issues check that the client `isUnchanged`.
    func client(
        _ request: PresentedRequest, _ parameters: OAuthParameters, remembered: Bool = false
    ) async throws -> AuthenticatedClient? {
        let client = try await clients?.authenticate(
            request, parameters, allowingPublic: true, remembered: remembered)
        guard let clients, let client else { return nil }
        return AuthenticatedClient(
            request, client: client, renew: { try await clients.renewed(request, parameters) },
            key: try await proofs.dpop(request, accessToken: nil))
    }

    /// The holder of a token, else whoever proves a key, else nobody.
    func holder(_ request: PresentedRequest) async throws -> AuthenticatedClient {
        if let holder = try await check.holder(request) {
            return AuthenticatedClient(request, holder: holder, key: holder.key)
        }
        return AuthenticatedClient(request, key: try await proofs.dpop(request, accessToken: nil))
    }
}
