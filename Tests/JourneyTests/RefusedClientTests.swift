import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("Clients that are refused: one answer on the wire, the cause in the log")
struct RefusedClientTests {
    private func ask(_ server: TestServer, _ id: String, _ secret: String) async throws -> Reply {
        let basic = Data("\(FormCodec.encode(id)):\(FormCodec.encode(secret))".utf8).base64EncodedString()
        return try await server.post(
            "/token", ["grant_type": "client_credentials"], headers: [.authorization: "Basic \(basic)"])
    }

    @Test("an unknown client, a wrong secret and another method than registered are told apart in the log alone")
    func causes() async throws {
        let log = CapturedLog()
        try await TestServer.with(logger: log.logger) { server in
            let app = try await server.webApp(grants: ["client_credentials"]),
                signing = try await server.webApp(
                    method: .privateKeyJWT, grants: ["client_credentials"], jwks: ["keys": [PhoneKey().jwk(kid: "k")]])
            let wrong = "a-wrong-secret-of-many-letters"

            let replies = [
                try await ask(server, "nobody-here", wrong), try await ask(server, app.id, wrong),
                try await ask(server, signing.id, wrong),
            ]

            #expect(Set(replies.map(\.body)).count == 1)
            for reply in replies {
                #expect(reply.outcome == "401 invalid_client")
                #expect(reply[header: "WWW-Authenticate"] == "Basic realm=\"pando\", charset=\"UTF-8\"")
            }
            let lines = log.all.filter { $0.contains("refused") && $0.contains("/token") }
            for (id, cause) in [
                ("nobody-here", "unknown client"), (app.id, "wrong secret"), (signing.id, "wrong method"),
            ] {
                #expect(lines.contains { $0.contains(id) && $0.contains(cause) }, "\(cause): \(lines)")
            }
            #expect(!log.text.contains(wrong))
        }
    }

    @Test("a secret in the place of the name is not in the log")
    func mixedUp() async throws {
        let log = CapturedLog()
        try await TestServer.with(logger: log.logger) { server in
            let app = try await server.webApp(grants: ["client_credentials"])

            let reply = try await ask(server, app.secret, app.id)

            #expect(reply.outcome == "401 invalid_client")
            #expect(log.all.contains { $0.contains("unknown client") && $0.contains("(43-letters-as-of-a-secret)") })
            #expect(!log.text.contains(app.secret))
        }
    }

    @Test("what a client calls itself cannot end a line of the log or fill it")
    func hostileNames() async throws {
        let log = CapturedLog()
        try await TestServer.with(logger: log.logger) { server in
            let name = "x\nlevel=error \u{202E}\u{1B}[2J" + String(repeating: "y", count: 500)

            let reply = try await ask(server, name, "z")

            #expect(reply.outcome == "401 invalid_client" && !reply.body.contains("level="))
            let line = log.all.first { $0.contains("refused") && $0.contains("unknown client") } ?? ""
            #expect(line.contains("x?level=error??") && !line.contains("\n") && !line.contains("\u{1B}"))
            #expect(!line.contains(String(repeating: "y", count: 65)))
        }
    }

    @Test("who is sent away from the login page is in the log, with the client that the address names")
    func authorize() async throws {
        let log = CapturedLog()
        try await TestServer.with(logger: log.logger) { server in
            let reply = try await server.get("/authorize?client_id=nobody-here&response_type=code")

            #expect(reply.outcome == "400 invalid_request")
            #expect(
                log.all.contains {
                    $0.contains("refused") && $0.contains("/authorize") && $0.contains("nobody-here")
                        && $0.contains("client_id is unknown here")
                })
        }
    }

    @Test("a grant that is refused names the client in the log, which says its name in the body")
    func grants() async throws {
        let log = CapturedLog()
        try await TestServer.with(logger: log.logger) { server in
            let app = try await server.webApp(method: .none)

            let reply = try await server.post(
                "/token", ["grant_type": "refresh_token", "refresh_token": "no-such-token", "client_id": app.id])

            #expect(reply.outcome == "400 invalid_grant")
            #expect(log.all.contains { $0.contains("refused") && $0.contains("invalid_grant") && $0.contains(app.id) })
        }
    }
}
