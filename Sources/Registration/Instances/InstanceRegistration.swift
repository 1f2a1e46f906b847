import Base
import Database
import Foundation
import Keys
import TokenTree
import Vocabulary

/// An instance with its token, just made or just upgraded.
public struct RegisteredInstance: Sendable {
    public let instance: AppInstance
    public let token: IssuedToken
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
    let blocks: BlockStore
    let clock: WallClock
    let randomness: Randomness

    public init(
        store: TokenStore, revocation: Revocation, oneTime: OneTimeStore, issuer: String, lifetime: TimeInterval,
        announceMove: @escaping MoveAnnouncement, clock: WallClock, randomness: Randomness
    ) {
        (self.store, self.revocation, self.oneTime, self.issuer, self.lifetime) = (
            store, revocation, oneTime, issuer, lifetime
        )
        (self.announceMove, self.clock, self.randomness) = (announceMove, clock, randomness)
        (apps, instances, blocks) = (AppStore(clock: clock), InstanceStore(clock: clock), BlockStore(clock: clock))
    }

    /// Whether `iss` names an app version: then the assertion is a registration, otherwise a web client's
    /// authentication.
    public func version(of jwt: JWT) async throws -> AppVersion? {
        guard let issuer = jwt.string("iss") else { return nil }
        return try await apps.version(issuer, in: store.database)
    }

    /// A new instance. `jkt` is the key of a proof that came along; none is needed, but one by another key is refused.
    public func register(
        _ jwt: JWT, version: AppVersion, jkt: String?, actor: AuditActor
    ) async throws -> RegisteredInstance {
        // A version that is revoked, not refused, at this moment closes its generation: the next try opens another.
        for _ in 0..<2 {
            do { return try await attempt(jwt, version: version, jkt: jkt, actor: actor) } catch is AncestorRevoked {
                continue
            }
        }
        return try await attempt(jwt, version: version, jkt: jkt, actor: actor)
    }

    private func attempt(
        _ jwt: JWT, version: AppVersion, jkt: String?, actor: AuditActor
    ) async throws -> RegisteredInstance {
        let claims = try await InstanceAssertion(jwt, version: version, issuer: issuer, at: clock.now())
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
                draft(id, version: version, claims: claims, lineage: lineage), in: transaction)
            // What its token hangs from, the signing key too: when that is revoked, the instance has ended.
            let instance = try await instances.insert(
                id, version: version, claims: claims, lineage: token.row.lineage.dropLast(), in: transaction)
            for twin in twins {
                try await revocation.revoke(
                    .virtual(Ancestor(.instance, try twin("id"))), by: actor.because("registered again"),
                    in: transaction)
            }
            return RegisteredInstance(instance: instance, token: token)
        }
    }

    /// The same instance, the same children, under a newer version (token-tree.md, rule 8). `holder` is its live
    /// instance token, shown with proof.
    public func upgrade(_ jwt: JWT, version: AppVersion, holder: TokenRow) async throws -> RegisteredInstance {
        let claims = try await InstanceAssertion(jwt, version: version, issuer: issuer, at: clock.now())
        guard let id = holder.body.client else { throw ClientAssertion.refused("the token shown is not an instance's") }
        let families = RefreshFamily(store: store)
        let upgraded = try await store.database.atomically { transaction in
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
            return RegisteredInstance(instance: moved, token: token)
        }
        try await families.note(answered: upgraded.token)
        return upgraded
    }

    private func useOnce(_ claims: InstanceAssertion, version: AppVersion) -> SQL {
        oneTime.claiming(claims.jti, namespace: "client-assertion \(version.id)", expires: claims.expires)
    }

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
        guard let now = try results[0].first.map({ try AppVersion($0) }), now.status == .allowed else {
            throw ClientAssertion.refused("this version of the app is refused; update the app")
        }
        guard results[2].isEmpty else {
            throw ClientAssertion.refused("this device is blocked; ask the federation's operator")
        }
        return results[3]
    }

    private func draft(_ id: String, version: AppVersion, claims: InstanceAssertion, lineage: [NodeID]) -> TokenDraft {
        let body = TokenBody(
            realm: "idp", kind: .instanceToken, parent: nil, anchor: lineage[2], client: id, jkt: claims.key.thumbprint,
            claims: TokenClaims(app: version.app, key: claims.key.bare))
        return TokenDraft(body, inherited: lineage, lifetime: lifetime, refresh: .init())
    }
}
