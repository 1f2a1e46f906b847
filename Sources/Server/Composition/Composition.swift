import Accounts
import Administration
import AsyncHTTPClient
import Base
import Console
import Crawler
import Database
import Federation
import Foundation
import HTTP
import IdentityProvider
import Keys
import Logging
import OAuth
import Registration
import TokenTree
import Traces

/// Builds everything, once. No other place of the server constructs a room's parts from settings.
public final class Composition: Sendable {
    public let settings: Settings
    public let logger: Logger
    public let clock: WallClock
    let databaseClock: DatabaseClock
    public let randomness: Randomness
    public let database: Database
    public let replica: ReadReplica?
    public let partitions: PartitionKeeper
    public let store: TokenStore
    let oneTime: OneTimeStore
    public let keys: SigningKeys
    /// Begun when this process is about to stop.
    public let drain = Drain()
    public let names: PairwiseNames
    public let outbox: Outbox
    public let streams: EventStreams
    public let revocation: Revocation
    let registration: InstanceRegistration
    public let hasher: PasswordHasher
    public let passwordRule: PasswordRule
    let lifetimes: Lifetimes
    public let nonces: ServerNonce
    public let discovery: ProtocolQuery
    public let crawler: Crawler
    public let eventSender: EventSender
    public let hearingProbe: HearingProbe
    public let eventHeartbeats: EventHeartbeats
    let eventMetrics: EventMetrics
    public let eventPurge: EventPurge
    public let treePurge: TreePurge
    public let growth: GrowthPurge?
    public let auditChain: AuditChain
    public let auditPurge: AuditPurge
    public let logoutSender: LogoutSender
    /// What this process serves, in the order of its endpoints.
    public let services: [HostedService]
    /// In the processes that run the role; `nil` elsewhere.
    public let idp: AuthorizationServer?
    public let clients: ClientAuthentication
    let requestLimits: RequestLimits
    /// Shared by all listeners of this process.
    let connections: ConnectionLimit
    /// People as directories provision them.
    public let directory: DirectoryAccounts
    /// What the administration API and the console do; `nil` where this process has neither.
    public let administration: AdminCatalog?
    /// Seals what the administration API answers again.
    private let answers: MasterKey

    /// `database` is migrated already: the sealed keys are read from it. `isServing`: this process runs workers, so it
    /// reads the files that the settings name. What else can be handed in is read or made from the settings otherwise:
    /// tests have no files, no network, and keys that end when they say.
    public init(
        _ settings: Settings, database: Database, logger: Logger, isServing: Bool = true, clock: WallClock = .system,
        databaseClock: DatabaseClock = .ofServer,
        randomness: Randomness = .system,
        secrets: Secrets? = nil, signing: SigningKeys.Settings? = nil, http: OutgoingHTTP? = nil,
        administration: AdminCatalog? = nil
    ) async throws {
        (self.settings, self.database, self.logger, self.clock, self.randomness) = (
            settings, database, logger, clock, randomness
        )
        (self.administration, self.databaseClock) = (administration, databaseClock)
        replica = settings.replica?.replica(
            of: database, connections: settings.databaseConnections, isServing: isServing, logger: logger)
        let secrets =
            if let secrets { secrets } else {
                try await Secrets.opened(
                    by: try settings.masterKey(), in: database, clock: clock, randomness: randomness)
            }
        answers = try MasterKey(secrets.answers)
        let master = secrets.master, signing = signing ?? SigningKeys.Settings(algorithms: settings.signingAlgorithms)
        let http = if let http { http } else { try Peers.outgoing(settings) }
        partitions = PartitionKeeper(
            database: database, clock: clock, databaseClock: databaseClock, logger: logger)
        let keys = SigningKeys(
            database: database, masterKey: master, settings: signing, clock: clock, randomness: randomness,
            logger: logger)
        self.keys = keys
        store = TokenStore(
            database: database, refreshKey: secrets.refreshTokens, partitions: partitions, clock: clock,
            randomness: randomness, replica: replica,
            signer: { try await keys.signer(certain: $0, in: $1) })
        oneTime = OneTimeStore(database: database, partitions: partitions)
        let names = PairwiseNames(key: secrets.pairwiseNames)
        let outbox = Outbox(names: names, clock: clock, randomness: randomness)
        (self.names, self.outbox) = (names, outbox)
        let streams = EventStreams(
            database: database, issuer: settings.root, outbox: outbox,
            secrets: SealedSecrets(master: master, clock: clock, randomness: randomness), clock: clock,
            randomness: randomness)
        self.streams = streams
        let ended: Revocation.Ending = { ancestor, executor in
            try await LogoutQueue(clock: clock).ended(ancestor, in: executor)
            for product in settings.products { try await product.revoked?(ancestor, clock, executor) }
        }
        revocation = Revocation(
            store: store, ended: ended,
            predating: { try await EarlierUses.tokens(of: $0, at: clock.now(), in: $1) }
        ) { node, services, executor in
            try await outbox.ended(node, services: services, in: executor)
        }
        nonces = ServerNonce(key: secrets.proofNonces, demand: settings.proofNonces, clock: clock)
        let lifetimes = settings.lifetimes
        self.lifetimes = lifetimes
        registration = InstanceRegistration(
            store: store, revocation: revocation, oneTime: oneTime, issuer: settings.root,
            lifetime: lifetimes.instanceToken,
            announceMove: { try await outbox.moved($0, from: $1, to: $2, services: $3, in: $4) }, clock: clock,
            randomness: randomness)
        hasher = PasswordHasher(randomness: randomness, threads: settings.limits.hashes)
        passwordRule = PasswordRule(serviceNames: settings.names) {
            try CommonPasswords(file: settings.commonPasswordsFile)
        }
        discovery = ProtocolQuery(database: database, replica: replica, of: settings.elsewhere == nil ? .index : .copy)
        crawler = Crawler(
            database: database, settings: try CrawlerSettings(settings, version: Version.text), clock: clock,
            databaseClock: databaseClock, logger: logger)
        let events = settings.events
        let pushEvent: EventSender.Push = { url, body in
            let answer = try await http.push(body, url, "application/secevent+jwt")
            return (answer.status, answer.body)
        }
        eventSender = EventSender(
            database: database, keys: keys, issuer: settings.root, patience: events.patience, pace: events.pace,
            streams: StreamCourses(streams, keys: keys, names: names, push: http.streamPush), push: pushEvent,
            call: { url, form in
                let receipt = try await http.form(form, url)
                return CallAnswer(status: receipt.status, retryAfter: receipt.retryAfter.map { TimeInterval($0) })
            }, clock: clock, databaseClock: databaseClock, randomness: randomness, logger: logger)
        hearingProbe = HearingProbe(
            database: database, keys: keys, issuer: settings.root, push: pushEvent, clock: clock,
            randomness: randomness, logger: logger)
        eventHeartbeats = EventHeartbeats(
            database: database, keys: keys, issuer: settings.root, interval: events.heartbeat, push: pushEvent,
            clock: clock, randomness: randomness, logger: logger)
        eventMetrics = EventMetrics(database: database, clock: clock)
        let eventPurge = EventPurge(database: database, kept: events.kept, patience: events.patience, clock: clock)
        let treePurge = TreePurge(database: database, clock: clock, databaseClock: databaseClock)
        (self.eventPurge, self.treePurge) = (eventPurge, treePurge)
        auditChain = AuditChain(database: database, clock: clock)
        auditPurge = AuditPurge(database: database, kept: settings.auditKept, clock: clock)
        logoutSender = LogoutSender(
            database: database, keys: keys, issuer: settings.root,
            post: { try await http.push($1, $0, "application/x-www-form-urlencoded").status },
            clock: clock, randomness: randomness, logger: logger)
        // One cache of other issuers' and clients' keys, whoever asks.
        let remoteKeys = RemoteKeys(fetch: { try await http.fetch($0) }, clock: clock)
        let policies = AppPolicyStore(revocation: revocation, outbox: outbox)
        let elsewhere =
            try isServing
            ? settings.elsewhere?.services(settings.roles.map(\.name), policies: policies, clock: clock, http: http)
            : nil
        let limits = settings.limits, tally = RefusalTally(logger: logger, clock: clock)
        let dependencies = ServiceRole.Dependencies(
            issuer: settings.elsewhere?.root ?? settings.root, store: store, revocation: revocation, oneTime: oneTime,
            keys: keys, remoteKeys: remoteKeys, names: names, lifetimes: lifetimes, clock: clock, nonces: nonces,
            failClosed: events.failClosed, elsewhere: elsewhere ?? [:],
            accountLimit: limits.accounts(tally, clock: clock))
        requestLimits = limits.requests(tally, clock: clock)
        connections = limits.connections(tally, proxies: settings.transport.proxies)
        clients = ClientAuthentication(
            database: database, oneTime: oneTime, remoteKeys: remoteKeys, issuer: settings.root, clock: clock,
            randomness: randomness, limits: limits.clients(tally, clock: clock))
        let index = PublishedIndex(
            query: discovery, signer: SignedDiscovery(issuer: settings.root, keys: keys, clock: clock),
            listing: settings.listing, copyInterval: settings.elsewhere?.listInterval ?? 10)
        let context = Product.Context(
            issuer: settings.issuer, version: Version.text, allowsLoopback: settings.allowsLoopbackServices,
            dependencies: dependencies,
            clients: clients, index: index, store: store, revocation: revocation, oneTime: oneTime, master: master,
            http: isServing ? http : nil, outgoing: http, hasher: hasher,
            clock: clock, randomness: randomness, logger: logger)
        var products: [HostedService] = []
        for product in settings.products {
            let isServed = settings.roles.contains(Settings.Role(product.name)), logsIn = settings.logsIn(with: product)
            if let service = try await product.service(context, isServed: isServed, logsIn: logsIn) {
                products.append(service)
            }
        }
        let removal = AccountRemoval(
            revocation: revocation,
            parts: settings.products.compactMap(\.accountDeletion).map(AccountRemoval.Part.init), clock: clock)
        guard settings.roles.contains(.idp) else {
            (idp, growth) = (nil, nil)
            services = products + (settings.elsewhere == nil ? [] : [.elsewhere(keys, housekeeping: treePurge.forget)])
            directory = DirectoryAccounts(
                store: store, revocation: revocation, removal: removal, hasher: hasher, rule: passwordRule,
                notices: nil, clock: clock)
            return
        }
        let mail = try MailQueue(isOn: settings.mail != nil, key: secrets.recovery, clock: clock)
        let others = products.compactMap(\.login), hashing = try MasterKey(secrets.recovery).derive("recovery codes")
        let codes = RecoveryCodes(
            database: database, key: hashing, others: others.flatMap(\.factors), clock: clock, randomness: randomness)
        let logins = others + [.recovery(others.allSatisfy(\.factors.isEmpty) ? nil : codes, hasMail: mail.isOn)]
        let login = PasswordLogin(
            database: database, hasher: hasher, clock: clock, directories: products.compactMap(\.passwords),
            open: store.openPassword)
        let idp = AuthorizationServer(
            .init(
                registration: registration, clients: clients, login: login, hasher: hasher, passwordRule: passwordRule,
                randomness: randomness, policies: policies,
                takesCertificates: settings.transport.takesCertificates, discovery: discovery,
                factors: logins.flatMap(\.factors), listing: settings.listing, mail: mail,
                factorActions: Set(settings.products.map(\.name) + logins.flatMap(\.factors).map(\.name)),
                removals: others.compactMap(\.elsewhere).first.map { [LoginElsewhere.way: $0.remove] } ?? [:]),
            on: dependencies)
        let registrations = RegisterClient(
            database: database, revocation: revocation, issuer: settings.root, algorithms: signing.algorithms,
            allowsLoopback: settings.allowsLoopbackServices, fetch: { try await http.fetch($0) }, clock: clock,
            randomness: randomness)
        let polls = EventPolls(
            database: database, keys: keys, issuer: settings.root, heartbeat: events.heartbeat, clock: clock,
            randomness: randomness)
        self.idp = idp
        directory = DirectoryAccounts(
            store: store, revocation: revocation, removal: removal, hasher: hasher, rule: passwordRule,
            notices: idp.web.recovery.notices, clock: clock)
        let data = PersonalData(
            database: database, held: settings.products.flatMap(\.held),
            deletion: DeleteOwnAccount(
                settings.accountDeletion, store: store, passwords: login, factors: logins.flatMap(\.factors),
                removal: removal, clock: clock), clock: clock)
        let proposals: @Sendable () async throws -> Void = {
            try await ServiceProposalStore(clock: clock, randomness: randomness).forget(in: database)
        }
        let growth = GrowthPurge(
            settings.growth, database: database, revocation: revocation, registrations: registrations,
            notices: idp.web.recovery.notices, clock: clock, databaseClock: databaseClock)
        self.growth = growth
        let mailing = try isServing ? settings.mail?.sending() : nil
        let worker = mailing.map {
            MailWorker(
                idp.web.recovery, $0, issuer: settings.root, brand: settings.brand, database: database, clock: clock,
                logger: logger)
        }
        services =
            [
                .identityProvider(
                    idp, logins: logins, data: data, registrations: registrations, crawler: crawler.health,
                    services: products.compactMap { $0.role?.profile },
                    knownServices: { [settings] in
                        guard settings.listing == .public else { return [] }
                        return try await ServiceIndex(clock: clock).list(
                            status: .active, offering: nil, after: nil, limit: 24, in: database)
                    }, database: database, polls: polls,
                    signals: StreamPolls(polls, streams, keys: keys, names: names),
                    purges: [eventPurge.forget, treePurge.forget, proposals, growth.forget], mail: worker)
            ] + products
    }

    /// What a product's commands and tests work with; `nil` where this process needs nothing of it.
    public func product<Model>(_ type: Model.Type) -> Model? { services.lazy.compactMap { $0.model as? Model }.first }

    /// All that this process serves: the console works on what is composed, so it comes last.
    var hosted: [HostedService] {
        guard let administration, let idp else { return services }
        return services + [
            .console(
                administration, idp, answers: answers, session: { self.administrationSession(by: $0, who: $1) })
        ]
    }

    /// What a command of `pando admin` works with, run by `actor`, who may do what `authority` says.
    public func administrationSession(by actor: AuditActor, who authority: AdminAuthority) -> AdminSession {
        AdminSession(
            store: store, revocation: revocation, models: services.compactMap(\.model) + [self, directory],
            actor: actor, authority: authority, stepUpAge: settings.administration.stepUpAge, clock: clock,
            randomness: randomness, replica: replica)
    }

    /// The surface of this process. `traces`: by which requests are traced; `nil` where none is.
    public func routes(traces: TraceRecorder? = nil) -> RouteTable {
        RouteTable(
            root: settings.root, services: hosted, database: database, proxies: settings.transport.proxies,
            nonces: nonces, brand: settings.brand, drain: drain, limits: requestLimits,
            accessLog: settings.requestLog(clock), traces: traces, clock: clock)
    }
}
