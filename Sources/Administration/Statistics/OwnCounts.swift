import Database

/// How many people, apps, clients and services there are of what somebody administers; of everything by estimate, so
/// that no table is read through.
public struct OwnCounts: Sendable {
    /// By the noun of the commands, in their order.
    public let counts: [(noun: String, count: Int)]

    public init(of visible: AdminVisibility?, in executor: any SQLExecutor) async throws {
        let row: Row?
        if let visible {
            row =
                try await executor.query(
                    """
                    select (select count(*) from account a
                            where a.institution = any (\(visible.institutions))) as accounts,
                        (select count(*) from app p where p.institution = any (\(visible.institutions))) as apps,
                        (select count(*) from client c where c.institution = any (\(visible.institutions))) as clients,
                        (select count(*) from service s where s.status <> 'removed' and (
                            s.institution = any (\(visible.institutions)) or s.id = any (\(visible.services))))
                            as services
                    """
                ).first
        } else {
            // Statistics of PostgreSQL where it has some, counted where it has none yet.
            row =
                try await executor.query(
                    """
                    select case when a.reltuples >= 10000 then a.reltuples::bigint
                            else (select count(*) from account) end as accounts,
                        (select count(*) from app) as apps,
                        case when c.reltuples >= 10000 then c.reltuples::bigint
                            else (select count(*) from client) end as clients,
                        (select count(*) from service s where s.status <> 'removed') as services
                    from pg_class a, pg_class c where a.oid = 'account'::regclass and c.oid = 'client'::regclass
                    """
                ).first
        }
        counts = try ["accounts", "apps", "clients", "services"].map { ($0, try row?($0) ?? 0) }
    }
}
