import Base
import Database
import Federation
import Foundation
import Keys
import Registration
import TokenTree
import Vocabulary

/// A federation service, composed: what tiqr, operations, liquid, the viewer and any other built-in service share.
public final class ServiceRole: Sendable {
    public let profile: ServiceProfile
    public let realm: Realm
    public let tokens: TokenEndpoint
    public let parties: IntrospectionAccess
    public let check: ResourceCheck
    public let origins: OriginCheck
    /// Of tokens of the IdP whose resource is this service.
    let machines: MachineTokens
    /// `nil` where the issuer is this server.
    public let elsewhere: ElsewhereService?
    public let introspection: IntrospectToken
    public let revocation: RevokeToken
    public let events: EventReceiver
    let assertions: AssertionCheck
    private let names: PairwiseNames
    let tree: Revocation
    let clock: WallClock

    /// What services share with one another when they live in one process.
    public struct Dependencies: Sendable {
        let issuer: String
        let store: TokenStore
        let revocation: Revocation
        let oneTime: OneTimeStore
        public let keys: SigningKeys
        public let remoteKeys: RemoteKeys
        let names: PairwiseNames
        let lifetimes: Lifetimes
        let clock: WallClock
        let nonces: ServerNonce?
        /// Seconds without a word of the issuer after which nothing below it is taken; 0 for never.
        let failClosed: TimeInterval
        let origins: RegisteredOrigins
        /// By their ids, where the issuer is another server; empty where it is this one.
        let elsewhere: [String: ElsewhereService]
        let accountLimit: AccountLimit?

        public init(
            issuer: String, store: TokenStore, revocation: Revocation, oneTime: OneTimeStore, keys: SigningKeys,
            remoteKeys: RemoteKeys,
            names: PairwiseNames, lifetimes: Lifetimes, clock: WallClock, nonces: ServerNonce? = nil,
            failClosed: TimeInterval = 0, elsewhere: [String: ElsewhereService] = [:],
            accountLimit: AccountLimit? = nil
        ) {
            (self.elsewhere, self.accountLimit) = (elsewhere, accountLimit)
            (self.issuer, self.store, self.revocation, self.oneTime, self.keys) = (
                issuer, store, revocation, oneTime, keys
            )
            (self.remoteKeys, self.names, self.lifetimes, self.clock) = (remoteKeys, names, lifetimes, clock)
            (self.nonces, self.failClosed) = (nonces, failClosed)
            origins = RegisteredOrigins(database: store.database, clock: clock)
        }
    }

    public init(_ profile: ServiceProfile, on base: Dependencies) {
        (self.profile, clock, tree, names) = (profile, base.clock, base.revocation, base.names)
        let realm = Realm(id: profile.id, base: profile.base)
        self.realm = realm
        elsewhere = base.elsewhere[profile.id]
        assertions = AssertionCheck(
            realm: realm, issuer: base.issuer, remoteKeys: base.remoteKeys, clock: base.clock)
        let writer = AccessTokenWriter(realm: realm, keys: base.keys, names: base.names)
        let proofs = ProofOfPossession(oneTime: base.oneTime, clock: base.clock, nonces: base.nonces)
        let lookup = TokenLookup(realm: realm, store: base.store, keys: base.keys)
        let freshness = IssuerFreshness(
            realm: realm.id, issuer: base.issuer, limit: base.failClosed, database: base.store.database,
            clock: base.clock)
        check = ResourceCheck(
            lookup, proofs: proofs, freshness: freshness, limit: base.accountLimit, clock: base.clock)
        origins = OriginCheck(lookup, origins: base.origins)
        machines = MachineTokens(
            issuer: base.issuer,
            check: elsewhere.map {
                .elsewhere(
                    IssuerTokenCheck(
                        realm: realm, issuer: $0.issuer, remoteKeys: base.remoteKeys, tree: base.revocation,
                        proofs: proofs, freshness: freshness, clock: base.clock))
            }
                ?? .here(
                    ResourceCheck(
                        TokenLookup(realm: Realm(id: "idp", base: base.issuer), store: base.store, keys: base.keys),
                        audience: profile.base, proofs: proofs, clock: base.clock)))
        tokens = TokenEndpoint(
            realm: realm,
            grants: [
                ServiceAssertionGrant(
                    realm: realm, issuer: base.issuer, store: base.store, revocation: base.revocation,
                    remoteKeys: base.remoteKeys, writer: writer, lifetimes: base.lifetimes, clock: base.clock),
                AppAuthorizationGrant(
                    realm: realm, scopes: profile.scopes, store: base.store, revocation: base.revocation,
                    proofs: proofs, writer: writer, lifetimes: base.lifetimes),
                RefreshTokenGrant(
                    lookup: lookup, revocation: base.revocation, writer: writer, lifetimes: base.lifetimes,
                    limit: base.accountLimit),
            ], check: check, proofs: proofs)
        parties = IntrospectionAccess(
            check: check, clients: nil, index: ServiceIndex(clock: base.clock), database: base.store.database)
        introspection = IntrospectToken(lookup, names: base.names, clock: base.clock)
        revocation = RevokeToken(lookup, revocation: base.revocation)
        events = EventReceiver(
            realm: realm, issuer: base.issuer, store: base.store, revocation: base.revocation,
            remoteKeys: base.remoteKeys, clock: base.clock, elsewhere: elsewhere)
    }

    /// The pseudonym of a person of this server at the service of that id, as assertions tell it.
    public func subject(of account: UUID, at service: String) -> String { names.subject(of: account, at: service) }

    /// The holder of an app token whose scope reaches a protocol of this service.
    ///
    /// `since` and `level`: how fresh and how strong the person's login must be; a token of an older or weaker one is
    /// asked to step up (RFC 9470).
    public func require(
        scope: String, _ request: PresentedRequest, since maxAge: Int? = nil, level: AuthenticationContext.Level? = nil
    ) async throws -> AuthenticatedToken {
        guard let holder = try await check.holder(request) else {
            throw OAuthError(.invalidToken, "show an app access token")
        }
        guard holder.token.body.kind == .appToken, Scope(holder.token.body.scope ?? "")?.contains(scope) == true else {
            throw OAuthError(.insufficientScope, "this needs a token with scope \(scope)", members: ["scope": scope])
        }
        try StepUp.check(holder.token.body.claims.login, maxAge: maxAge, level: level, at: clock.now())
        return holder
    }
}
