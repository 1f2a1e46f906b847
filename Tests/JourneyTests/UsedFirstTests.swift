import Accounts
import Base
import Database
import Federation
import Foundation
import HTTPTypes
import TestSupport
import Testing
import TokenTree

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

    private func enter(_ ids: [String], _ server: TestServer) async throws {
        for id in ids {
            try await IndexedService(id, ["org.example.a", "org.ietf.oauth2"]).enter(
                server.database, at: server.time.now)
        }
    }

    private func refuse(_ party: ServiceRefusals.Party, at service: String, _ server: TestServer) async throws {
        let isNew = try await ServiceRefusals(clock: server.time.clock).refuse(
            party, at: service, by: AuditActor(name: "admin:test", reason: "test"), in: server.database)
        try #require(isNew)
    }

    @Test("what keeps out the person or their phone comes last, used or not, and for nobody else")
    func refused() async throws {
        try await TestServer.with { server in
            try await enter(["s1", "s2", "s3", "s4", "s5"], server)
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            let other = try await Phone.registered(in: server), otherPAT = try await other.logIn()
            let bobs = try await Phone.registered(in: server), bobsPAT = try await bobs.logIn(as: "bob")
            for id in ["s2", "s3"] {
                _ = try await phone.assertion(pat, for: "https://\(id).example.org")
                server.time.advance(1)
            }
            #expect(try await names(ask(phone, pat)) == ["s3", "s2", "s1", "s4", "s5"])

            let ada = try #require(
                try await AccountStore(clock: server.time.clock).find("ada", in: server.database)
            ).id
            try await refuse(.account(ada), at: "s3", server)
            // As two phones that are long gone: of the one this is the device, of the other the key.
            try await refuse(.phone(device: phone.device, key: "gone", instance: "gone"), at: "s1", server)
            try await refuse(.phone(device: "gone", key: phone.key.thumbprint, instance: "gone"), at: "s4", server)

            #expect(try await names(ask(phone, pat)) == ["s2", "s5", "s3", "s1", "s4"])
            #expect(try await names(ask(other, otherPAT)) == ["s2", "s1", "s4", "s5", "s3"])
            #expect(try await names(ask(bobs, bobsPAT)) == ["s1", "s2", "s3", "s4", "s5"])
            let plain = try await ask(phone, pat, ["org.example.a"], "")
            #expect(names(plain) == ["s1", "s2", "s3", "s4", "s5"])
            #expect(try await ask(bobs, bobsPAT, ["org.example.a"], "")[header: "ETag"] == plain[header: "ETag"])
            let bases: JSONValue = ["https://s3.example.org", "https://s5.example.org"]
            #expect(try await names(ask(phone, pat, bases)) == ["s5", "s3"])
        }
    }

    @Test("what does not take the app that is named comes last: closed to all, or to this one")
    func app() async throws {
        try await TestServer.with { server in
            try await enter(["s1", "s2", "s3", "s4"], server)
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            for id in ["s1", "s2"] {
                _ = try await phone.assertion(pat, for: "https://\(id).example.org")
                server.time.advance(1)
            }
            try await server.database.batch([
                """
                insert into service_policy (service, apps, changed_at)
                values ('s2', 'closed', \(server.time.now)), ('s4', 'closed', \(server.time.now))
                """,
                """
                insert into service_app (service, bundle, verdict)
                values ('s2', 'org.example.friend', 'allow'), ('s3', 'org.example.foe', 'deny')
                """,
            ])

            #expect(try await names(ask(phone, pat)) == ["s2", "s1", "s3", "s4"])
            let query = "?order=used&app=org.example."
            #expect(try await names(ask(phone, pat, ["org.example.a"], query + "friend")) == ["s2", "s1", "s3", "s4"])
            #expect(try await names(ask(phone, pat, ["org.example.a"], query + "foe")) == ["s1", "s2", "s3", "s4"])
            #expect(try await names(ask(phone, pat, ["org.example.a"], query + "any")) == ["s1", "s3", "s2", "s4"])
        }
    }

    @Test(
        "an app that is no bundle id, comes twice or without the order is refused",
        arguments: [
            "?order=used&app=a%20b", "?order=used&app=%C3%A9", "?order=used&app=a&app=b", "?app=org.example.app",
            "?order=used&app=" + String(repeating: "a", count: 256),
        ])
    func hostileApp(_ query: String) async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            #expect(try await ask(phone, pat, ["a"], query).outcome == "400 invalid_request")
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
