import Base
import Federation
import Foundation
import Registration
import TokenTree
import Vocabulary

/// `refresh_token` (RFC 6749, 6; RFC 9700, 4.14.2): rotates; a lost answer may be asked for again; reuse ends the
/// family.
public struct RefreshTokenGrant: Grant {
    public let type = GrantType.refreshToken
    let lookup: TokenLookup
    let families: RefreshFamily
    let revocation: Revocation
    let writer: AccessTokenWriter
    /// To web clients; `nil` at a service, which has none.
    let answers: WebTokenAnswer?
    let lifetimes: Lifetimes
    /// Where tokens for services of the federation are refreshed.
    let usage: ServiceUsage?
    let limit: AccountLimit?

    init(
        lookup: TokenLookup, revocation: Revocation, writer: AccessTokenWriter, answers: WebTokenAnswer? = nil,
        lifetimes: Lifetimes, usage: ServiceUsage? = nil, limit: AccountLimit? = nil
    ) {
        (self.lookup, families, self.revocation) = (lookup, RefreshFamily(store: lookup.store), revocation)
        (self.writer, self.answers, self.lifetimes, self.usage) = (writer, answers, lifetimes, usage)
        self.limit = limit
    }

    /// RFC 6749, 6.
    public struct Request: Sendable {
        /// Looked up once, for authentication and all that is asked before it is used.
        let shown: PresentedRefreshToken?
        let clientID: String?
        let scope: String?
        let resource: String?
    }

    public func read(_ parameters: OAuthParameters) async throws -> Request {
        let text = try parameters.required("refresh_token")
        let (clientID, scope, resource) = (
            try parameters["client_id"], try parameters["scope"], try parameters["resource"]
        )
        return Request(shown: try await lookup.refreshToken(text), clientID: clientID, scope: scope, resource: resource)
    }

    /// A JWT by the family's key will do besides: the access token that it would name may have expired.
    public func authenticate(
        _ presented: PresentedRequest, _ parameters: OAuthParameters, for request: Request,
        by authentication: GrantAuthentication
    ) async throws -> AuthenticatedClient {
        // Before a proof or an assertion is used up.
        if let family = request.shown?.family { try limit?.look(family.body, presented) }
        if let client = try await authentication.client(presented, parameters) { return client }
        if let family = request.shown?.family, let key = try await authentication.check.key(of: family, presented) {
            return AuthenticatedClient(presented, key: key)
        }
        return try await authentication.holder(presented)
    }

    public func issue(_ request: Request, to caller: AuthenticatedClient) async throws -> TokenResponse {
        guard caller.client == nil || request.clientID == nil || request.clientID == caller.client?.id,
            let shown = request.shown
        else { throw refused }
        try limit?.take(shown.family.body, caller.request)
        let target = try target(request, shown.family.body)
        let scope = try narrowed(request, shown.family.body), named = caller.client?.id ?? request.clientID
        let lifetime = lifetime(of: shown.family.body, for: target, to: caller.client),
            certificate = caller.request.certificate?.thumbprint
        let rotation = try await families.rotate(
            shown, realm: lookup.realm.id, jkt: caller.key?.jkt, scope: scope, resource: target, lifetime: lifetime
        ) { body in
            RefreshTokenGrant.admits(body, named: named, client: caller.client)
                && (body.claims.certificate == nil || body.claims.certificate == certificate)
        }
        switch rotation {
        case .child(let issued):
            return try await respond(issued, to: caller.client).with(sending: families.sending(issued))
        case .otherScope(let granted):
            throw OAuthError(
                .invalidScope,
                """
                this refresh token was used, and the answer may have been lost: ask again for what you asked for \
                then: \(granted ?? "")
                """
            )
        case .otherResource(let granted):
            throw OAuthError(
                .invalidTarget,
                """
                this refresh token was used, and the answer may have been lost: ask again for the resource that you \
                asked for then: \(granted ?? lookup.realm.base)
                """, status: 400)
        case .resourceClosed:
            throw OAuthError(
                .invalidTarget,
                "the service is no longer an active one of this federation, or what the person does there has ended",
                status: 400)
        case .refused:
            throw refused
        case .reused(let family):
            try await revocation.revoke(.token(family), by: caller.actor("server").because("refresh token used twice"))
            throw OAuthError(
                .invalidGrant, "the refresh token was used before; all that came of it has been ended. Log in again.")
        }
    }

    /// Of a client that has left to it what the server says, this; else what its operator says now.
    private func lifetime(
        of body: TokenBody, for target: RefreshedResource?, to client: WebClient?
    ) -> TimeInterval {
        let usual = lifetimes.of(body.kind)
        guard body.kind == .accessToken else { return usual }
        let limit = target.map(\.granted.lifetime) ?? body.claims.lifetime
        return (client?.lifetimes ?? ClientLifetimes()).accessToken(usual: usual, limit: limit)
    }

    private func respond(_ issued: IssuedToken, to client: WebClient?) async throws -> TokenResponse {
        guard let answers, let client, issued.row.body.kind == .accessToken else {
            return try await writer.respond(issued)
        }
        return try await answers.respond(refreshed: issued, to: client, in: lookup.store.database)
    }

    /// Of several resources that were granted the one that is named, or else the one with which this began (RFC 8707,
    /// 2.2); `nil` where there is no choice. Asked before anything is used.
    private func target(_ request: Request, _ body: TokenBody) throws -> RefreshedResource? {
        let granted = try body.claims.target(request.resource, at: lookup.realm.base)
        guard !body.claims.resources.isEmpty else { return nil }
        let used = body.account.flatMap { account in
            usage.map { $0.recording(account, by: body.client ?? "", at: granted.audience) }
        }
        // What goes on as it began is not looked at again: of a service that was suspended, what lives goes on.
        let isOther = granted.audience != body.claims.audience
        return RefreshedResource(
            granted, condition: isOther ? granted.audience.map(ServiceIndex.isActive(base:)) : nil,
            beside: isOther && granted.audience != nil ? used : nil)
    }

    /// Within what was granted (RFC 6749, 6). Asked before anything is used.
    private func narrowed(_ request: Request, _ body: TokenBody) throws -> String? {
        guard let scope = request.scope else { return nil }
        let granted = Scope(body.scope ?? "")?.names ?? []
        guard let asked = Scope(scope), asked.isSubset(of: granted) else {
            throw OAuthError(.invalidScope, "ask for what was granted, or less: \(body.scope ?? "")")
        }
        return asked.description
    }

    /// A client's own tokens want its authentication (its name where it has no secret); a bearer token at least its
    /// name (RFC 6749, 6); a bound one has shown its key.
    private static func admits(_ body: TokenBody, named: String?, client: WebClient?) -> Bool {
        if body.kind == .accessToken {
            return client?.id == body.client && client?.grantTypes.contains(GrantType.refreshToken.rawValue) == true
        }
        guard let named else { return body.jkt != nil }
        return named == body.client || named == body.bundle
    }

    private var refused: OAuthError {
        OAuthError(
            .invalidGrant,
            "the refresh token is unknown, revoked, or was not shown with the key and client it belongs to")
    }
}
