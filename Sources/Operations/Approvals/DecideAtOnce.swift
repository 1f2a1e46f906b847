import Base
import Database
import Foundation
import PowerAuth
import TokenTree

/// Approving and rejecting where nothing speaks against it, in two round trips: one reads phone and operation without a
/// lock, the other writes under both locks, and only if both rows are still what was read, what the operation was begun
/// under stands, and the same callbacks are to be told. Whatever else there is, refusals and races above all, is left
/// to `DecideByPhone`, which finds everything as it was.
struct DecideAtOnce: Sendable {
    /// What is asked for, and of which operation.
    struct Decision: Sendable {
        let id: String
        let status: OperationStatus
        /// The audit's word.
        let action: String
        var rejectReason: String? = nil
        let mobileTokenData: JSONValue?
        var proximity: ProximityReport? = nil
        /// Whether what it was begun under is held until it is decided.
        let isHeld: Bool
        /// Whether nothing speaks against it, of an operation that `Decisions.match` found.
        let isAdmitted: @Sendable (PhoneOperation, FactorType) throws -> Bool
    }

    /// What was decided upon, to be written.
    private struct Verdict: Sendable {
        let glance: SignatureCheck.Glance
        let operation: PhoneOperation
        let end: OperationStore.End
        let type: FactorType
        let listeners: [CallbackOutbox.Listener]
        /// Held until it is decided, root first.
        let lineage: [NodeID]
    }

    /// Those of one commit.
    private static let most = 32
    private static let patience: SQL = "select set_config('lock_timeout', '100ms', true)"

    let database: Database
    let signatures: SignatureCheck
    let decisions: Decisions
    /// Those that wait for nobody: rows that somebody has locked are passed over, and what else somebody holds is
    /// waited for a tenth of a second. Then, or where one of them fails, nothing is done of all that came together.
    let together: GroupCommit<SQL, Bool>

    init(database: Database, signatures: SignatureCheck, decisions: Decisions) {
        (self.database, self.signatures, self.decisions) = (database, signatures, decisions)
        together = GroupCommit("decisions", most: DecideAtOnce.most) { statements in
            do {
                return try await database.batchAlone([DecideAtOnce.patience] + statements).dropFirst().map {
                    !$0.isEmpty
                }
            } catch let error as DatabaseError where !error.isOfAll || error == .timeout {
                return statements.map { _ in false }
            }
        }
    }

    /// The operation as it is afterwards, and whether a callback is to be sent; `nil`: nothing was done.
    func callAsFunction(
        _ signed: SignedRequest, _ decision: Decision, allowing: Set<FactorType>, origin: String?
    ) async throws -> (PhoneOperation, isTold: Bool)? {
        guard let verdict = try await look(signed, decision, allowing: allowing) else { return nil }
        // As the column will have it.
        let now = try Date(sqlBytes: decisions.clock.now().sqlBytes(), type: .timestamptz)
        let after = verdict.operation.finished(as: decision.status, verdict.end, at: now)
        let actor = OperationsAudit.phone(verdict.glance.registration.id, origin: origin)
        let written = decisions.ending(after, decision.action, by: actor, telling: verdict.listeners, each: "chosen")
        do {
            guard try await write(verdict, decision, written, at: now) else { return nil }
        } catch let error as DatabaseError where !error.isOfAll {
            return nil
        }
        return (after, isTold: !verdict.listeners.isEmpty)
    }

    // MARK: Looking

    private func look(
        _ signed: SignedRequest, _ decision: Decision, allowing: Set<FactorType>
    ) async throws -> Verdict? {
        let now = decisions.clock.now(), header = signed.header
        let found = try await database.batch([
            RegistrationStore.signing(header.activationID, version: header.applicationKey),
            """
            select \(PhoneOperation.columns), \(CallbackOutbox.listeners) as listeners,
                case when x.lineage <> '{}' then \(TokenBoundRow.lineage) else '{}' end as held
            from \(PhoneOperation.source) where x.id = \(decision.id)
            """,
        ])
        guard let phone = found[0].first, let row = found[1].first,
            let glance = try signatures.glance(signed, allowing: allowing, at: phone),
            case .found(let operation) = decisions.match(try PhoneOperation(row, at: now), glance.registration),
            try decision.isAdmitted(operation, header.type)
        else { return nil }
        let end = OperationStore.End(
            rejectReason: decision.rejectReason, mobileTokenData: decision.mobileTokenData,
            proximity: decision.proximity, registration: glance.registration, factor: header.type)
        return Verdict(
            glance: glance, operation: operation, end: end, type: header.type,
            listeners: CallbackOutbox.listeners(try row("listeners")),
            lineage: decision.isHeld ? try row("held") : [])
    }

    // MARK: Writing

    /// Whether it was written. Where a lineage is held it is waited for, and so are the rows: phone, lineage and
    /// operation in this order, as everywhere. Who removes a callback locks none of them.
    private func write(
        _ verdict: Verdict, _ decision: Decision, _ written: [SQL], at now: Date
    ) async throws -> Bool {
        guard !verdict.lineage.isEmpty else {
            return try await together.commit(statement(verdict, decision, written, passing: "skip locked", at: now))
        }
        let done = try await database.batchAlone([
            DecideAtOnce.phone(verdict.glance), TokenBoundRow.holding(verdict.lineage, briefly: false),
            statement(verdict, decision, written, passing: "", at: now),
        ])
        return done.last?.isEmpty == false
    }

    /// Locked, and as it was read: so of all who show one counter, one moves it.
    private static func phone(_ glance: SignatureCheck.Glance, passing: SQL = "") -> SQL {
        """
        select r.id from phone_registration r
        where r.id = \(glance.registration.id) and r.xmin::text = \(glance.rowVersion)
        for no key update of r \(passing)
        """
    }

    /// A row if it was done. `chosen` is the operation, locked behind the phone and the callbacks. Whatever it was
    /// decided by changes with `version`; a revocation does not, nor does who is told, and both are asked for again.
    private func statement(
        _ verdict: Verdict, _ decision: Decision, _ written: [SQL], passing: SQL, at now: Date
    ) -> SQL {
        let isHeld: SQL =
            verdict.lineage.isEmpty ? "true" : "\(TokenBoundRow.lineage) = \(verdict.lineage)"
        let listeners = verdict.listeners.map(\.id).sorted()
        let parts = written.enumerated().map { number, part -> SQL in ", part_\(raw: "\(number)") as (\(part))" }
        return """
            with held as materialized (\(DecideAtOnce.phone(verdict.glance, passing: passing))),
            told as materialized (
                \(CallbackOutbox.holding(of: verdict.operation.owner, if: "held", passing: passing))
            ), chosen as materialized (
                select x.id from phone_operation x cross join held
                where x.id = \(verdict.operation.id) and x.version = \(verdict.operation.version)
                    and x.status = 'PENDING' and x.expires_at > \(now) and \(isHeld)
                    and array(select t.id from told t order by t.id collate "C") = \(listeners)
                    and not (x.lineage <> '{}' and \(OperationID.isRevoked))
                for no key update of x \(passing)
            ), advanced as (
                update phone_registration r
                set \(RegistrationStore.advancing(to: verdict.glance.move, resetting: verdict.type.needsTwo, at: now))
                from chosen where r.id = \(verdict.glance.registration.id)
            ), ended as (
                update phone_operation x
                set \(OperationStore.finishing(as: decision.status, verdict.end, at: now)), version = x.version + 1
                from chosen where x.id = chosen.id
            )\(parts.joined(separator: ""))
            select chosen.id from chosen
            """
    }
}
