import Database

/// What signalling needs to know and do about sessions (`connect.sid`), which are not its own.
public struct SignallingSessions: Sendable {
    /// Logs the page's session in with the wallet, in the transaction that links them. `false` when one of the two
    /// sessions is over.
    public let grant: @Sendable (SignallingLink, any SQLExecutor) async throws -> Bool
    /// Those that live.
    public let live: @Sendable (Set<String>) async throws -> Set<String>
    /// They have open sockets, which ask for nothing that would show it.
    public let seen: @Sendable (Set<String>) async throws -> Void

    public init(
        grant: @escaping @Sendable (SignallingLink, any SQLExecutor) async throws -> Bool,
        live: @escaping @Sendable (Set<String>) async throws -> Set<String>,
        seen: @escaping @Sendable (Set<String>) async throws -> Void
    ) {
        (self.grant, self.live, self.seen) = (grant, live, seen)
    }

    /// Those of the room.
    init(_ sessions: LiquidSessionStore, in database: Database) {
        self.init(
            grant: { link, transaction in
                guard try await sessions.find(link.session, in: transaction) != nil else { return false }
                return try await sessions.link(
                    link.linker, wallet: link.wallet, credential: link.credential, in: transaction)
            },
            live: { ids in
                var living: Set<String> = []
                for part in SignallingSessions.parts(ids) {
                    living.formUnion(try await sessions.living(part, in: database))
                }
                return living
            },
            seen: { ids in
                for part in SignallingSessions.parts(ids) { try await sessions.touch(part, in: database) }
            })
    }

    /// So many that one statement is short.
    private static func parts(_ ids: Set<String>) -> [[String]] {
        let sorted = ids.sorted()
        return stride(from: 0, to: sorted.count, by: 1_000).map { Array(sorted[$0..<min($0 + 1_000, sorted.count)]) }
    }
}
