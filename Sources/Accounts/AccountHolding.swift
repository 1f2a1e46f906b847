import Database
import Foundation

/// Rows of one table that are held on a person, and what of them an export of their own data tells. Every column of the
/// table is named: one is told, or withheld for a reason, so that a new one is decided about (a test reads the schema).
public struct AccountHolding: Sendable {
    /// Of the export: an array of objects.
    public let member: String
    public let table: String
    /// What is told, under the column's own name.
    public let columns: [String]
    /// What is not, and why.
    public let withheld: [String: String]
    private let spelled: [String: SQL]
    private let newest: String
    private let rows: @Sendable (UUID) -> SQL

    /// `columns` with blanks between; `spelled`: in terms of `x`, what is told of a column instead of all that stands
    /// in it; `newest`: the column by which the newest rows come first; `rows`: the condition on `x` that a row is this
    /// person's. All but the person's id are texts of ours, never a caller's.
    public init(
        _ member: String, in table: String, tells columns: String, withholds withheld: [String: String] = [:],
        spelled: [String: SQL] = [:], newest: String, of rows: @escaping @Sendable (UUID) -> SQL
    ) {
        (self.member, self.table, self.withheld, self.spelled) = (member, table, withheld, spelled)
        self.columns = columns.split(whereSeparator: \.isWhitespace).map(String.init)
        (self.newest, self.rows) = (newest, rows)
    }

    /// The person's rows, each as `told`, the newest first: so many, and no more than fit into `room` bytes of JSON.
    /// `found` is how many there are, as far as `limit`.
    public func statement(of account: UUID, atMost limit: Int, room: Int) -> SQL {
        let members = columns.map { column -> SQL in
            let plain: SQL = "x.\(identifier: column)"
            let value = spelled[column] ?? plain
            return "\(raw: "'\(column)'"), \(value)"
        }
        return """
            select w.told, w.found from (
                select r.told, r.place, count(*) over () as found,
                    sum(octet_length(r.told::text)) over (order by r.place rows unbounded preceding) as size
                from (
                    select jsonb_build_object(\(members.joined(separator: ", "))) as told,
                        row_number() over (order by x.\(identifier: newest) desc nulls last) as place
                    from \(identifier: table) x where \(rows(account))
                    order by x.\(identifier: newest) desc nulls last limit \(limit)
                ) r
            ) w
            where w.size <= \(room) or w.place = 1 order by w.place
            """
    }

    /// Why columns are withheld, in the words that most of them share.
    public static let secret = "a secret, or what one is checked by", internals = "names that this server alone uses"
}
