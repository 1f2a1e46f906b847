import Base
import HTTPTypes
import Registration
import TestSupport

/// Self-registration with an invitation of its own.
enum OperationsDesk {
    static func invitation(_ house: TestHouse) async throws -> String {
        try await InvitationStore(clock: house.parts.time.clock, randomness: .system).make(uses: 1, lifetime: 600, in: house.database).token
    }

    static func register(_ house: TestHouse, _ metadata: JSONObject) async throws -> Reply {
        try await house.post("/register", json: .object(metadata), headers: [.authorization: "Bearer \(try await invitation(house))"])
    }
}
