import Base
import Database

extension TokenStore {
    /// Has a row that memory lacks read at the standby; `false` where whoever asks may go to the primary at once.
    ///
    /// Nobody is answered by the standby itself. Its row goes into memory with the number of the last change that the
    /// standby had, and is given by `Leases.recall` alone: under a lease, and held against every change that this
    /// process has heard of the primary since. So a standby that lags, however much, makes nothing live that was
    /// revoked (docs/read-replicas.md). Numbers are compared, so the standby must follow the history that they are of:
    /// it has to have shown something that was written after this process began to follow that one.
    public func readAhead(_ id: NodeID) async throws -> Bool {
        guard let replica, let lookUp = TokenStore.lookUp(id), let known = leases.known else { return false }
        // In this order: the row is at least as new as the number.
        let results = try await replica.ask(since: known.begunAt) {
            try await $0.batch(["select coalesce(max(number), 0) as head from change", lookUp])
        }
        guard let results, let head: Int = try results[0].first?("head"),
            let row = try results[1].first.map({ try TokenRow($0) }),
            // What works once is used without anybody being told.
            ![.code, .assertion].contains(row.body.kind)
        else { return false }
        leases.remember(row, having: head, asOf: known)
        return true
    }
}
