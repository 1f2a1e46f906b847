import Accounts
import Base
import Database
import TokenTree

extension Composition {
    /// Makes what a running server needs to find: partitions, keys, the index entries of the server.
    public func prepare() async throws {
        try await partitions.makeAhead()
        try await Database.withTimeLimit(600) {
            try await keys.ensure()
            try await BuiltInServiceIndex(composition: self).ensure()
            guard settings.roles.contains(.idp) else { return }
            if administration != nil { try await CommandLineClient(self).ensure() }
            try await AccountStore(clock: clock).fillKeys(in: database)
        }
    }
}
