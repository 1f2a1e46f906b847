import Base
import Database
import Federation
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("discovery in the order of use")
struct UsedFirstTests {
    private func ask(
        _ phone: Phone, _ pat: Reply, _ items: JSONValue = ["org.example.a"], _ query: String = "?order=used",
        at path: String = "/protocol-discovery"
    ) async throws -> Reply {
        try await phone.server.post(
            path + query, json: items, headers: phone.dpop(.post, path, token: pat.accessToken))
    }

    private func names(_ reply: Reply) -> [String] {
        (reply.json.array ?? []).compactMap { $0["homePageLink"]?.string?.dropFirst(8).split(separator: ".").first }
            .map(String.init)
    }

    @Test("what the person used comes first, the latest before all; who asks for no order gets that of ids")
    func order() async throws {
        try await TestServer.with { server in
            for id in ["s1", "s2", "s3", "s4"] {
                try await IndexedService(id, ["org.example.a", "org.ietf.oauth2"]).enter(
                    server.database, at: server.time.now)
            }
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            let bobs = try await Phone.registered(in: server), bobsPAT = try await bobs.logIn(as: "bob")
            for id in ["s4", "s2"] {
                _ = try await phone.assertion(pat, for: "https://\(id).example.org")
                server.time.advance(1)
            }

            let used = try await ask(phone, pat), plain = try await ask(phone, pat, ["org.example.a"], "")
            #expect(names(used) == ["s2", "s4", "s1", "s3"] && names(plain) == ["s1", "s2", "s3", "s4"])
            #expect(used[header: "ETag"] != plain[header: "ETag"])
            #expect(try await names(ask(bobs, bobsPAT)) == ["s1", "s2", "s3", "s4"])
            let bases: JSONValue = ["https://s1.example.org", "https://s4.example.org/"]
            #expect(try await names(ask(phone, pat, bases)) == ["s4", "s1"])
            #expect(try await names(ask(phone, pat, bases, at: "/protocol-discovery/service")) == ["s4", "s1"])
            #expect(try await ask(phone, pat, ["org.example.none"]).json == [])

            _ = try await ServiceIndex(clock: server.time.clock).move("s2", to: .suspended, in: server.database)
            #expect(try await names(ask(phone, pat)) == ["s4", "s1", "s3"])
        }
    }

    @Test("a service that was used is there, however many come before it by id")
    func many() async throws {
        try await TestServer.with { server in
            let now = server.time.now
            let shown = IndexedService("zz", ["org.example.a", "org.ietf.oauth2"])
            for id in ["aa", "zz"] {
                try await IndexedService(id, shown.protocols).enter(server.database, at: now)
            }
            try await server.database.execute(
                """
                insert into service (id, name, base, status, client, token_endpoint, events_endpoint, created_at,
                    changed_at, listed_at)
                select 'm' || n, 'm', 'https://m' || n || '.example.org', 'active', 'aa', 't', 'e', \(now), \(now),
                    \(now) from generate_series(1, 1100) n
                """)
            try await server.database.execute(
                """
                insert into service_document (service, state, document, document_text, protocols, offered, protocol_set,
                    next_try)
                select s.id, 'ok', d.document, d.document_text, d.protocols, d.offered, d.protocol_set, \(now)
                from service s, service_document d where s.id like 'm%' and d.service = 'aa'
                """)
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            _ = try await phone.assertion(pat, for: shown.base)

            let used = try await ask(phone, pat), plain = try await ask(phone, pat, ["org.example.a"], "")

            #expect(used.json.array?.count == 1_000 && plain.json.array?.count == 1_000)
            #expect(used.json.array?.first == shown.document)
            #expect(plain.json.array?.contains(shown.document) == false)
        }
    }

    @Test("any other order is refused, and so is a question of nobody")
    func hostile() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            for query in ["?order=name", "?order=used&order=used", "?order=%00", "?order=USED"] {
                #expect(try await ask(phone, pat, ["a"], query).outcome == "400 invalid_request", "\(query)")
            }
            #expect(try await ask(phone, pat, ["a"], "?order=").outcome == "200")

            let (id, secret) = server.residents.machine
            let basic = "Basic \(Data("\(id):\(secret)".utf8).base64EncodedString())"
            let token = try await server.post(
                "/token", ["grant_type": "client_credentials"], headers: [.authorization: basic]
            ).accessToken
            let machine = try await server.post(
                "/protocol-discovery?order=used", json: ["a"], headers: [.authorization: "Bearer \(token)"])
            #expect(machine.outcome == "400 invalid_request")
        }
    }
}
