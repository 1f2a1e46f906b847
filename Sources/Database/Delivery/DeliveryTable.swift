import Foundation

/// Where the rows of an outbox are, for `DeliveryQueue`. Every row has `next_try` and `last_error`; that a row is
/// claimed shows in its `next_try` alone, which is the end of the lease.
public struct DeliveryTable: Sendable {
    /// The column that counts, for the pauses.
    public enum Tally: Sendable {
        /// Each attempt, when it begins.
        case attempts(SQL)
        /// Each failure.
        case failures(SQL)

        var column: SQL {
            switch self {
            case .attempts(let column), .failures(let column): column
            }
        }
    }

    /// A row is given up that is so much older than the time in a column.
    public struct Patience: Sendable {
        let since: SQL
        let lasts: TimeInterval

        public init(since: SQL, lasts: TimeInterval) { (self.since, self.lasts) = (since, lasts) }
    }

    let name: SQL
    let key: SQL
    let receivers: SQL
    let rows: SQL
    let order: SQL
    let expires: SQL?
    let joins: SQL
    let columns: SQL
    let tally: Tally
    let patience: Patience?
    let keepsDeadLetters: Bool
    let delivered: (@Sendable (Date) -> SQL)?
    let matching: @Sendable (Row) throws(DatabaseError) -> SQL

    /// - Parameters:
    ///   - name: of the table, `d` in all that follows.
    ///   - key: its primary key.
    ///   - receivers: a `select … as receiver`: each of whom there may be a row, once.
    ///   - rows: what stands behind `from`: the rows of `r.receiver` that are to be sent, whenever that is.
    ///   - order: in which those of one receiver are sent.
    ///   - expires: the column with the time after which a row is not worth sending; it stays for housekeeping.
    ///   - joins: tables that `columns` needs, joined to `due` by `due.key` or `due.receiver`.
    ///   - columns: what is read of a row that was claimed.
    ///   - patience: without it, a row is tried for as long as it stands in `rows`.
    ///   - keepsDeadLetters: a row that is given up stays, with null as `next_try`; else it is deleted.
    ///   - delivered: what is set in a row that was delivered; without it, the row is deleted.
    ///   - matching: the condition that finds a row again by its `columns`.
    public init(
        _ name: SQL, key: SQL, receivers: SQL, rows: SQL, order: SQL = "d.next_try", expires: SQL? = nil,
        joins: SQL = "", columns: SQL, tally: Tally, patience: Patience? = nil, keepsDeadLetters: Bool = false,
        delivered: (@Sendable (Date) -> SQL)? = nil, matching: @escaping @Sendable (Row) throws(DatabaseError) -> SQL
    ) {
        (self.name, self.key, self.receivers, self.rows, self.order) = (name, key, receivers, rows, order)
        (self.expires, self.joins, self.columns, self.tally, self.patience) = (expires, joins, columns, tally, patience)
        (self.keepsDeadLetters, self.delivered, self.matching) = (keepsDeadLetters, delivered, matching)
    }

    // MARK: Claiming

    /// Locks what is due, at most its share of each receiver, and leases it until a time.
    func claim(_ claim: DeliveriesInFlight.Claim, share: Int, until: Date, now: Date) -> SQL {
        let names = claim.taken.keys.sorted(), counts = names.map { claim.taken[$0] ?? 0 }
        let counted: SQL = if case .attempts(let column) = tally { ", \(column) = d.\(column) + 1" } else { "" }
        let since: SQL = patience.map { "d.\($0.since)" } ?? "null::timestamptz"
        return """
            with due as (
                select e.key, r.receiver from (\(receivers)) r
                left join unnest(\(names)::text[], \(counts)::bigint[]) f (receiver, taken) on f.receiver = r.receiver
                cross join lateral (
                    select d.\(key) as key, d.next_try from \(unexpired(at: now)) and d.next_try <= \(now)
                    order by \(order) limit greatest(\(share)::bigint - coalesce(f.taken, 0), 0)
                    for update of d skip locked
                ) e
                where \(DeliveryTable.condition(claim.among)) order by e.next_try limit \(claim.limit)
            )
            update \(name) d set next_try = \(until)\(counted) from due \(joins) where d.\(key) = due.key
            returning due.receiver, d.\(tally.column) as tally, \(since) as since, \(columns)
            """
    }

    /// When the next one is due, leased ones too: a lease that ends is a row to be sent.
    func next(_ claim: DeliveriesInFlight.Claim, now: Date) -> SQL {
        """
        select min(e.next_try) as next from (\(receivers)) r
        cross join lateral (select d.next_try from \(unexpired(at: now)) order by \(order) limit 1) e
        where \(DeliveryTable.condition(claim.among))
        """
    }

    private func unexpired(at now: Date) -> SQL { expires.map { "\(rows) and d.\($0) > \(now)" } ?? rows }

    private static func condition(_ among: DeliveriesInFlight.Claim.Among) -> SQL {
        switch among {
        case .except(let names): "r.receiver <> all (\(names)::text[])"
        case .only(let names): "r.receiver = any (\(names)::text[])"
        }
    }

    // MARK: After an attempt

    func delivered(_ row: SQL, at now: Date) -> SQL {
        delivered.map { "update \(name) d set \($0(now)) where \(row)" } ?? "delete from \(name) d where \(row)"
    }

    /// Nothing where the lease ended meanwhile: the row may be another's.
    func postpone(_ row: SQL, leasedUntil: Date, to next: Date, because reason: String) -> SQL {
        let counted: SQL = if case .failures(let column) = tally { ", \(column) = d.\(column) + 1" } else { "" }
        return """
            update \(name) d set next_try = \(next), last_error = \(reason)\(counted)
            where \(row) and d.next_try = \(leasedUntil)
            """
    }

    /// Before anybody has answered: due again at once, for whoever claims it.
    func release(_ row: SQL, leasedUntil: Date, at now: Date) -> SQL {
        "update \(name) d set next_try = \(now) where \(row) and d.next_try = \(leasedUntil)"
    }

    func giveUp(_ row: SQL, leasedUntil: Date, because reason: String) -> SQL {
        let mine: SQL = "\(row) and d.next_try = \(leasedUntil)"
        return keepsDeadLetters
            ? "update \(name) d set next_try = null, last_error = \(reason) where \(mine)"
            : "delete from \(name) d where \(mine)"
    }
}
