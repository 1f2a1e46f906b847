import Base
import Database

/// Claims of one-time identifiers that come together are written together; of two with one name one wins.
struct ClaimGathering: Sendable {
    /// Ids of one statement.
    static let most = 500

    private let claims: GroupCommit<NodeID, Bool>

    /// `write` records ids, each once, and gives those that were new.
    init(lanes: Int = 2, room: Int = 5_000, write: @escaping @Sendable ([NodeID]) async throws -> [NodeID]) {
        claims = GroupCommit("claims", lanes: lanes, most: ClaimGathering.most, room: room) { ids in
            var fresh = Set(try await write(ids))
            return ids.map { fresh.remove($0) != nil }
        }
    }

    var count: Int { claims.count }

    /// True for the first.
    func claim(_ id: NodeID) async throws -> Bool { try await claims.commit(id) }
}
