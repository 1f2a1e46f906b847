import Base
import Database
import Foundation

/// Rows of `service_proposal`.
public struct ServiceProposalStore: Sendable {
    public enum Refused: Error, Sendable, Equatable {
        /// So many are open already.
        case tooMany(Int)
        /// The same person has proposed it already.
        case proposedAlready(String)
        /// Another step than its status lets it take.
        case state(String)
    }

    /// Open ones of one person.
    public static let most = 5
    /// Seconds after which one goes of which control was never shown, and one that was decided.
    static let patience: TimeInterval = 30 * 86_400, kept: TimeInterval = 400 * 86_400

    let clock: WallClock
    let randomness: Randomness

    public init(clock: WallClock, randomness: Randomness) { (self.clock, self.randomness) = (clock, randomness) }

    /// By somebody whose account the transaction holds, so that no two of theirs pass the limit at once. Throws
    /// `Refused`.
    /// - Parameters:
    ///   - rsd: URL of its document, where it is proposed by that.
    ///   - document: what was read there.
    public func propose(
        _ base: WebAddress, name: String, wishes: [ServiceProposal.Wish], by proposer: UUID, rsd: String? = nil,
        document: JSONValue? = nil, in transaction: any SQLExecutor
    ) async throws -> ServiceProposal {
        let open = try await transaction.query(
            """
            select p.base from service_proposal p
            where p.proposer = \(proposer) and p.status in ('proposed', 'proven')
            """
        ).map { try $0("base") as String }
        guard !open.contains(base.withoutQuery) else { throw Refused.proposedAlready(base.withoutQuery) }
        guard open.count < ServiceProposalStore.most else { throw Refused.tooMany(ServiceProposalStore.most) }
        let rows = try await transaction.query(
            """
            insert into service_proposal as p (id, base, name, proposer, proof, claims, status, created_at, rsd,
                document)
            values (\(randomness.identifier()), \(base.withoutQuery), \(name), \(proposer),
                \("pando-federation=" + randomness.identifier()), \(ServiceProposal.stored(wishes)), 'proposed',
                \(clock.now()), \(rsd), \(document))
            returning \(ServiceProposal.columns)
            """)
        guard let row = rows.first else { throw DatabaseError.serialization }
        return try ServiceProposal(row)
    }

    /// `locking` keeps it until the transaction ends.
    public func find(
        _ id: String, locking: Bool = false, in executor: any SQLExecutor
    ) async throws -> ServiceProposal? {
        let hold: SQL = locking ? "for update" : ""
        return try await executor.query(
            "select \(ServiceProposal.columns) from service_proposal p where p.id = \(id) \(hold)"
        ).first.map(ServiceProposal.init)
    }

    /// Newest first; `proposer` of `nil` is everybody.
    public func list(
        proposer: UUID?, status: ServiceProposal.Status?, after: String?, limit: Int, in executor: any SQLExecutor
    ) async throws -> [ServiceProposal] {
        try await executor.query(
            """
            select \(ServiceProposal.columns) from service_proposal p
            where (\(proposer)::uuid is null or p.proposer = \(proposer))
                and (\(status)::text is null or p.status = \(status))
                and (\(after)::text is null or (p.created_at, p.id) < (select b.created_at, b.id
                    from service_proposal b where b.id = \(after)))
            order by p.created_at desc, p.id desc limit \(limit)
            """
        ).map(ServiceProposal.init)
    }

    /// Control was shown, now or once more. Throws `Refused.state` for one that is decided.
    public func prove(
        _ id: String, report: JSONValue, in transaction: any SQLExecutor
    ) async throws -> ServiceProposal {
        let rows = try await transaction.query(
            """
            update service_proposal p set status = 'proven', proven_at = \(clock.now()), report = \(report)
            where p.id = \(id) and p.status in ('proposed', 'proven') returning \(ServiceProposal.columns)
            """)
        guard let row = rows.first else { throw Refused.state("the proposal is decided already") }
        return try ServiceProposal(row)
    }

    /// Once. `service` is what it became. Throws `Refused.state`.
    public func decide(
        _ id: String, _ status: ServiceProposal.Status, by actor: String, reason: String?, service: String? = nil,
        in transaction: any SQLExecutor
    ) async throws -> ServiceProposal {
        let from = status == .accepted ? ["proven"] : ["proposed", "proven"]
        let rows = try await transaction.query(
            """
            update service_proposal p set status = \(status), decided_at = \(clock.now()), decided_by = \(actor),
                reason = \(reason), service = \(service)
            where p.id = \(id) and p.status = any (\(from)) returning \(ServiceProposal.columns)
            """)
        guard let row = rows.first else {
            throw Refused.state(
                status == .accepted ? "control of the service was not shown" : "the proposal is decided already")
        }
        return try ServiceProposal(row)
    }

    /// Others that want the same service, once one was accepted.
    public func refuseOthers(
        at base: String, but id: String, by actor: String, in transaction: any SQLExecutor
    ) async throws {
        _ = try await transaction.execute(
            """
            update service_proposal set status = 'refused', decided_at = \(clock.now()), decided_by = \(actor),
                reason = 'another proposal of this service was accepted'
            where base = \(base) and id <> \(id) and status in ('proposed', 'proven')
            """)
    }

    /// Deletes what nobody waits for any more.
    public func forget(in database: Database) async throws {
        let now = clock.now()
        _ = try await database.execute(
            """
            delete from service_proposal
            where status = 'proposed' and created_at < \(now.addingTimeInterval(-ServiceProposalStore.patience))
                or decided_at < \(now.addingTimeInterval(-ServiceProposalStore.kept))
            """)
    }
}
