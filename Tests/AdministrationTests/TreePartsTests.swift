import Administration
import Base
import Commands
import Database
import Foundation
import TestSupport
import Testing
import TokenTree

@Suite("The token tree by parts")
struct TreePartsTests {
    private func run(_ words: [String], _ arguments: JSONObject, _ server: TestServer) async throws -> AdminResult {
        let catalog = AdminCatalog.ofServer, entry = try #require(catalog.entry(words))
        let session = server.parts.composition.administrationSession(
            by: AuditActor(name: "admin:test", origin: nil, reason: nil), who: .operatorOfDatabase)
        return try await catalog.run(entry, arguments, in: session)
    }

    private func show(_ arguments: JSONObject, _ server: TestServer) async throws -> JSONObject {
        guard case .object(let tree) = try await run(["tree", "show"], arguments, server) else { return [:] }
        return tree
    }

    @Test("a version with many instances tells a page of them, counts the rest, and goes on until the end")
    func pages() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server)
            let version: String = try await server.database.value(
                "select version from app_instance where id = \(phone.clientID)")
            _ = try await server.database.execute(
                """
                insert into app_instance (id, app, version, device_id, thumbprint, jwk, lineage, created_at, last_seen)
                select 'many-' || lpad(n::text, 6, '0'), i.app, i.version, 'd' || n, 't' || n, i.jwk,
                    i.lineage[:2] || gen_random_uuid(), i.created_at, i.last_seen
                from app_instance i cross join generate_series(1, 10500) n where i.id = \(phone.clientID)
                """)
            var seen: Set<String> = [], after: String?, rounds = 0, first: JSONObject = [:]

            repeat {
                var arguments: JSONObject = [
                    "node": .string("version:\(version)"), "limit": 1_000, "depth": rounds == 0 ? 3 : 1,
                ]
                if let after { arguments["after"] = .string(after) }
                let tree = try await show(arguments, server)
                if rounds == 0 { first = tree }
                let nodes = (tree["children"]?.array ?? []).compactMap { $0["node"]?.string }
                #expect(nodes.count <= 1_000 && seen.isDisjoint(with: nodes))
                seen.formUnion(nodes)
                (after, rounds) = (tree["next"]?.string, rounds + 1)
            } while after != nil && rounds < 20

            #expect(seen.count == 10_501 && seen.contains("instance:\(phone.clientID)"))
            #expect(first["more"]?.integer == 9_501 && first["is_least"]?.bool == false)
        }
    }

    @Test("an instance shows its token, a token what hangs below it, and each says how many children it does not tell")
    func instance() async throws {
        try await TestServer.with { server in
            let ada = try await server.newResident(), phone = try await Phone.registered(in: server)
            _ = try await phone.logIn(as: ada.username)

            let tree = try await show(["node": .string("instance:\(phone.clientID)")], server)
            let token = try #require(tree["children"]?.array?.first)
            let below = try await show(["node": token["node"] ?? .null], server)
            let cut = try await show(["node": .string("instance:\(phone.clientID)"), "depth": 1], server)
            let person = try await show(["node": .string("account:\(ada.username)")], server)

            #expect(token["kind"]?.string == "instance_token" && token["status"]?.string == "live")
            #expect(token["children"]?.array?.first?["kind"]?.string == "pat")
            #expect(below["node"] == token["node"] && below["children"]?.array?.count == 1)
            #expect(cut["children"]?.array?.first?["children"] == .array([]))
            #expect(cut["children"]?.array?.first?["more"]?.integer == 1)
            #expect(person["children"]?.array?.first?["node"]?.string == "instance:\(phone.clientID)")
            #expect(
                person["children"]?.array?.first?["children"]?.array?.first?["account"]?.string
                    == ada.id.uuidString.lowercased())
        }
    }

    @Test("an anchor with too many tokens is looked through so far, and says that there are more")
    func scanned() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server)
            _ = try await server.database.execute(
                """
                insert into token (id, realm, kind, family, parent, anchor, lineage, issued_at, expires_at, client)
                select made.id, t.realm, 'pat', made.id, t.id, t.anchor, t.lineage || made.id,
                    t.issued_at + made.n * interval '1 millisecond', t.expires_at, t.client
                from token t cross join lateral (
                    select n, overlay(t.id::text placing lpad(to_hex(n), 12, '0') from 25)::uuid as id
                    from generate_series(1, 20100) n) made
                where t.client = \(phone.clientID) and t.kind = 'instance_token'
                """)

            let tree = try await show(["node": .string("instance:\(phone.clientID)"), "limit": 5], server)

            #expect(tree["is_least"]?.bool == true)
            #expect((tree["children"]?.array ?? []).count <= 5)
        }
    }

    @Test("a name is found whatever it names, and what is no name finds nothing")
    func find() async throws {
        try await TestServer.with { server in
            let ada = try await server.newResident(), phone = try await Phone.registered(in: server)
            func found(_ text: String) async throws -> [String] {
                guard case .list(let items, _) = try await run(["tree", "find"], ["text": .string(text)], server) else {
                    return []
                }
                return items.compactMap { $0["node"]?.string }
            }

            #expect(try await found(ada.username) == ["account:\(ada.id.uuidString.lowercased())"])
            #expect(try await found(" \(phone.clientID) ") == ["instance:\(phone.clientID)"])
            #expect(try await found("instance:\(phone.clientID)").first == "instance:\(phone.clientID)")
            #expect(try await found("' or 1=1 --") == [])
            await #expect(throws: AdminFailure.self) { try await found("") }
            await #expect(throws: AdminFailure.self) { try await found("a\0b") }
            await #expect(throws: AdminFailure.self) { try await found(String(repeating: "x", count: 400)) }
        }
    }

    @Test("statistics show tells each figure with its trend, and refuses what is none")
    func statistics() async throws {
        try await TestServer.with { server in
            let now = StatisticStep.fiveMinutes.start(of: server.time.now)
            _ = try await server.database.execute(
                """
                insert into statistic (step, bucket, metric, label, value)
                select 300, \(now)::timestamptz - interval '10 minutes', m.metric, m.label, m.value
                from (values ('taken', '', 1), ('logins', 'pwd/done', 7)) m (metric, label, value)
                """)
            guard
                case .list(let items, nil) = try await run(
                    ["statistics", "show"], ["metric": "logins", "since": "1h"], server)
            else { throw TestFailure() }

            #expect(items.count == 1 && items.first?["latest"]?.integer == 7 && items.first?["sum"]?.integer == 7)
            #expect(items.first?["trend"]?.string?.contains("█") == true)
            #expect(items.first?["series"]?["step_s"]?.integer == 300)
            for bad: JSONObject in [["metric": "tokens"], ["since": "yesterday"], ["step": "week"], ["since": "-3h"]] {
                let failure = await #expect(throws: AdminFailure.self) {
                    try await run(["statistics", "show"], bad, server)
                }
                #expect(failure.map { [.invalid, .usage].contains($0.code) } == true, "\(bad)")
            }
        }
    }

    private struct TestFailure: Error {}
}
