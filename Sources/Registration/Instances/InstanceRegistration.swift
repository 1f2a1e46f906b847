import Base
import Database
import Foundation
import Keys
import TokenTree
import Vocabulary

/// An instance, just made or just upgraded: its `client_id` and its token.
public struct RegisteredInstance: Sendable {
    public let id: String
    public let token: IssuedToken
    /// Around the writing of the answer, where the token was rotated: `RefreshFamily.sending`.
    public var sending: TokenResponse.Sending?
}

/// Registration of an app instance by its version's key, and its move to a newer version (protocols/eduid.md, 3.2;
/// api.md).
public final class InstanceRegistration: Sendable {
    /// Tells services that an instance has moved: node, old and new version.
    public typealias MoveAnnouncement =
        @Sendable (_ node: NodeID, _ from: NodeID, _ to: NodeID, _ services: [String], any SQLExecutor) async throws ->
        Void

    let store: TokenStore
    let revocation: Revocation
    let oneTime: OneTimeStore
    let issuer: String
    let lifetime: TimeInterval
    let announceMove: MoveAnnouncement
    let apps: AppStore
    let instances: InstanceStore
    let clock: WallClock
    let randomness: Randomness
    /// As they were when they were last read. Nobody is refused by what they say, and who is let in by it is asked for
    /// once more by the statement that issues.
    private let versions = BoundedMemory<String, AppVersion>(most: 1_000)

    public init(
        store: TokenStore, revocation: Revocation, oneTime: OneTimeStore, issuer: String, lifetime: TimeInterval,
        announceMove: @escaping MoveAnnouncement, clock: WallClock, randomness: Randomness
    ) {
        (self.store, self.revocation, self.oneTime, self.issuer, self.lifetime) = (
            store, revocation, oneTime, issuer, lifetime
        )
        (self.announceMove, self.clock, self.randomness) = (announceMove, clock, randomness)
        (apps, instances) = (AppStore(clock: clock), InstanceStore(clock: clock))
    }

    /// Whether `iss` names an app version: then the assertion is a registration, otherwise a web client's
    /// authentication.
    public func version(of jwt: JWT) async throws -> AppVersion? {
        guard let issuer = jwt.string("iss") else { return nil }
        return if let known = versions[issuer] { known } else { try await current(issuer) }
    }

    private func current(_ id: String) async throws -> AppVersion? {
        let version = try await apps.version(id, in: store.database)
        versions[id] = version
        return version
    }

    /// A new instance. `jkt` is the key of a proof that came along; none is needed, but one by another key is refused.
    public func register(
        _ jwt: JWT, version: AppVersion, jkt: String?, actor: AuditActor
    ) async throws -> RegisteredInstance {
        if let made = try await together(jwt, version: version, jkt: jkt) { return made }
        guard let version = try await current(version.id) else {
            throw ClientAssertion.refused("this version of the app is not known")
        }
        // A version that is revoked, not refused, at this moment closes its generation: the next try opens another.
        for _ in 0..<2 {
            do { return try await attempt(jwt, version: version, jkt: jkt, actor: actor) } catch is AncestorRevoked {
                continue
            }
        }
        return try await attempt(jwt, version: version, jkt: jkt, actor: actor)
    }

    /// In one round trip, with whatever else is issued at that time, where nothing speaks against it: an allowed
    /// version, a device and a key that are not blocked, and a key that nobody holds. `nil` where something does, or
    /// may; then nothing was written, and `attempt` tells what.
    ///
    /// No live instance has a key that is no open ancestor, so there is none to replace. Of two that register one key
    /// at once, the second opens it in vain, and all of its statement is undone.
    private func together(_ jwt: JWT, version: AppVersion, jkt: String?) async throws -> RegisteredInstance? {
        guard version.isAllowed,
            let claims = try? await InstanceAssertion(
                jwt, version: version, issuer: issuer, isFirst: true, at: clock.now()),
            jkt == nil || jkt == claims.key.thumbprint
        else { return nil }
        let id = randomness.identifier(), key = claims.key.thumbprint, device = claims.deviceID
        let instance = FreshAncestor(Ancestor(.instance, id), randomness: randomness)
        let holder = FreshAncestor(Ancestor(.key, key), randomness: randomness)
        let condition: SQL = """
            \(version.isUnchanged) and \(BlockStore.isAdmitted(device: device, key: key)) and \(holder.isUnopened)
            """
        do {
            let token = try await store.issue(below: [.epoch, .init(.version, version.id)]) { above in
                TokenDraft(
                    body(id, version: version, claims: claims, anchor: instance.generation), inherited: [],
                    added: above, lifetime: lifetime, refresh: .init(), condition: condition,
                    beside: instances.insertion(id, version: version, claims: claims),
                    using: identifier(claims, version: version), opening: [instance, holder],
                    holding: [AppStore.statusNode(app: version.app), AppStore.statusNode(version.id)]
                        + BlockStore.nodes(device: device, key: key))
            }
            return RegisteredInstance(id: id, token: token)
        } catch is ConditionFailed, is AlreadyUsed, is AncestorRevoked {
            return nil
        }
    }

    private func attempt(
        _ jwt: JWT, version: AppVersion, jkt: String?, actor: AuditActor
    ) async throws -> RegisteredInstance {
        let claims = try await InstanceAssertion(
            jwt, version: version, issuer: issuer, isFirst: true, at: clock.now())
        guard jkt == nil || jkt == claims.key.thumbprint else {
            throw OAuthError(.invalidProof, "the DPoP proof must be by the key in cnf.jwk")
        }
        return try await store.database.atomically { transaction in
            let id = randomness.identifier(), key = claims.key.thumbprint
            let ancestors = [Ancestor.epoch, .init(.version, version.id), .init(.instance, id), .init(.key, key)]
            // One at a time for one app, device and key, so that each sees the one before and replaces it.
            let name = "register \(version.app) \(claims.deviceID) \(key)"
            let begun = try await oneTime.batch(
                [
                    "select pg_advisory_xact_lock(\(NodeID(digestOf: name).lockNumber))",
                    useOnce(claims, version: version), store.opening(ancestors),
                ], in: transaction)
            try requireFirst(begun[1])
            let lineage = try await store.opened(ancestors, begun[2], in: transaction)
            let twins = try await admit(
                claims, version: version,
                asking: InstanceStore.twins(app: version.app, device: claims.deviceID, key: key), in: transaction)
            let token = try await store.issue(
                TokenDraft(
                    body(id, version: version, claims: claims, anchor: lineage[2]), inherited: lineage,
                    lifetime: lifetime, refresh: .init()), in: transaction)
            try await instances.insert(id, version: version, claims: claims, below: token.row, in: transaction)
            for twin in twins {
                try await revocation.revoke(
                    .virtual(Ancestor(.instance, try twin("id"))), by: actor.because("registered again"),
                    in: transaction)
            }
            return RegisteredInstance(id: id, token: token)
        }
    }

    /// The same instance, the same children, under a newer version (token-tree.md, rule 8). `holder` is its live
    /// instance token, shown with proof.
    public func upgrade(_ jwt: JWT, version known: AppVersion, holder: TokenRow) async throws -> RegisteredInstance {
        guard let version = try await current(known.id) else {
            throw ClientAssertion.refused("this version of the app is not known")
        }
        let claims = try await InstanceAssertion(
            jwt, version: version, issuer: issuer, isFirst: false, at: clock.now())
        guard let id = holder.body.client else { throw ClientAssertion.refused("the token shown is not an instance's") }
        let families = RefreshFamily(store: store)
        var upgraded = try await store.database.atomically { transaction in
            let ancestors = [Ancestor(.version, version.id)]
            let begun = try await oneTime.batch(
                [useOnce(claims, version: version), store.opening(ancestors)], in: transaction)
            try requireFirst(begun[0])
            let opened = try await store.opened(ancestors, begun[1], in: transaction)
            // Both versions are held, root first, before anything is looked at: a revocation of either waits, or is
            // seen.
            guard let before = try await instances.find(id, in: transaction) else {
                throw ClientAssertion.refused("the instance is no longer registered")
            }
            try await store.hold([before.lineage[0], before.lineage[1], opened[0]], in: transaction)
            guard let instance = try await instances.lock(id, in: transaction), !instance.isRevoked,
                instance.lineage == before.lineage,
                let current = try await apps.version(instance.versionID, in: transaction)
            else { throw ClientAssertion.refused("the instance is no longer registered") }
            guard current.app == version.app, version.ordinal > current.ordinal else {
                throw ClientAssertion.refused("\(version.id) is not newer than \(current.id), which is registered")
            }
            guard claims.key.thumbprint == instance.thumbprint, claims.deviceID == instance.deviceID else {
                throw ClientAssertion.refused("an upgrade keeps device id and key; register anew instead")
            }
            try await admit(claims, version: version, in: transaction)
            let (old, new) = (instance.lineage[1], opened[0])
            let services = try await revocation.move(anchor: instance.anchor, from: old, to: new, in: transaction)
            try await instances.move(
                id, to: version, device: claims.device, lineage: instance.lineage.map { $0 == old ? new : $0 },
                in: transaction)
            if !services.isEmpty { try await announceMove(instance.anchor, old, new, services, transaction) }
            let token = try await families.advance(holder.family, lifetime: lifetime, in: transaction)
            guard let moved = try await instances.find(id, in: transaction), !moved.isRevoked else {
                throw AncestorRevoked()
            }
            return RegisteredInstance(id: moved.id, token: token)
        }
        upgraded.sending = families.sending(upgraded.token)
        return upgraded
    }

    private func useOnce(_ claims: InstanceAssertion, version: AppVersion) -> SQL {
        oneTime.claiming(claims.jti, namespace: namespace(version), expires: claims.expires)
    }

    private func identifier(_ claims: InstanceAssertion, version: AppVersion) -> NodeID {
        NodeID(oneTime: claims.jti, namespace: namespace(version), expires: claims.expires)
    }

    private func namespace(_ version: AppVersion) -> String { "client-assertion \(version.id)" }

    private func requireFirst(_ claimed: [Row]) throws {
        guard !claimed.isEmpty else {
            throw ClientAssertion.refused("it was used before; make a new one with a new jti")
        }
    }

    /// Read after the generations were opened: see Doc.swift. Gives the rows of a question that is asked with it.
    @discardableResult
    private func admit(
        _ claims: InstanceAssertion, version: AppVersion, asking question: SQL = "select where false",
        in transaction: any SQLExecutor
    ) async throws -> [Row] {
        let locked = AppStore.version(version.id, locking: true)
        let blocked = BlockStore.isBlocked(device: claims.deviceID, key: claims.key.thumbprint)
        let results = try await transaction.batch([locked] + blocked + [question])
        guard let now = try results[0].first.map({ try AppVersion($0) }), now.appStatus == .allowed else {
            throw ClientAssertion.refused("this app is refused; ask the federation's operator")
        }
        guard now.status == .allowed else {
            throw ClientAssertion.refused("this version of the app is refused; update the app")
        }
        guard results[2].isEmpty else {
            throw ClientAssertion.refused("this device is blocked; ask the federation's operator")
        }
        return results[3]
    }

    private func body(_ id: String, version: AppVersion, claims: InstanceAssertion, anchor: NodeID) -> TokenBody {
        TokenBody(
            realm: "idp", kind: .instanceToken, parent: nil, anchor: anchor, client: id, jkt: claims.key.thumbprint,
            claims: TokenClaims(app: version.app, key: claims.key.bare))
    }
}
