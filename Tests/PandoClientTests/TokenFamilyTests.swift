import Foundation
import PandoClient
import Testing

@Suite("Refreshing by a client")
struct TokenFamilyTests {
    private static let old = Tokens(accessToken: "a0", refreshToken: "r0", type: "DPoP", expires: .distantPast)

    private func family(
        _ server: ScriptedServer, keep: @escaping @Sendable (Tokens) async throws -> Void = { _ in }
    ) -> TokenFamily {
        let holder = KeyHolder(key: SigningKey(), transport: server.transport)
        let endpoint = "https://id.example.org/token"
        return TokenFamily(Self.old, endpoint: endpoint, holder: holder, clientID: "me", keep: keep)
    }

    @Test("many callers at once refresh once, and all get the same")
    func single() async throws {
        let server = ScriptedServer { _, _ in
            try await Task.sleep(for: .milliseconds(50))
            return try ScriptedServer.tokens("a1", refresh: "r1")
        }

        let family = family(server)
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<20 { group.addTask { try await family.fresh().accessToken } }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(tokens == [String](repeating: "a1", count: 20) && server.requests.count == 1)
    }

    @Test("an answer that was lost is asked for again with the same refresh token, by another proof")
    func lost() async throws {
        let server = ScriptedServer { number, _ in
            switch number {
            case 1: throw ScriptedServer.Away()
            case 2: Transport.Response(status: 503)
            default: try ScriptedServer.tokens("a1", refresh: "r1")
            }
        }

        let tokens = try await family(server).fresh()

        #expect(tokens.accessToken == "a1" && server.requests.count == 3)
        #expect(Set(server.requests.map(\.form)).count == 1)
        #expect(Set(server.requests.map { $0.header("DPoP") }).count == 3)
    }

    @Test("a caller that goes away loses no answer: the next one gets it")
    func cancelled() async throws {
        let server = ScriptedServer { _, _ in
            try await Task.sleep(for: .milliseconds(100))
            return try ScriptedServer.tokens("a1", refresh: "r1")
        }
        let family = family(server)

        let caller = Task { try await family.fresh() }
        try await Task.sleep(for: .milliseconds(20))
        caller.cancel()

        #expect(try await family.fresh().accessToken == "a1" && server.requests.count == 1)
    }

    @Test("a family that has ended says so at once, and keeps what it has")
    func ended() async throws {
        let server = ScriptedServer { _, _ in
            Transport.Response(status: 400, body: Array(#"{"error":"invalid_grant"}"#.utf8))
        }
        let family = family(server)

        let refusal = await #expect(throws: OAuthError.self) { try await family.fresh() }

        #expect(refusal?.code == .invalidGrant && server.requests.count == 1)
        #expect(await family.current == Self.old)
    }

    @Test("a token that the server calls dead is refreshed, and the request sent once more")
    func dead() async throws {
        let server = ScriptedServer { number, request in
            if request.url.hasSuffix("/token") { return try ScriptedServer.tokens("a\(number)", refresh: "r\(number)") }
            let isGood = request.header("Authorization") == "DPoP a3"
            let dead = Transport.Response(status: 401, body: Array(#"{"error":"invalid_token"}"#.utf8))
            return isGood ? Transport.Response(status: 200) : dead
        }

        let answer = try await family(server).send(.get("https://id.example.org/userinfo"))

        #expect(answer.status == 200 && server.requests.count == 4)
    }
}
