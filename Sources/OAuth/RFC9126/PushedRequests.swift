import Base
import Database
import Foundation
import Registration
import Vocabulary

/// Pushed authorization requests (RFC 9126): the client is authenticated and the request checked before a browser is
/// sent anywhere.
public final class PushedRequests: Sendable {
    static let prefix = "urn:ietf:params:oauth:request_uri:"

    let clients: ClientAuthentication
    let objects: RequestObject
    let requests: AuthorizationRequestStore
    let proofs: ProofOfPossession
    let pace: AnonymousRateLimit
    let issuer: String

    init(
        clients: ClientAuthentication, objects: RequestObject, requests: AuthorizationRequestStore,
        proofs: ProofOfPossession, pace: AnonymousRateLimit, issuer: String
    ) {
        (self.clients, self.objects, self.requests, self.proofs) = (clients, objects, requests, proofs)
        (self.pace, self.issuer) = (pace, issuer)
    }

    /// `{request_uri, expires_in}`.
    public func push(_ request: PresentedRequest, _ parameters: OAuthParameters) async throws -> JSONValue {
        guard let client = try await clients.authenticate(request, parameters, allowingPublic: true) else {
            throw OAuthError(.invalidClient, "authenticate as a client; a public one names its client_id")
        }
        guard try parameters["request_uri"] == nil else {
            throw OAuthError(.invalidRequest, "request_uri cannot be pushed")
        }
        var inner = parameters.without(["client_secret", "client_assertion", "client_assertion_type"])
        if let object = try parameters["request"] {
            inner = try await objects.parameters(object, of: client)
        } else if client.metadata.wantsSignedRequest {
            throw OAuthError(.invalidRequest, "this client signs its requests (RFC 9101)")
        }
        inner = try await bound(inner, request)
        do {
            inner = try AuthorizationParameters(inner, client: client, issuer: issuer).narrowed(inner)
        } catch {
            throw OAuthError(error.error.code, error.error.description, status: 400)
        }
        if client.authMethod == .none { try pace.take(.request, from: request.origin) }
        let reference = try await requests.push(inner, client: client.id)
        return [
            "request_uri": .string(PushedRequests.prefix + reference),
            "expires_in": .integer(Int(AuthorizationRequestStore.pushed)),
        ]
    }

    /// A DPoP proof with the push binds the code to its key, as `dpop_jkt` does (RFC 9449, 10.1); where both are there
    /// they must agree.
    private func bound(_ parameters: OAuthParameters, _ request: PresentedRequest) async throws -> OAuthParameters {
        guard let key = try await proofs.dpop(request, accessToken: nil) else { return parameters }
        guard try parameters["dpop_jkt"] == nil || parameters["dpop_jkt"] == key.jkt else {
            throw OAuthError(.invalidProof, "dpop_jkt is not the key of the proof")
        }
        return parameters.adding("dpop_jkt", key.jkt)
    }
}
