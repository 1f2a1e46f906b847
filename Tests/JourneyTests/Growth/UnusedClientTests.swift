import Base
import Database
import Foundation
import HTTP
import Registration
import TestSupport
import Testing
import TokenTree

@Suite("Growth: clients, hosts and wallets that nobody uses")
struct UnusedClientTests {
    private static let day: TimeInterval = 86_400

    private func exists(_ id: String, _ server: TestServer) async throws -> Bool {
        try await server.database.value("select count(*) from client where id = \(id)") == 1
    }

    @Test("one that registered itself and was never used is deleted after 90 days; one that an operator made is not")
    func unused() async throws {
        try await TestServer.with { server in
            let client = try await RegistrationFixture(server: server).registered(), made = try await server.webApp()

            server.time.advance(90 * Self.day)
            try await server.tidy()
            let early = try await exists(client.id, server)
            server.time.advance(Self.day)
            try await server.tidy()

            #expect(early)
            #expect(try await !exists(client.id, server))
            #expect(try await client.manage(.get).outcome == "401 invalid_token")
            #expect(try await exists(made.id, server))
            let lines: Int = try await server.database.value(
                """
                select count(*) from audit where action = 'clients.delete' and node = \("client:\(client.id)")
                    and actor = 'server' and reason = 'never used for 90 days'
                """)
            #expect(lines == 1)
        }
    }

    @Test("one to which something was issued stays, also after what it had was revoked")
    func used() async throws {
        try await TestServer.with { server in
            let client = try await RegistrationFixture(server: server).registered()
            let node = Ancestor(.client, client.id)
            _ = try await server.parts.store.generations(of: [node])
            try await server.parts.revocation.revoke(.virtual(node), by: .server)

            let after: Bool = try await server.database.value(
                "select not exists (select from ancestor where kind = 'client' and name = \(client.id))")
            _ = try await server.parts.store.generations(of: [node])
            server.time.advance(100 * Self.day)
            try await server.tidy()

            #expect(after)
            #expect(try await exists(client.id, server))
        }
    }

    @Test("one whose tokens were all revoked has as long as one that is new, though the revocation is forgotten")
    func revoked() async throws {
        try await TestServer.with { server in
            let client = try await RegistrationFixture(server: server).registered()
            let node = Ancestor(.client, client.id)
            _ = try await server.parts.store.generations(of: [node])
            server.time.advance(100 * Self.day)
            try await server.parts.revocation.revoke(.virtual(node), by: .server)

            server.time.advance(80 * Self.day)
            try await server.tidy()
            let left: Int = try await server.database.value(
                "select count(*) from revocation where label = \(node.label)")
            let kept = try await exists(client.id, server)
            server.time.advance(11 * Self.day)
            try await server.tidy()

            #expect(left == 0 && kept)
            #expect(try await !exists(client.id, server))
        }
    }

    @Test("0 keeps them")
    func kept() async throws {
        try await TestServer.with(options: .init(flags: ["clients-unused": "0"])) { server in
            let client = try await RegistrationFixture(server: server).registered()

            server.time.advance(400 * Self.day)
            try await server.tidy()

            #expect(try await exists(client.id, server))
        }
    }

    @Test("the pace towards a host goes with its last service")
    func hosts() async throws {
        try await TestServer.with { server in
            let host: String = try await server.database.value(
                "select host from service_document where host <> '' order by host limit 1")
            _ = try await server.database.execute(
                """
                insert into crawl_host (host, failures, last_failed)
                values (\(host), 3, 'learn'), ('gone.example', 3, 'learn')
                """)

            try await server.tidy()

            let left: [String] = try await server.database.query("select host from crawl_host").map { try $0("host") }
            #expect(left == [host])
        }
    }

    @Test("a wallet without passkey and session goes after a month, one that has a passkey stays")
    func wallets() async throws {
        try await TestServer.with { server in
            let (bare, held) = (String(repeating: "A", count: 58), String(repeating: "B", count: 58))
            for address in [bare, held] {
                _ = try await server.database.execute(
                    """
                    insert into liquid_wallet (address, handle, created_at)
                    values (\(address), sha256(\(address)::text::bytea), \(server.time.now))
                    """)
            }
            _ = try await server.database.execute(
                """
                insert into liquid_session
                    (id, secret, lineage, wallet, credential, entered, created_at, last_seen, expires_at)
                values ('of-a-test', decode(repeat('00', 32), 'hex'), '{}', \(held), decode('00', 'hex'), 'credential',
                    \(server.time.now), \(server.time.now), \(server.time.now.addingTimeInterval(60 * Self.day)))
                """)

            server.time.advance(30 * Self.day)
            try await server.tidy()
            let early: Int = try await server.database.value("select count(*) from liquid_wallet")
            server.time.advance(1)
            try await server.tidy()
            let left: [String] = try await server.database.query("select address from liquid_wallet").map {
                try $0("address")
            }

            #expect(early == 2 && left == [held])
        }
    }
}
