import Base
import Database
import Foundation
import TokenTree

/// Rows of `tiqr_identity`, as the back office and the operator see them.
struct IdentityStore: Sendable {
    static let pageSize = 100

    let master: MasterKey
    let clock: WallClock

    /// Sealed for this row: it opens nowhere else.
    static func sealingRow(_ identity: String) -> String { "tiqr_identity \(identity)" }

    func add(
        _ enrollment: WaitingEnrollment, _ registration: PhoneRegistration, in transaction: any SQLExecutor
    ) async throws {
        let sealed = try master.seal(registration.secret, row: IdentityStore.sealingRow(enrollment.identity))
        _ = try await transaction.execute(
            """
            insert into tiqr_identity (identity, owner, identifier, suite, display_name, external_id, secret,
                sealed_by, push_type, push_address, language, created_at)
            values (\(enrollment.identity), \(enrollment.owner), \(enrollment.identifier), \(enrollment.suite),
                \(enrollment.displayName), \(enrollment.externalID),
                    \(sealed), \(master.id), \(registration.address?.type), \(registration.address?.address),
                        \(registration.language?.subtag), \(clock.now()))
            """)
    }

    func secret(sealed: [UInt8], by key: String, of identity: String) throws -> SecretBytes {
        guard key == master.id else { throw OtherMasterKey(identity: identity, sealedBy: key, ours: master.id) }
        return try master.open(sealed, row: IdentityStore.sealingRow(identity))
    }

    func find(_ name: String, for caller: TiqrCaller, in executor: any SQLExecutor) async throws -> TiqrIdentity {
        let now = clock.now()
        let rows = try await executor.query(
            """
            select \(TiqrIdentity.columns) from tiqr_identity i where i.identity = \(name) and \(visible(caller))
            """)
        guard let row = rows.first else { throw unknown }
        return try TiqrIdentity(row, at: now)
    }

    func list(
        externalID: String?, after: String?, for caller: TiqrCaller, in executor: any SQLExecutor
    ) async throws -> IdentityPage {
        let now = clock.now()
        let chosen: SQL = externalID.map { "and i.external_id = \($0)" } ?? ""
        let rows = try await executor.query(
            """
            select \(TiqrIdentity.columns) from tiqr_identity i where \(visible(caller)) \(chosen)
                and i.identity > \(after ?? "")
            order by i.identity limit \(IdentityStore.pageSize + 1)
            """)
        let identities = try rows.prefix(IdentityStore.pageSize).map { try TiqrIdentity($0, at: now) }
        return IdentityPage(
            identities: identities, next: rows.count > IdentityStore.pageSize ? identities.last?.identity : nil)
    }

    /// `browsers` ended with it, for the trail.
    func block(
        _ name: String, minutes: Int?, browsers: Int? = nil, for caller: TiqrCaller, in transaction: any SQLExecutor
    ) async throws {
        if let minutes, !(1...525_600).contains(minutes) {
            throw TiqrRefusal.invalidRequest("minutes is 1 to 525600; without it the block has no end")
        }
        let now = clock.now(), until = minutes.map { now.addingTimeInterval(TimeInterval($0) * 60) }
        let done =
            try await transaction.execute(
                """
                update tiqr_identity i set blocked_for_good = \(minutes == nil), blocked_until = \(until)
                    where i.identity = \(name) and \(visible(caller))
                """) > 0
        guard done else { throw unknown }
        var detail = IdentityStore.auditDetail(browsers)
        if let minutes { detail["minutes"] = .integer(minutes) }
        try await TiqrAudit.write("tiqr.block", caller.actor, about: name, detail, at: now, in: transaction)
    }

    func unblock(_ name: String, for caller: TiqrCaller, in transaction: any SQLExecutor) async throws {
        let done =
            try await transaction.execute(
                """
                update tiqr_identity i set blocked_for_good = false, blocked_until = null, failures = 0
                    where i.identity = \(name) and \(visible(caller))
                """) > 0
        guard done else { throw unknown }
        try await TiqrAudit.write("tiqr.unblock", caller.actor, about: name, at: clock.now(), in: transaction)
    }

    /// Its secret goes with it; the phone hears INVALID_USERID from then on. `browsers` as for `block`.
    func remove(
        _ name: String, browsers: Int? = nil, for caller: TiqrCaller, in transaction: any SQLExecutor
    ) async throws {
        guard
            try await transaction.execute(
                "delete from tiqr_identity i where i.identity = \(name) and \(visible(caller))") > 0
        else { throw unknown }
        try await TiqrAudit.write(
            "tiqr.remove", caller.actor, about: name, IdentityStore.auditDetail(browsers), at: clock.now(),
            in: transaction)
    }

    private static func auditDetail(_ browsers: Int?) -> JSONObject {
        browsers.map { ["browsers": .integer($0)] } ?? [:]
    }

    /// Every secret that another master key sealed, in batches. Until the transaction ends nobody registers or logs in:
    /// they wait. Throws when one is sealed under neither key; then nothing of the transaction counts.
    func reseal(under successor: MasterKey, in transaction: any SQLExecutor) async throws -> Int {
        _ = try await transaction.execute("lock table tiqr_identity in share row exclusive mode")
        var (count, last) = (0, "")
        while true {
            let rows = try await transaction.query(
                """
                select identity, secret, sealed_by from tiqr_identity where sealed_by <> \(successor.id)
                    and identity > \(last) order by identity limit 500
                """)
            for row in rows {
                let identity: String = try row("identity")
                let opened = try secret(sealed: try row("secret"), by: try row("sealed_by"), of: identity)
                let sealed = try successor.seal(opened, row: IdentityStore.sealingRow(identity))
                _ = try await transaction.execute(
                    """
                    update tiqr_identity set secret = \(sealed), sealed_by = \(successor.id)
                        where identity = \(identity)
                    """
                )
                (count, last) = (count + 1, identity)
            }
            guard !rows.isEmpty else { return count }
        }
    }

    private var unknown: TiqrRefusal { .notFound("there is no such identity") }

    private func visible(_ caller: TiqrCaller) -> SQL { "(\(caller.owner)::text is null or i.owner = \(caller.owner))" }
}

/// A secret that this process cannot open: it was started with another master key, or the secrets were not sealed anew
/// when that changed.
public struct OtherMasterKey: Error, CustomStringConvertible {
    let identity: String, sealedBy: String, ours: String
    public var description: String {
        "the secret of tiqr identity \(identity) is sealed by master key \(sealedBy), and this process has \(ours)"
    }
}
