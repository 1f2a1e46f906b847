import Base
import Database
import HTTP
import Keys
import Logging
import OAuth
import TokenTree

/// What the flows of login at institutions' providers share.
final class UpstreamService: Sendable {
    let issuer: String
    let database: Database
    let providers: ProviderStore
    let links: LinkStore
    let linking: AccountLinking
    let discovery: ProviderDiscovery
    let exchange: ProviderExchange
    let remoteKeys: RemoteKeys
    let oneTime: OneTimeStore
    let revocation: Revocation
    let secrets: LoginSecrets
    let allowsLoopback: Bool
    let clock: WallClock
    let logger: Logger

    init(_ context: Product.Context) {
        let dependencies = context.dependencies, http = context.outgoing, hasher = context.hasher
        (issuer, database, clock, logger) = (context.root, context.database, context.clock, context.logger)
        providers = ProviderStore(master: context.master, clock: context.clock)
        links = LinkStore(clock: context.clock)
        linking = AccountLinking(
            clock: context.clock, randomness: context.randomness, hash: { try await hasher.hash($0) })
        discovery = ProviderDiscovery(
            exchange: { try await http.exchange($0) }, allowsLoopback: context.allowsLoopback, clock: context.clock)
        exchange = ProviderExchange(
            issuer: context.root, store: providers, keys: dependencies.keys, clock: context.clock,
            randomness: context.randomness, send: { try await http.exchange($0) })
        (remoteKeys, oneTime, revocation) = (dependencies.remoteKeys, context.oneTime, context.revocation)
        secrets = LoginSecrets(context.master)
        allowsLoopback = context.allowsLoopback
    }

    /// One that people may log in at now.
    func open(_ id: String) async throws -> UpstreamProvider? {
        try await providers.find(id, in: database).flatMap { $0.isEnabled ? $0 : nil }
    }

    /// Whether a provider signed it, by an algorithm that it named, and its time has come (`nbf`); its keys are those
    /// that it publishes.
    func verify(_ jwt: JWT, of metadata: ProviderMetadata) async throws {
        guard let algorithm = SigningAlgorithm(rawValue: jwt.algorithm),
            metadata.algorithms.contains(where: { $0.isSame(as: algorithm) })
        else { throw UpstreamRefusal.invalid("alg") }
        guard jwt.hasBegun(at: clock.now()) else { throw UpstreamRefusal.invalid("nbf") }
        let keys: [JSONWebKey]
        do {
            keys = try await remoteKeys.key(kid: jwt.kid, algorithm: jwt.algorithm, from: metadata.jwksURI)
        } catch is RemoteKeys.Unreachable {
            throw UpstreamRefusal.unreachable("jwks")
        }
        guard keys.contains(where: { jwt.isSigned(by: $0) }) else { throw UpstreamRefusal.invalid("signature") }
    }

    /// Takes a link away, and ends whoever came in by it, but for the session that is spared.
    func unlink(
        _ link: UpstreamLink, by actor: AuditActor, sparing spared: String? = nil, in transaction: any SQLExecutor
    ) async throws {
        let sessions = try await links.sessions(
            at: link.provider, subject: link.subject, sid: nil, in: transaction)
        try await links.remove(link, in: transaction)
        for session in sessions where session != spared {
            try await revocation.revoke(.virtual(Ancestor(.session, session)), by: actor, in: transaction)
        }
        try await UpstreamAudit.write(
            "upstream.unlink", actor, link.provider, link.account, at: clock.now(), in: transaction)
    }

    /// Tells the log which check it was; gives the refusal back.
    func noted(_ refusal: UpstreamRefusal, _ provider: String) -> UpstreamRefusal {
        logger.info(
            "a login at an institution came to nothing",
            metadata: ["provider": "\(provider)", "kind": "\(refusal.kind.rawValue)", "check": "\(refusal.check)"])
        return refusal
    }
}
