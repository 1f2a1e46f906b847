import Base
import Foundation
import HTTP
import HTTPTypes
import NIOCore
import TestSupport
import Testing

@Suite("A process that is about to stop")
struct DrainTests {
    @Test("it is ready no more, and answers everything else as ever")
    func readiness() async throws {
        let log = CapturedLog()
        try await TestServer.with(logger: log.logger) { server in
            #expect(try await server.get("/readyz").outcome == "200")

            server.parts.composition.drain.begin()
            let reply = try await server.get("/readyz")

            #expect(reply.outcome == "503 temporarily_unavailable" && reply[header: "Retry-After"] == "2")
            #expect(!log.all.contains { $0.hasPrefix("error") && $0.contains("about to stop") })
            #expect(try await server.get("/healthz").outcome == "200")
            let phone = try await Phone.registered(in: server)
            #expect(try await phone.logInForCode().outcome == "200")
        }
    }

    @Test("each answer is the last of its connection, whose end comes from here")
    func connections() async throws {
        try await TestServer.with { server in
            try await server.listening(nil) { port in
                let lines = ["GET /healthz HTTP/1.1", "Host: localhost"]
                try await RawConnection.open(port) { connection in
                    try await connection.ask(lines)
                    let before = try await connection.answer().head.lowercased()
                    server.parts.composition.drain.begin()
                    try await connection.ask(lines)
                    let after = String(decoding: await connection.rest(), as: UTF8.self).lowercased()

                    #expect(before.hasPrefix("http/1.1 200") && !before.contains("connection: close"))
                    #expect(after.hasPrefix("http/1.1 200") && after.contains("connection: close\r\n"))
                }
            }
        }
    }

    @Test("before the end nobody new gets in, and who is in is answered")
    func newcomers() async throws {
        try await TestServer.with { server in
            try await server.listening(nil) { port in
                let drain = server.parts.composition.drain
                try await RawConnection.open(port) { connection in
                    drain.begin()
                    try await RawConnection.open(port) { _ in }
                    await drain.letNobodyIn(logger: .quiet)

                    // Neither let in nor refused: what was begun is begun again later, by then somewhere else.
                    await #expect(throws: ChannelError.connectTimeout(.milliseconds(300))) {
                        try await RawConnection.open(port, within: .milliseconds(300)) { _ in }
                    }
                    try await connection.ask(["GET /healthz HTTP/1.1", "Host: localhost"])
                    let answer = String(decoding: await connection.rest(), as: UTF8.self)
                    #expect(answer.hasPrefix("HTTP/1.1 200"))
                }
            }
        }
    }

    @Test("certificates that are read again are those of new connections")
    func certificates() async throws {
        let before = try TestAuthority("before"), after = try TestAuthority("after")
        func security(_ authority: TestAuthority) throws -> TransportSecurity {
            let leaf = try authority.issue("server")
            return try TransportSecurity(
                certificates: leaf.pem, key: leaf.keyPEM, authorities: nil, clock: .system)
        }
        let held = try security(before), fresh = try security(after)
        try await TestServer.with { server in
            try await server.listening(held) { port in
                try await server.overTLS(port, trusting: before) { secure in
                    let first = try await secure.get("/healthz")
                    held.adopt(fresh)
                    let open = try await secure.get("/healthz")
                    #expect(first.outcome == "200" && open.outcome == "200", "a connection that is open goes on")
                }
                try await server.overTLS(port, trusting: after) { secure in
                    let reply = try await secure.get("/healthz")
                    #expect(reply.outcome == "200")
                }
                await #expect(throws: (any Error).self) {
                    try await server.overTLS(port, trusting: before) { secure in _ = try await secure.get("/healthz") }
                }
            }
        }
    }
}
