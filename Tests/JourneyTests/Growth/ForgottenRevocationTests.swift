import Base
import Database
import Foundation
import Registration
import TestSupport
import Testing
import TokenTree

@Suite("Growth: revocations and generations that are forgotten, and those that must stay")
struct ForgottenRevocationTests {
    private static let day: TimeInterval = 86_400

    private func labels(_ server: TestServer) async throws -> Set<String> {
        Set(try await server.database.query("select label from revocation").map { try $0("label") })
    }

    /// A token of one hour that nothing hangs below, issued now.
    private func machineToken(_ server: TestServer) async throws -> NodeID {
        let tree = try await server.parts.store.issue(below: [.epoch, Ancestor(.client, "machine")]) { above in
            TokenDraft(
                TokenBody(realm: "idp", kind: .accessToken, parent: nil, anchor: above[1], client: "machine", jkt: nil),
                inherited: [], added: above, lifetime: 3_600)
        }
        return tree.row.id
    }

    @Test("that of a token goes after seven days, when its partition is gone; its line of the audit trail stays")
    func leaf() async throws {
        try await TestServer.with { server in
            let id = try await machineToken(server), label = "token:\(id)"
            try await server.parts.revocation.revoke(.token(id), by: .server)

            server.time.advance(TreePurge.settled - 1)
            try await server.tidy()
            let before = try await labels(server)
            server.time.advance(Self.day)
            try await server.tidy()
            let after = try await labels(server)

            #expect(before.contains(label) && !after.contains(label))
            let lines: Int = try await server.database.value(
                "select count(*) from audit where action = 'revoke' and node = \(label)")
            #expect(lines == 1)
        }
    }

    @Test("that of a node is kept for as long as anything hangs below it, however old; those of the root stay")
    func held() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), loose = NodeID(endless: .system)
            let label = "instance:\(phone.clientID)"
            try await server.parts.revocation.revoke(.virtual(Ancestor(.instance, phone.clientID)), by: .server)
            try await server.parts.revocation.revoke(.token(loose), by: .server)
            try await server.parts.revocation.revoke(.virtual(.epoch), by: .server)

            server.time.advance(TreePurge.settled + 1)
            try await server.tidy()
            let early = try await labels(server)
            // The row of its installation goes first, the token of a year last.
            server.time.advance(120 * Self.day)
            try await server.tidy()
            let rows: Int = try await server.database.value("select count(*) from app_instance")
            let late = try await labels(server),
                shown = try await phone.get("/user-profile", token: phone.instance.accessToken)
            for _ in 0..<2 {
                server.time.advance(200 * Self.day)
                try await server.tidy()
            }

            #expect(early.contains(label) && !early.contains("token:\(loose)"))
            #expect(rows == 0 && late.contains(label) && shown.status == 401)
            let end = try await labels(server)
            #expect(!end.contains(label) && end.contains(Ancestor.epoch.label))
        }
    }

    /// The family of what a phone holds after a login.
    private func family(_ server: TestServer) async throws -> NodeID {
        let phone = try await Phone.registered(in: server)
        _ = try await phone.logIn()
        return try await server.database.value("select id from family where kind = 'pat'")
    }

    @Test("what a family was granted apart holds the revocation of what it hangs below, though no lineage names it")
    func resources() async throws {
        try await TestServer.with { server in
            let family = try await family(server), apart = NodeID(endless: .system), other = NodeID(endless: .system)
            let detail: JSONValue = ["resources": [["aud": "https://one.example", "nodes": [.string("\(apart)")]]]]
            _ = try await server.database.execute(
                "update family set detail = detail || \(detail) where id = \(family)")
            for node in [apart, other] { try await server.parts.revocation.revoke(.token(node), by: .server) }

            for _ in 0..<3 {
                server.time.advance(200 * Self.day)
                try await server.tidy()
            }

            let left = try await labels(server)
            #expect(left.contains("token:\(apart)") && !left.contains("token:\(other)"))
        }
    }

    @Test("an event that is still to be told holds the revocation that it is told of")
    func events() async throws {
        try await TestServer.with(options: .init(flags: ["events-patience": "\(60 * 86_400)"])) { server in
            let node = NodeID(endless: .system)
            try await server.parts.revocation.revoke(.token(node), by: .server)
            let service = "learn"
            _ = try await server.database.batch([
                """
                insert into delivery (service, last, acknowledged, next_try)
                values (\(service), 900, 0, \(server.time.now)) on conflict (service) do update set last = 900
                """,
                """
                insert into outbox (service, seq, jti, event, body, created_at, node)
                values (\(service), 900, 'of-a-test', 'ended', '{}', \(server.time.now), \(node))
                """,
            ])

            server.time.advance(TreePurge.settled + Self.day)
            try await server.tidy()
            let waiting = try await labels(server)
            _ = try await server.database.execute("update outbox set settled_at = \(server.time.now)")
            server.time.advance(31 * Self.day)
            try await server.tidy()

            #expect(waiting.contains("token:\(node)"))
            #expect(try await !labels(server).contains("token:\(node)"))
        }
    }

    @Test("a family that is dead goes a week later, unless a phone was begun by it; then both halves stay dead")
    func families() async throws {
        try await TestServer.with { server in
            let family = try await family(server), phone = try await Phone.registered(in: server)
            _ = try await phone.logIn()
            let begun: NodeID = try await server.database.value(
                "select id from family where kind = 'pat' and id <> \(family)")
            let now = server.time.now, end = now.addingTimeInterval(400 * Self.day)
            _ = try await server.database.execute(
                """
                insert into liquid_session
                    (id, secret, lineage, begun_by, token_until, created_at, last_seen, expires_at)
                select 'begun', decode(repeat('00', 32), 'hex'), '{}', f.id, \(end), \(now), \(now), \(end)
                from family f where f.id = \(begun)
                """)
            for id in [family, begun] { try await server.parts.revocation.revoke(.token(id), by: .server) }

            for _ in 0..<3 {
                server.time.advance(40 * Self.day)
                try await server.tidy()
            }

            let left: [NodeID] = try await server.database.query("select id from family where kind = 'pat'").map {
                try $0("id")
            }
            #expect(left == [begun])
            #expect(try await labels(server).contains("token:\(begun)"))
        }
    }

    @Test("the generation of a login that expired is closed; that of one that goes on, and what was told, stay")
    func sessions() async throws {
        try await TestServer.with { server in
            let ada = try await server.newResident(), gone = try await server.browserContext(as: ada)
            let app = try await server.webApp(), browser = Browser(server)
            server.time.advance(TreePurge.settled)
            try await browser.logInWithPassword(as: ada)
            _ = try await browser.signIn(AuthorizationDraft(app.id), as: ada.username)
            server.time.advance(Self.day / 4)
            try await server.tidy()

            let left: Int = try await server.database.value("select count(*) from ancestor where kind = 'session'")
            let closed: Int = try await server.database.value(
                "select count(*) from revocation where label like 'session:%' and actor = 'server'")
            let page = try await browser.open(.get, "/account")
            server.time.advance(3 * TreePurge.settled)
            try await server.tidy()
            let later: Int = try await server.database.value("select count(*) from ancestor where kind = 'session'")

            #expect(gone.session != nil && left == 1 && closed == 1 && page.status == 200)
            #expect(later == 0)
        }
    }

    @Test("who issues below a generation while it is closed gets another one, and nothing lives below the old")
    func meanwhile() async throws {
        try await TestServer.with { server in
            let store = server.parts.store, old = Ancestor(.key, "of-no-installation")
            let stale = try await store.generations(of: [.epoch, old])
            server.time.advance(TreePurge.settled + 1)
            try await server.tidy()

            let issued = try await store.issue(
                TokenDraft(
                    TokenBody(
                        realm: "idp", kind: .accessToken, parent: nil, anchor: stale[1], client: "machine", jkt: nil),
                    inherited: [], added: stale, lifetime: 3_600))
            let fresh = try await store.generations(of: [old])

            #expect(!issued.row.lineage.contains(stale[1]) && issued.row.lineage.contains(fresh[0]))
            let outcome = try await server.parts.revocation.revoke(.virtual(old), by: .server)
            #expect(!outcome.already)
            #expect(try await store.find(issued.row.id)?.isRevoked == true)
        }
    }
}
