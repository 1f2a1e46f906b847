import Base
import Database
import Foundation

/// A virtual ancestor: not a token, but everything below it can be cut at once.
public struct Ancestor: Hashable, Sendable {
    public enum Kind: String, Sendable, CaseIterable, SQLEncodable, SQLDecodable {
        case epoch, signer, version, instance, key, account, password, session, client, grant, service, bundle
        /// A person at a service, and a third-party app at a service.
        case use, admission
    }

    public let kind: Kind
    public let name: String

    public init(_ kind: Kind, _ name: String) { (self.kind, self.name) = (kind, name) }

    /// The root of all roots; `pando admin epoch bump` revokes it.
    public static let epoch = Ancestor(.epoch, "1")

    /// All that a person does at a service: `use:ACCOUNT/SERVICE`.
    public static func use(_ account: UUID, at service: String) -> Ancestor {
        Ancestor(.use, "\(account.uuidString.lowercased())/\(service)")
    }

    /// All that a third-party app holds at a service in the house: `admission:SERVICE/BUNDLE`.
    public static func admission(of bundle: String, to service: String) -> Ancestor {
        Ancestor(.admission, "\(service)/\(bundle)")
    }

    /// As cli.md names nodes: `instance:CLIENT_ID`.
    public var label: String { "\(kind.rawValue):\(name)" }

    /// Reads what `label` writes.
    init?(label: String) {
        let parts = label.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2, let kind = Kind(rawValue: parts[0]) else { return nil }
        self.init(kind, parts[1])
    }
}

/// Rows of `ancestor`.
struct AncestorStore {
    let clock: WallClock
    let randomness: Randomness

    /// The open generation of each, in the given order; opened where there is none.
    func generations(of ancestors: [Ancestor], in executor: any SQLExecutor) async throws -> [NodeID] {
        guard !ancestors.isEmpty else { return [] }
        // A generation opened by another transaction at this moment is visible to the next statement only: hence two
        // rounds.
        for _ in 0..<3 {
            let ids = try AncestorStore.opened(try await executor.query(opening(ancestors)))
            if ids.count == ancestors.count { return ids }
        }
        throw DatabaseError.serialization
    }

    /// One round of it. Those that are open are looked for one by one: a join is planned as a reading of all of them
    /// while they are few, and stays that.
    func opening(_ ancestors: [Ancestor]) -> SQL {
        let fresh = ancestors.map { _ in NodeID(endless: randomness) }
        let (kinds, names) = (ancestors.map(\.kind.rawValue), ancestors.map(\.name))
        return """
            with wanted as (
                select w.kind, w.name, w.fresh, w.n
                from unnest(\(kinds), \(names), \(fresh)) with ordinality as w (kind, name, fresh, n)
            ), opened as (
                insert into ancestor (kind, name, id, opened_at)
                select kind, name, fresh, \(clock.now()) from wanted order by kind, name
                on conflict (kind, name) do nothing
                returning kind, name, id
            )
            select coalesce(o.id, (select a.id from ancestor a where a.kind = w.kind and a.name = w.name)) as id
            from wanted w left join opened o using (kind, name) order by w.n
            """
    }

    /// What a round gave: fewer than were wanted where another transaction opened one at that moment.
    static func opened(_ rows: [Row]) throws -> [NodeID] {
        let found: [NodeID?] = try rows.map { try $0("id") }
        return found.compactMap { $0 }
    }

    /// The open generation, locked until the transaction ends; `nil` when nothing was issued since the last revocation.
    func open(_ ancestor: Ancestor, in executor: any SQLExecutor) async throws -> NodeID? {
        try await executor.query(
            """
            select id from ancestor where kind = \(ancestor.kind) and name = \(ancestor.name) for update
            """
        ).first.map { try $0("id") }
    }

    func close(_ ancestor: Ancestor, in executor: any SQLExecutor) async throws {
        _ = try await executor.execute("delete from ancestor where kind = \(ancestor.kind) and name = \(ancestor.name)")
    }
}
