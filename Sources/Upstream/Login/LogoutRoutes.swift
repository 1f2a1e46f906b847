import Base
import HTTP
import HTTPTypes
import Hummingbird
import Keys
import OAuth
import TokenTree
import Vocabulary

/// Logout by a provider (OpenID Connect Back-Channel Logout 1.0): browser sessions that began there end, and all that
/// hangs below them.
enum LogoutRoutes {
    static func endpoints(_ context: UpstreamRequestContext) -> [Endpoint] {
        [
            Endpoint(
                .post, "/upstream/{provider}/backchannel-logout",
                "Logout by an institution's provider (OpenID Connect Back-Channel Logout 1.0)"
            ) { request, routed in
                let parameters = try await BodyReading.parameters(request)
                let id = routed.parameters.get("provider") ?? ""
                do {
                    try await end(try parameters.required("logout_token"), id, from: routed.peer, context.service)
                } catch let refusal as UpstreamRefusal {
                    throw wording(context.service.noted(refusal, id))
                }
                return Answer.empty(.ok)
            }.telling(shape)
        ]
    }

    private static let shape = EndpointShape(
        form: ["logout_token!"],
        about: """
            Browser sessions here end that began in the session there which `sid` names, or of the person whom `sub` \
            names; with them all that was opened in them. A token is good once, for ten minutes. What names nobody who \
            is logged in is taken all the same.
            """,
        bodyType: EndpointShape.formType, isBodyNeeded: true, security: [], errors: [404])

    /// Section 2.8: 400, and why.
    private static func wording(_ refusal: UpstreamRefusal) -> OAuthError {
        refusal.kind == .unreachable
            ? OAuthError(
                .temporarilyUnavailable, "the provider's keys cannot be read at the moment", retryAfter: 30)
            : OAuthError(.invalidRequest, "the logout token was refused: \(refusal.check)")
    }

    private static func end(
        _ token: String, _ id: String, from peer: String?, _ service: UpstreamService
    ) async throws {
        guard let provider = try await service.providers.find(id, in: service.database) else {
            throw OAuthError(.notFound, "there is no such provider")
        }
        guard let jwt = try? JWT(token) else { throw UpstreamRefusal.invalid("no JWT") }
        let metadata = try await service.discovery.metadata(of: provider.issuer)
        try await service.verify(jwt, of: metadata)
        let told = try LogoutTokenCheck(
            issuer: metadata.issuer, clientID: provider.clientID, now: service.clock.now()
        ).check(jwt)
        let actor = AuditActor(name: "provider:\(provider.id)", origin: peer, reason: "logged out at the institution")
        let isFirst = try await service.database.atomically { transaction in
            guard
                try await service.oneTime.claim(
                    told.jti, namespace: "upstream logout \(metadata.issuer)", expires: told.expires, in: transaction)
            else { return false }
            let sessions = try await service.links.sessions(
                at: provider.id, subject: told.subject, sid: told.sid, in: transaction)
            for session in sessions {
                try await service.revocation.revoke(
                    .virtual(Ancestor(.session, session)), by: actor, in: transaction)
            }
            return true
        }
        guard isFirst else { throw UpstreamRefusal.invalid("jti was used before") }
    }
}
