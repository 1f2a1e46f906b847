import Base
import Database

extension TokenStore {
    /// The token of this identifier, `nil` when there is none or it is long dead. One partition, by primary key.
    public func find(_ id: NodeID, in executor: (any SQLExecutor)? = nil) async throws -> TokenRow? {
        guard let lookUp = TokenStore.lookUp(id) else { return nil }
        leases.countReading()
        do {
            let known = executor == nil ? leases.known : nil
            return try remembering(try await (executor ?? database).query(lookUp), asOf: known)
        } catch DatabaseError.undefinedTable {
            return nil
        }
    }

    /// As `find`, in the same round trip as the question whether `condition` holds: `ConditionFailed` where not.
    public func find(_ id: NodeID, while condition: SQL) async throws -> TokenRow? {
        let question: SQL = "select where \(condition)"
        leases.countReading()
        do {
            let known = leases.known
            let results = try await database.batch([question] + [TokenStore.lookUp(id)].compactMap(\.self))
            guard !results[0].isEmpty else { throw ConditionFailed() }
            return try results.dropFirst().first.flatMap { try remembering($0, asOf: known) }
        } catch DatabaseError.undefinedTable {
            try await require(condition)
            return nil
        }
    }

    private func remembering(_ rows: [Row], asOf known: Leases.Known?) throws -> TokenRow? {
        guard let row = try rows.first.map({ try TokenRow($0) }) else { return nil }
        // What works once is used without anybody being told.
        if let known, ![.code, .assertion].contains(row.body.kind) { leases.remember(row, asOf: known) }
        return row
    }
}
