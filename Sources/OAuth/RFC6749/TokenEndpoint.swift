import Base
import Database
import Foundation
import Keys
import Registration
import TokenTree
import Vocabulary

/// Who asks, after the authentication phase. Any of these may be absent; each grant says what it needs.
public struct AuthenticatedClient: Sendable {
    public let request: PresentedRequest
    /// A registration or upgrade by a version key.
    public let registration: (jwt: JWT, version: AppVersion)?
    public let client: WebClient?
    /// The token shown in the Authorization header.
    public let holder: AuthenticatedToken?
    /// The key that was shown, by either presentation.
    public let key: ShownKey?

    public func actor(_ name: String) -> AuditActor { AuditActor(name: name, origin: request.origin) }
}

/// One way to a token. `TokenEndpoint` has authenticated the caller; the grant checks what is its own and issues.
public protocol Grant: Sendable {
    var type: GrantType { get }
    func issue(_ request: TokenRequest, to caller: AuthenticatedClient) async throws -> TokenResponse
}

/// A token endpoint (RFC 6749, 3.2), composed once for the IdP and once per service.
public struct TokenEndpoint: Sendable {
    public let realm: Realm
    private let grants: [any Grant]
    private let check: ResourceCheck
    private let proofs: ProofOfPossession
    private let clients: ClientAuthentication?
    private let registration: InstanceRegistration?

    /// `clients` and `registration` are the IdP's; a service authenticates nobody but the holders of its own tokens.
    public init(realm: Realm, grants: [any Grant], check: ResourceCheck, proofs: ProofOfPossession, clients: ClientAuthentication? = nil,
                registration: InstanceRegistration? = nil) {
        (self.realm, self.grants, self.check, self.proofs) = (realm, grants, check, proofs)
        (self.clients, self.registration) = (clients, registration)
    }

    public var grantTypes: [GrantType] { grants.map(\.type) }

    public func respond(_ request: PresentedRequest, _ parameters: OAuthParameters) async throws -> TokenResponse {
        let wire = try parameters.required("grant_type")
        guard let type = GrantType(wire: wire), let grant = grants.first(where: { $0.type == type }) else {
            throw OAuthError(.unsupportedGrantType, "grant_type \(wire.prefix(80)) is not offered here")
        }
        let read = try TokenRequest(type, parameters)
        let caller = try await authenticate(request, parameters, for: read)
        do {
            return try await grant.issue(read, to: caller)
        } catch is AncestorRevoked {
            throw OAuthError(read.grant == .clientCredentials ? .invalidClient : .invalidGrant, "what this request stands on has been revoked")
        }
    }

    /// The bare `client_credentials` of eduID carries the assertion in the Authorization header (api.md).
    private func authenticate(_ request: PresentedRequest, _ parameters: OAuthParameters, for read: TokenRequest) async throws -> AuthenticatedClient {
        if case .clientCredentials(let inBody, _, _) = read, let registration {
            let inHeader = request.credentials.flatMap { $0.scheme == "bearer" && inBody == nil ? $0.value : nil }
            if inBody != nil, WireName.current(try parameters["client_assertion_type"] ?? "") != ClientAssertionType.jwtBearer {
                throw OAuthError(.invalidRequest, "client_assertion_type must be \(ClientAssertionType.jwtBearer)")
            }
            if inBody != nil, request.credentials?.scheme == "basic" { throw OAuthError(.invalidRequest, "authenticate in one way only") }
            if let text = inBody ?? inHeader, let jwt = try? JWT(text), let version = try await registration.version(of: jwt) {
                let holder = inBody == nil ? nil : try await check.holder(request)
                let key = if let shown = holder?.key { shown } else { try await proofs.dpop(request, accessToken: nil) }
                return AuthenticatedClient(request: request, registration: (jwt, version), client: nil, holder: holder, key: key)
            }
        }
        if let client = try await clients?.authenticate(request, parameters, allowingPublic: true) {
            return AuthenticatedClient(request: request, registration: nil, client: client, holder: nil, key: try await proofs.dpop(request, accessToken: nil))
        }
        if case .refreshToken(let text, _, _, _) = read, let key = try await check.keyOfFamily(text, request) {
            return AuthenticatedClient(request: request, registration: nil, client: nil, holder: nil, key: key)
        }
        if let holder = try await check.holder(request) {
            return AuthenticatedClient(request: request, registration: nil, client: nil, holder: holder, key: holder.key)
        }
        return AuthenticatedClient(request: request, registration: nil, client: nil, holder: nil, key: try await proofs.dpop(request, accessToken: nil))
    }
}
