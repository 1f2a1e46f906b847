import Base
import HTTPTypes
import Registration
import TestSupport

/// Self-registration with an invitation of its own, and a login without patience.
enum OperationsFixture {
    static func invitation(_ server: TestServer) async throws -> String {
        try await InvitationStore(clock: server.parts.time.clock, randomness: .system).make(
            uses: 1, lifetime: 600, below: [], in: server.database
        ).token
    }

    static func register(_ server: TestServer, _ metadata: JSONObject) async throws -> Reply {
        try await server.post(
            "/register", json: .object(metadata), headers: [.authorization: "Bearer \(try await invitation(server))"])
    }

    /// A phone's login, asked once: `Phone` itself comes again after a 503.
    static func logInOnce(
        _ phone: Phone, as user: String = "ada", password: String = Residents.password
    ) async throws -> Reply {
        try await phone.server.post(
            "/authorize/challenge",
            [
                "username": user, "password": password, "code_challenge": Phone.challenge,
                "code_challenge_method": "S256",
            ],
            headers: try phone.dpop(.post, "/authorize/challenge", token: phone.instance.accessToken))
    }
}
