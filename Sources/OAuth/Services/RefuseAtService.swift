import Accounts
import Base
import Database
import Federation
import Foundation
import Registration
import TokenTree

/// Keeps one person, or one phone, out of one service: nothing is issued to them there, and what lives there ends.
public struct RefuseAtService: Sendable {
    let refusals: ServiceRefusals
    let instances: InstanceStore
    let revocation: Revocation

    public init(revocation: Revocation, clock: WallClock) {
        (refusals, instances, self.revocation) = (
            ServiceRefusals(clock: clock), InstanceStore(clock: clock), revocation
        )
    }

    /// False when they were refused before. The caller revokes `use:ACCOUNT/SERVICE` afterwards, in the same
    /// transaction: whoever issues at this moment is waited for by it, or waits.
    public func refuse(
        _ account: UUID, at service: String, by actor: AuditActor, in transaction: any SQLExecutor
    ) async throws -> Bool {
        let isNew = try await refusals.refuse(.account(account), at: service, by: actor, in: transaction)
        try await revocation.hold(.use(account, at: service), in: transaction)
        return isNew
    }

    public func allow(_ account: UUID, at service: String, in transaction: any SQLExecutor) async throws -> Bool {
        try await refusals.allow(.account(account), at: service, in: transaction)
    }

    /// Whether it is new, and how many assertions were ended. Whoever registers the phone's device or key again waits;
    /// whoever issues to one of its instances is waited for, by the lock of the anchor.
    public func refuse(
        _ instance: AppInstance, at service: String, by actor: AuditActor, in transaction: any SQLExecutor
    ) async throws -> (isNew: Bool, ended: Int) {
        try await BlockStore.hold(device: instance.deviceID, key: instance.thumbprint, in: transaction)
        let isNew = try await refusals.refuse(.of(instance), at: service, by: actor, in: transaction)
        var anchors = [instance.anchor]
        let holders = try await instances.holders(
            device: instance.deviceID, key: instance.thumbprint, in: transaction)
        for id in holders where id != instance.id {
            if let other = try await instances.find(id, in: transaction) { anchors.append(other.anchor) }
        }
        anchors.sort { $0.lockNumber < $1.lockNumber }
        for anchor in anchors {
            _ = try await transaction.query("select pg_advisory_xact_lock(\(anchor.lockNumber))")
        }
        let assertions = try await TreeView.assertions(anchors: anchors, at: service, in: transaction)
        for assertion in assertions { try await revocation.revoke(.token(assertion), by: actor, in: transaction) }
        return (isNew, assertions.count)
    }

    public func allow(_ instance: AppInstance, at service: String, in transaction: any SQLExecutor) async throws -> Bool
    {
        try await refusals.allow(.of(instance), at: service, in: transaction)
    }

    /// For an instance that is registered no more.
    public func allow(
        gone instance: String, at service: String, in transaction: any SQLExecutor
    ) async throws -> Bool {
        try await refusals.allow(instance: instance, at: service, in: transaction)
    }
}

extension ServiceRefusals.Party {
    fileprivate static func of(_ instance: AppInstance) -> ServiceRefusals.Party {
        .phone(device: instance.deviceID, key: instance.thumbprint, instance: instance.id)
    }
}
