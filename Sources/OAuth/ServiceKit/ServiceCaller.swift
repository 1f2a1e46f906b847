import Base
import Keys
import Registration
import TokenTree
import Vocabulary

/// Who calls the back office of a built-in service (design/backoffice.md, "Getting in").
public enum ServiceCaller: Sendable {
    /// A machine: a service that relies on this one. It shows an access token that it got from the IdP for itself, with
    /// `resource` naming this service.
    case machine(client: String, AuthenticatedToken)
    /// An app, in the name of the one person behind its app token; `person` is that person's pseudonym at this service.
    case app(person: String, AuthenticatedToken)

    public var holder: AuthenticatedToken {
        switch self {
        case .machine(_, let holder), .app(_, let holder): holder
        }
    }
}

extension AuthenticatedToken {
    /// What the token hangs from, without the token: what a client begins with it goes on when it has expired or is
    /// given back.
    public var standing: [NodeID] { token.lineage.dropLast() }
}

extension ServiceRole {
    /// The same for a client that authenticates by itself, without a token.
    public func standing(of client: String) async throws -> [NodeID] {
        try await check.lookup.store.generations(of: [
            .epoch, Ancestor(.client, client), Ancestor(.service, profile.id),
        ])
    }

    /// The caller whose token holds one of `scopes`. 401 for no, a dead or a foreign token, also one for another
    /// resource; 403 for a missing scope.
    ///
    /// `machinesOnly`: routes that belong to relying services alone refuse apps.
    public func caller(
        scopes: [String], _ request: PresentedRequest, machinesOnly: Bool = false
    ) async throws -> ServiceCaller {
        let isMachine = isFromProvider(request), kind: TokenKind = isMachine ? .accessToken : .appToken
        guard let holder = try await isMachine ? machines.holder(request) : check.holder(request) else {
            throw OAuthError(.invalidToken, "show an access token for this service")
        }
        let held = Scope(holder.token.body.scope ?? "")?.names ?? []
        guard holder.token.body.kind == kind, scopes.contains(where: { held.contains($0) }) else {
            throw OAuthError(
                .insufficientScope, "this needs a token with scope \(scopes.joined(separator: " or "))",
                members: ["scope": scopes.first ?? ""])
        }
        if isMachine { return try machine(holder) }
        return try app(holder, machinesOnly)
    }

    /// Whether the IdP issued the token, by its own words; the check that follows wants its signature.
    private func isFromProvider(_ request: PresentedRequest) -> Bool {
        guard let credentials = request.credentials, ["dpop", "bearer"].contains(credentials.scheme),
            let jwt = try? JWT(credentials.value)
        else { return false }
        return jwt.type == JWTType.accessToken.rawValue && jwt.string("iss") == machines.issuer
    }

    /// A token that a person stands behind is no machine's, whatever its scope.
    private func machine(_ holder: AuthenticatedToken) throws -> ServiceCaller {
        let body = holder.token.body
        guard body.account == nil, body.parent == nil, body.bundle == nil, let client = body.client else {
            throw OAuthError(.insufficientScope, "this takes a machine's token, or an app token of this service")
        }
        return .machine(client: client, holder)
    }

    private func app(_ holder: AuthenticatedToken, _ machinesOnly: Bool) throws -> ServiceCaller {
        guard !machinesOnly else { throw OAuthError(.forbidden, "this is for relying services, not for apps") }
        guard let person = holder.token.body.claims.subject, !person.isEmpty else {
            throw OAuthError(.invalidToken, "this token tells nobody")
        }
        return .app(person: person, holder)
    }
}

/// Whether a token that the issuer gave to a machine for a service lives: its row is in the server, or at another one.
struct MachineTokens: Sendable {
    enum Check: Sendable {
        case here(ResourceCheck)
        case elsewhere(IssuerTokenCheck)
    }

    let issuer: String
    let check: Check

    func holder(_ request: PresentedRequest) async throws -> AuthenticatedToken? {
        switch check {
        case .here(let check): try await check.holder(request)
        case .elsewhere(let check): try await check.holder(request)
        }
    }
}
