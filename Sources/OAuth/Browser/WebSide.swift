import Accounts
import Base
import Database
import Federation
import Foundation
import Registration
import TokenTree
import Vocabulary

/// Everything behind the browser: the flows of web clients and of the person's own pages.
public final class WebSide: Sendable {
    public let issuer: String
    public let authorize: AuthorizeEndpoint
    public let pushed: PushedRequests
    public let login: BrowserLogin
    public let logout: EndSession
    public let account: OwnAccount
    public let tree: AccountTree
    public let activity: AccountActivity
    public let devices: DeviceAuthorization
    public let userInfo: UserInfo
    /// Logins under way by methods that take their time, and what came of all logins.
    public let attempts: LoginAttemptStore
    public let events: AuthenticationEvents
    /// Whether a login may ring a phone.
    public let pushes: PushAllowance
    /// How much strangers may begin.
    public let pace: AnonymousRateLimit
    /// Forgotten passwords, addresses, and what people are told by mail.
    public let recovery: AccountRecovery
    /// The second factors of this IdP.
    public let factors: [SecondFactor]
    public let lifetimes: Lifetimes
    let subjects: SubjectName
    let requests: AuthorizationRequestStore
    let answers: WebTokenAnswer
    let codes: WebCodeGrant
    let deviceCodes: DeviceCodeGrant

    init(
        _ parts: AuthorizationServer.Services, on dependencies: ServiceRole.Dependencies, writer: AccessTokenWriter,
        profile: UserProfile, proofs: ProofOfPossession
    ) {
        let (issuer, store, clock, database, keys) = (
            dependencies.issuer, dependencies.store, dependencies.clock, dependencies.store.database, dependencies.keys
        )
        let recovery = AccountRecovery(parts, on: dependencies, queue: parts.mail)
        self.recovery = recovery
        let clients = WebClientStore(clock: clock, randomness: parts.randomness),
            subjects = SubjectName(names: dependencies.names)
        let requests = AuthorizationRequestStore(database: database, clock: clock, randomness: parts.randomness)
        let consents = ConsentStore(clients: clients, clock: clock), sessions = SessionStore(clock: clock),
            accounts = AccountStore(clock: clock)
        let objects = RequestObject(clients: parts.clients, issuer: issuer, clock: clock)
        let attempts = LoginAttemptStore(database: database, clock: clock, randomness: parts.randomness),
            events = AuthenticationEvents(clock: clock)
        let pushes = PushAllowance(database: database, clock: clock)
        (self.attempts, self.events, self.pushes, factors) = (attempts, events, pushes, parts.factors)
        let pace = AnonymousRateLimit(clock: clock)
        self.pace = pace
        let answers = WebTokenAnswer(
            writer: writer, idTokens: IDToken(issuer: issuer, keys: keys, clock: clock), accounts: accounts,
            consents: consents)
        self.answers = answers
        lifetimes = dependencies.lifetimes
        (self.issuer, self.subjects, self.requests) = (issuer, subjects, requests)
        let codes = IssueCode(
            database: database, store: store, requests: requests, consents: consents, subjects: subjects,
            index: ServiceIndex(clock: clock),
            lifetimes: dependencies.lifetimes, clock: clock, randomness: parts.randomness)
        authorize = AuthorizeEndpoint(
            database: database, issuer: issuer, clients: clients, requests: requests, objects: objects, keys: keys,
            consents: consents,
            subjects: subjects, codes: codes, factors: parts.factors, clock: clock)
        pushed = PushedRequests(
            clients: parts.clients, objects: objects, requests: requests, proofs: proofs, pace: pace, issuer: issuer)
        login = BrowserLogin(
            database: database, store: store, revocation: dependencies.revocation, passwords: parts.login,
            sessions: sessions,
            accounts: accounts, events: events, attempts: attempts, pushes: pushes, notices: recovery.notices,
            clock: clock,
            randomness: parts.randomness)
        logout = EndSession(
            issuer: issuer, database: database, clients: clients, keys: keys, revocation: dependencies.revocation)
        account = OwnAccount(
            database: database, instances: InstanceStore(clock: clock), consents: consents, sessions: sessions,
            accounts: accounts, passwords: parts.login,
            hasher: parts.hasher, rule: parts.passwordRule,
            change: ChangePassword(store: store, revocation: dependencies.revocation, clock: clock),
            notices: recovery.notices, revocation: dependencies.revocation, clock: clock)
        tree = AccountTree(
            issuer: issuer, database: database, names: dependencies.names, own: account,
            revocation: dependencies.revocation, clock: clock)
        activity = AccountActivity(
            database: database, names: dependencies.names, own: account,
            factors: parts.factorActions)
        devices = DeviceAuthorization(
            issuer: issuer, database: database, store: store, authentication: parts.clients, clients: clients,
            consents: consents, attempts: AttemptLimit(clock: clock), pace: pace, clock: clock,
            randomness: parts.randomness)
        userInfo = UserInfo(
            issuer: issuer, database: database, clients: clients, consents: consents, profile: profile, keys: keys,
            clock: clock)
        self.codes = WebCodeGrant(
            realm: Realm(id: "idp", base: issuer), store: store, revocation: dependencies.revocation,
            accounts: accounts, clients: clients,
            index: ServiceIndex(clock: clock), answers: answers, usage: ServiceUsage(clock: clock),
            lifetimes: dependencies.lifetimes)
        deviceCodes = DeviceCodeGrant(
            store: store, accounts: accounts, clients: clients, consents: consents, answers: answers,
            lifetimes: dependencies.lifetimes, clock: clock)
    }

    /// The device flow's decision, under the name that the client will know the person by. Throws where a yes needs a
    /// second factor first, see `detour`.
    public func decide(
        _ waiting: DeviceAuthorization.Waiting, allow: Bool, _ session: BrowserSession, _ context: BrowserSessionContext
    ) async throws -> Bool {
        if allow, try await detour(session, to: "/device") != nil {
            throw OAuthError(
                .unmetAuthentication, "this account asks for a second factor: show it first, then enter the code again")
        }
        return try await devices.decide(waiting, allow: allow, subject: subjects, session, context)
    }

    /// Where a person whose account asks for a second factor goes, with a session that lacks one, before a page of
    /// ours: to show it and come back to `place`, or to enrol one. `nil` when nothing is missing.
    public func detour(_ session: BrowserSession, to place: String) async throws -> String? {
        guard let demand = FactorDemand(session.account, levels: [], of: factors), !demand.isMet(by: session) else {
            return nil
        }
        switch try await demand.step(session, in: login.database) {
        case .show(let factor): return "\(issuer)\(factor.page)?return_to=\(FormCodec.encode(place))"
        case .password: return "\(issuer)/login?return_to=\(FormCodec.encode(place))&again=1"
        case .nothing: break
        }
        guard let page = demand.fitting.lazy.compactMap(\.enrollmentPage).first else {
            throw OAuthError(
                .unmetAuthentication,
                "this account asks for a second factor, and none can be shown in a browser here yet")
        }
        return issuer + page
    }

    /// What a consent page lists: scopes, and the values that would be told under each; last, without a scope, single
    /// claims.
    public func lines(
        _ scope: Scope, single: [String], client: WebClient, person: Account
    ) -> [PromisedClaims] {
        let release = ClaimsRelease(client: client)
        func told(_ names: [String]) -> [PromisedClaims.Claim] {
            names.map { name in
                let value = person.claim(name)
                return .init(name: name, values: value?.strings ?? [value?.string].compactMap(\.self))
            }
        }
        var lines: [PromisedClaims] = [], covered: Set<String> = []
        for name in scope.names {
            let names = release.names(Scope(names: [name])).filter { ClaimsRelease.byScope[name]?.contains($0) == true }
            covered.formUnion(names)
            lines.append(PromisedClaims(scope: name, claims: told(names)))
        }
        let more = release.names(scope, single).filter { !covered.contains($0) }
        if !more.isEmpty { lines.append(PromisedClaims(scope: nil, claims: told(more))) }
        return lines
    }

    /// Rows that nobody waits for any more.
    public func forget() async throws {
        try await requests.forget()
        try await devices.forget()
        try await attempts.forget()
        try await recovery.forget()
        try await account.sessions.forget(in: account.database)
        try await tree.disclosures.forget(in: account.database)
    }
}
