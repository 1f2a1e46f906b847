import Accounts
import Base
import Database
import Federation
import Foundation
import Registration
import TokenTree
import Vocabulary

/// An authorization code for a web client: a node below person, session, client and grant, and the service that it is
/// for if it is for one alone; used once within a minute.
final class IssueCode: Sendable {
    let database: Database
    let store: TokenStore
    let requests: AuthorizationRequestStore
    let consents: ConsentStore
    let subjects: SubjectName
    let index: ServiceIndex
    let lifetimes: Lifetimes
    let clock: WallClock
    let randomness: Randomness

    init(
        database: Database, store: TokenStore, requests: AuthorizationRequestStore, consents: ConsentStore,
        subjects: SubjectName, index: ServiceIndex, lifetimes: Lifetimes, clock: WallClock, randomness: Randomness
    ) {
        (self.database, self.store, self.requests, self.consents) = (database, store, requests, consents)
        (self.subjects, self.index, self.lifetimes, self.clock) = (subjects, index, lifetimes, clock)
        self.randomness = randomness
    }

    /// The URL to send the browser to. A `pending` request is used up in the same transaction. Throws
    /// `AuthorizationRefusal`.
    func answer(
        _ checked: AuthorizationParameters, _ pending: PendingRequest?, session: BrowserSession, consent: Bool
    ) async throws -> String {
        let authentication = session.history.context(since: checked.oldestLogin(pending, at: clock.now()))
        let resources = try await resources(checked)
        let code: String
        do {
            code = try await database.atomically { transaction in
                if let pending {
                    guard try await requests.answer(pending.reference, in: transaction) else {
                        throw AuthorizeEndpoint.answered
                    }
                }
                if consent {
                    try await give(checked, resources, session, in: transaction)
                } else {
                    try await confirm(checked, resources, session, in: transaction)
                }
                let own = try await note(checked, session, authentication, in: transaction)
                return try await issue(checked, session, authentication, resources, own, in: transaction)
            }
        } catch is ConditionFailed {
            throw AuthorizationRefusal.redirect(
                OAuthError(.accessDenied, "this service is closed to the person"), checked.target)
        } catch is AncestorRevoked {
            throw AuthorizationRefusal.page(
                OAuthError(.invalidRequest, "the login ended meanwhile; begin again in the application"))
        }
        return checked.target.url([("code", code)])
    }

    private func issue(
        _ checked: AuthorizationParameters, _ session: BrowserSession, _ authentication: AuthenticationContext,
        _ resources: RequestedResources, _ own: String?,
        in transaction: any SQLExecutor
    ) async throws -> String {
        let secret = randomness.bytes(32), client = checked.client, account = session.account.id
        // The person uses the service whose client this is, and those that it is for.
        let services = Set([own].compactMap(\.self) + resources.services.map(\.id)).sorted()
        let admissions = services.map { ServiceRefusals.admits(account, at: $0) }
        let shared = Set([own, resources.only?.id].compactMap(\.self)).sorted()
        let ancestors =
            [ConsentStore.node(session.account.id, client.id), Ancestor(.client, client.id)]
            + (resources.only.map { [Ancestor(.service, $0.id)] } ?? []) + shared.map { .use(account, at: $0) }
        // One statement opens all of them, in one order everywhere.
        let apart = resources.several.flatMap { [Ancestor(.service, $0.id), .use(account, at: $0.id)] }
        let opened = try await store.generations(of: ancestors + apart, in: transaction)
        let added = Array(opened.prefix(ancestors.count)), ofServices = Array(opened.dropFirst(ancestors.count))
        let nodes = Dictionary(
            uniqueKeysWithValues: resources.several.enumerated().map { place, service in
                (service.id, ofServices[(2 * place)..<(2 * place + 2)].filter { !added.contains($0) })
            })
        // What may be used while the person is away does not end with the session (OpenID Connect Core, 11); all else
        // does.
        let outlives = checked.scope.contains("offline_access")
        let inherited = outlives ? session.lineageOutliving(added) : session.lineage
        let body = TokenBody(
            realm: "idp", kind: .code, parent: nil, anchor: added[1], account: session.account.id, client: client.id,
            scope: checked.scope.description, jkt: nil,
            claims: claims(checked, session, authentication, resources, nodes))
        let issued = try await store.issue(
            TokenDraft(
                body, inherited: inherited, added: outlives ? [] : added, lifetime: lifetimes.code,
                secret: Digest.sha256(secret),
                condition: admissions.isEmpty ? nil : admissions.joined(separator: " and "), holding: ofServices),
            in: transaction)
        return AuthorizationCode.text(node: issued.row.id, secret: secret)
    }

    private func claims(
        _ checked: AuthorizationParameters, _ session: BrowserSession, _ authentication: AuthenticationContext,
        _ resources: RequestedResources, _ nodes: [String: [NodeID]]
    ) -> TokenClaims {
        let code = CodeBinding(
            challenge: checked.challenge?.value, redirectURI: checked.target.redirectURI,
            isRedirectNamed: checked.namesRedirectURI, dpopKey: checked.dpopKey)
        return TokenClaims(
            subject: subjects.of(session.account.id, at: checked.client), audience: resources.only?.base,
            lineage: resources.only?.namedForLineage, lifetime: resources.only?.tokenLifetime,
            login: LoginClaims(authentication), session: session.id,
            nonce: checked.nonce,
            idTokenNames: checked.claims.idToken, userInfoNames: checked.claims.userInfo,
            resources: resources.granted(checked.scope, nodes: nodes), code: code)
    }

    private func give(
        _ checked: AuthorizationParameters, _ resources: RequestedResources, _ session: BrowserSession,
        in transaction: any SQLExecutor
    ) async throws {
        let claims = ClaimsRelease(client: checked.client).names(
            checked.scope, checked.claims.idToken + checked.claims.userInfo)
        try await consents.give(
            session.account.id, checked.client.id, scopes: checked.scope.names, claims: claims,
            services: resources.services.map(\.id), in: transaction)
        var detail: JSONObject = ["scope": .string(checked.scope.description)]
        if !resources.services.isEmpty {
            detail["services"] = JSONValue(strings: resources.services.map(\.id))
        }
        let actor = AuditActor(name: "account:\(session.account.id.uuidString.lowercased())", origin: session.origin)
        try await AuditTrail.write(
            AuditEntry(
                actor: actor, action: "consent", node: ConsentStore.node(session.account.id, checked.client.id).label,
                account: session.account.id, detail: detail), at: clock.now(), in: transaction)
    }

    /// What was agreed to before, and was looked up before this transaction began.
    private func confirm(
        _ checked: AuthorizationParameters, _ resources: RequestedResources, _ session: BrowserSession,
        in transaction: any SQLExecutor
    ) async throws {
        let claims = ClaimsRelease(client: checked.client).names(checked.scope, checked.singleClaims),
            scopes = checked.scope.names
        guard
            try await consents.covers(
                session.account.id, checked.client.id, scopes: scopes, claims: claims,
                services: resources.services.map(\.id), locking: true, in: transaction)
        else {
            throw AuthorizationRefusal.page(
                OAuthError(.invalidRequest, "consent was withdrawn meanwhile; begin again in the application"))
        }
    }

    /// Whom a logout of this session concerns, and what it will be told; gives the service whose own client it is, if
    /// it is one.
    private func note(
        _ checked: AuthorizationParameters, _ session: BrowserSession, _ authentication: AuthenticationContext,
        in transaction: any SQLExecutor
    ) async throws -> String? {
        let client = checked.client, account = session.account.id
        let claims = ClaimsRelease(client: client).names(
            checked.scope, checked.claims.idToken + checked.claims.userInfo
        ).filter { session.account.claim($0) != nil }
        let told = Disclosures(clock: clock).recording(
            account, client: client.id, claims: claims, LoginClaims(authentication))
        return try await transaction.batch([
            """
            with told as (\(told))
            insert into session_client (session, client, subject, first_at)
                values (\(session.id), \(client.id), \(subjects.of(account, at: client)), \(clock.now()))
            on conflict do nothing
            """,
            ServiceIndex.owned(by: client.id),
        ])[1].first.map { try $0("id") }
    }

    /// RFC 8707, 2.1: active services by their base URLs, each once, and this server by its own. By no token endpoint:
    /// that is what a service says of itself, and could be another's by the time that the person agrees; and a token
    /// request could not name it.
    func resources(_ checked: AuthorizationParameters) async throws -> RequestedResources {
        let issuer = WebAddress(checked.target.issuer)?.description
        var services: [FederationService] = [], namesIssuer = false
        for resource in checked.resources {
            guard WebAddress(resource)?.description != issuer else {
                namesIssuer = true
                continue
            }
            guard let service = try await index.active(resource, in: database),
                service.base == WebAddress(resource)?.withoutQuery
            else {
                throw AuthorizationRefusal.redirect(
                    OAuthError(.invalidTarget, "resource is not an active service of this federation"), checked.target)
            }
            if !services.contains(where: { $0.id == service.id }) { services.append(service) }
        }
        return RequestedResources(services: services, namesIssuer: namesIssuer)
    }
}
