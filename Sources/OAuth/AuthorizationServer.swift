import Accounts
import Base
import Database
import Federation
import Foundation
import Keys
import Registration
import TokenTree
import Vocabulary

/// The IdP, composed: every flow behind its endpoints.
public final class AuthorizationServer: Sendable {
    public let realm: Realm
    public let keys: SigningKeys
    public let check: ResourceCheck
    public let origins: OriginCheck
    public let tokens: TokenEndpoint
    public let challenge: LoginChallenge
    public let assertions: IssueAssertion
    public let parties: IntrospectionAccess
    public let introspection: IntrospectToken
    public let revocation: RevokeToken
    public let profile: UserProfile
    public let instances: OwnInstances
    public let discovery: ProtocolQuery
    public let signedDiscovery: SignedDiscovery
    public let metadata: ServerMetadata
    public let federation: OpenIDFederation
    public let listing: ListingAccess
    public let crawlRequests: CrawlRequests
    public let serviceAuthentication: ServiceAuthentication
    public let writer: AccessTokenWriter
    public let web: WebSide
    public let ownService: OwnService

    /// What the composition hands in besides the shared dependencies.
    public struct Services: Sendable {
        let registration: InstanceRegistration
        let clients: ClientAuthentication
        let login: PasswordLogin
        let hasher: PasswordHasher
        let passwordRule: PasswordRule
        let randomness: Randomness
        let takesCertificates: Bool
        let discovery: ProtocolQuery?
        let factors: [SecondFactor]
        let listing: ListingPolicy
        let policies: AppPolicyStore
        let mail: MailQueue
        let factorActions: Set<String>
        let removals: [String: SecondFactor.Removal]

        /// `discovery` is the process's own, whose `watch` runs; without one every question reads the database.
        /// `factors` in the order in which they are offered; `mail` takes what people are told.
        /// `factorActions`: first words of what the audit trail calls the doings of a factor. `removals`: what takes
        /// away a way to log in that is no second factor, by its name.
        public init(
            registration: InstanceRegistration, clients: ClientAuthentication, login: PasswordLogin,
            hasher: PasswordHasher,
            passwordRule: PasswordRule, randomness: Randomness, policies: AppPolicyStore,
            takesCertificates: Bool = false, discovery: ProtocolQuery? = nil, factors: [SecondFactor] = [],
            listing: ListingPolicy = .public, mail: MailQueue, factorActions: Set<String> = [],
            removals: [String: SecondFactor.Removal] = [:]
        ) {
            (self.passwordRule, self.listing, self.policies) = (passwordRule, listing, policies)
            (self.mail, self.factorActions, self.removals) = (mail, factorActions, removals)
            (self.takesCertificates, self.discovery, self.factors) = (takesCertificates, discovery, factors)
            (self.registration, self.clients, self.login, self.hasher, self.randomness) = (
                registration, clients, login, hasher, randomness
            )
        }
    }

    public init(_ parts: Services, on dependencies: ServiceRole.Dependencies) {
        let (issuer, store, clock) = (dependencies.issuer, dependencies.store, dependencies.clock)
        realm = Realm(id: "idp", base: issuer)
        keys = dependencies.keys
        let writer = AccessTokenWriter(realm: realm, keys: keys, names: dependencies.names)
        let index = ServiceIndex(clock: clock)
        self.writer = writer
        let proofs = ProofOfPossession(oneTime: dependencies.oneTime, clock: clock, nonces: dependencies.nonces)
        let lookup = TokenLookup(realm: realm, store: store, keys: keys)
        check = ResourceCheck(lookup, proofs: proofs, limit: dependencies.accountLimit, clock: clock)
        origins = OriginCheck(lookup, origins: dependencies.origins)
        profile = UserProfile(issuer: issuer, database: store.database, clock: clock)
        web = WebSide(parts, on: dependencies, writer: writer, profile: profile, proofs: proofs)
        assertions = IssueAssertion(
            issuer: issuer, store: store, keys: keys, names: dependencies.names, lifetimes: dependencies.lifetimes,
            clock: clock)
        tokens = TokenEndpoint(
            realm: realm,
            grants: [
                ClientCredentialsGrant(
                    realm: realm, store: store, registration: parts.registration, index: index,
                    writer: writer, lifetimes: dependencies.lifetimes),
                AuthorizationCodeGrant(
                    store: store, revocation: dependencies.revocation, writer: writer, web: web.codes,
                    notices: web.recovery.notices, lifetimes: dependencies.lifetimes, clock: clock),
                web.deviceCodes,
                RefreshTokenGrant(
                    lookup: lookup, revocation: dependencies.revocation, writer: writer, answers: web.answers,
                    lifetimes: dependencies.lifetimes, usage: ServiceUsage(clock: clock),
                    limit: dependencies.accountLimit),
                TokenExchangeGrant(check: check, assertions: assertions, clock: clock),
            ], check: check, proofs: proofs, clients: parts.clients)
        challenge = LoginChallenge(
            issuer: issuer, store: store, keys: keys, oneTime: dependencies.oneTime, login: parts.login,
            factors: parts.factors,
            lifetimes: dependencies.lifetimes, clock: clock, randomness: parts.randomness)
        parties = IntrospectionAccess(check: check, clients: parts.clients, index: index, database: store.database)
        serviceAuthentication = ServiceAuthentication(
            check: check, clients: parts.clients, index: index, database: store.database)
        introspection = IntrospectToken(lookup, names: dependencies.names, clock: clock)
        revocation = RevokeToken(lookup, revocation: dependencies.revocation)
        ownService = OwnService(
            database: store.database, clients: WebClientStore(clock: clock, randomness: parts.randomness),
            policies: parts.policies, clock: clock)
        instances = OwnInstances(database: store.database, revocation: dependencies.revocation, clock: clock)
        discovery = parts.discovery ?? ProtocolQuery(database: store.database)
        signedDiscovery = SignedDiscovery(issuer: issuer, keys: keys, clock: clock)
        metadata = ServerMetadata(
            issuer: issuer, grants: tokens.grantTypes, signing: keys.algorithms,
            takesCertificates: parts.takesCertificates)
        federation = OpenIDFederation(
            issuer: issuer,
            roles: [
                "openid_provider": metadata.openIDProvider, "oauth_authorization_server": metadata.authorizationServer,
            ],
            keys: keys, database: store.database, listing: parts.listing, clock: clock)
        listing = ListingAccess(parts.listing, clients: parts.clients) { [check] in try await check.holder($0) != nil }
        crawlRequests = CrawlRequests(clock: clock)
    }

    /// A personal access token shown with proof: what almost every endpoint of the IdP wants.
    public func person(_ request: PresentedRequest) async throws -> AuthenticatedToken {
        try await check.require([.personalAccessToken], request)
    }
}
