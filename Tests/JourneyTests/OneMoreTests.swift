import Base
import Database
import Foundation
import HTTPTypes
import OAuth
import TestSupport
import Testing

/// What reads at most so many rows, and ends or tells something by them, is tried with one more.
@Suite("One more than every limit")
struct OneMoreTests {
    private func submit(_ browser: Browser, _ path: String, _ name: String, _ value: String) async throws -> Int {
        let token = try await browser.server.formToken(browser, at: "/account")
        return try await browser.open(.post, path, form: [("form_token", token), (name, value)]).status
    }

    private func count(_ server: TestServer, _ sql: SQL) async throws -> Int { try await server.database.value(sql) }

    /// 201 further sessions of the only one's account, `more1` seen last but for it, `more201` the longest ago; each a
    /// node of its own.
    private static let sessions: SQL = """
        with made as (
            insert into ancestor (kind, name, id, opened_at)
            select 'session', 'more' || g, gen_random_uuid(), now() from generate_series(1, 201) g returning name, id
        )
        insert into browser_session select (jsonb_populate_record(s, jsonb_build_object(
            'id', m.name, 'secret', sha256(convert_to(m.name, 'UTF8')),
            'last_seen', s.last_seen - substr(m.name, 5)::int * interval '1 second',
            'lineage', to_jsonb(array_replace(s.lineage, a.id, m.id))))).*
        from browser_session s join ancestor a on a.kind = 'session' and a.name = s.id cross join made m
        """

    @Test("a session that the account page has no room for is ended by its id, and is shown when another goes")
    func sessions() async throws {
        try await TestServer.with { server in
            let account = try await server.newResident(), browser = Browser(server)
            try await browser.logInWithPassword(as: account)
            _ = try await server.database.execute(Self.sessions)
            #expect(
                try await count(server, "select count(*) from browser_session where account = \(account.id)") == 202)
            #expect(try await browser.open(.get, "/account").body.contains("\"more1\""))

            #expect(try await submit(browser, "/account/end", "session", "more201") == 303)
            #expect(try await submit(browser, "/account/end", "session", "more1") == 303)

            let labels: [String] = try await server.database.query(
                "select label from revocation where label like 'session:more%' order by label"
            )
            .map { try $0("label") }
            #expect(labels == ["session:more1", "session:more201"])
            #expect(try await browser.open(.get, "/account").body.contains("\"more200\""))
            #expect(try await submit(browser, "/account/end", "session", "more201") == 404, "it is over")
        }
    }

    @Test("consent that the account page has no room for is withdrawn by its client, and is shown when another goes")
    func consents() async throws {
        try await TestServer.with { server in
            let account = try await server.newResident(), browser = Browser(server), app = try await server.webApp()
            try await browser.logInWithPassword(as: account)
            _ = try await server.database.execute(
                """
                insert into client select (jsonb_populate_record(c, jsonb_build_object('id', 'more' || g))).*
                from client c cross join generate_series(1, 202) g where c.id = \(app.id)
                """)
            _ = try await server.database.execute(
                """
                insert into consent (account, client, scopes, given_at, changed_at)
                select \(account.id), 'more' || g, array['openid'], now() - g * interval '1 second', now()
                from generate_series(1, 202) g
                """)
            let full = try await browser.open(.get, "/account").body
            #expect(full.contains("\"more1\"") && !full.contains("\"more201\"") && !full.contains("\"more202\""))

            #expect(try await submit(browser, "/account/withdraw", "client", "more202") == 303)
            #expect(try await submit(browser, "/account/withdraw", "client", "more1") == 303)

            let left = try await count(
                server, "select count(*) from consent where account = \(account.id) and client in ('more1', 'more202')")
            #expect(left == 0)
            #expect(try await browser.open(.get, "/account").body.contains("\"more201\""))
        }
    }

    @Test("back-channel logouts are told in rounds until none is left")
    func logouts() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(), now = server.time.now
            server.wire.refusePushes(200)
            _ = try await server.database.execute(
                """
                insert into logout_delivery (client, uri, session, subject, created_at, next_try)
                select \(app.id), 'https://rp.example.org/backchannel/' || g, 'session' || g, 'somebody', \(now), \(now)
                from generate_series(1, 33) g
                """)

            let rounds = [
                try await server.parts.logouts.sendDue(), try await server.parts.logouts.sendDue(),
                try await server.parts.logouts.sendDue(),
            ]

            #expect(rounds == [32, 1, 0])
            #expect(Set(server.wire.pushes.map(\.url)).count == 33)
            #expect(try await count(server, "select count(*) from logout_delivery") == 0)
        }
    }

    @Test("events reach every service, in rounds until none is left")
    func events() async throws {
        try await TestServer.with { server in
            let now = server.time.now
            server.wire.refusePushes(202)
            _ = try await server.database.batch([
                """
                insert into service select (jsonb_populate_record(s, jsonb_build_object(
                    'id', 'more' || g, 'base', s.base || '/more' || g,
                    'events_endpoint', s.events_endpoint || '/more' || g))).*
                from service s cross join generate_series(1, 33) g where s.id = 'learn'
                """,
                """
                insert into outbox (service, seq, jti, event, body, created_at)
                select 'more' || g, 1, 'jti' || g, 'ended', '{}', \(now) from generate_series(1, 33) g
                """,
                """
                insert into delivery (service, last, next_try) select 'more' || g, 1, \(now)
                    from generate_series(1, 33) g
                """,
            ])

            let rounds = [
                try await server.parts.sender.sendDue(), try await server.parts.sender.sendDue(),
                try await server.parts.sender.sendDue(),
            ]

            #expect(rounds == [32, 1, 0])
            #expect(Set(server.wire.pushes.map(\.url)).count == 33)
            #expect(try await count(server, "select count(*) from delivery where acknowledged < last") == 0)
        }
    }
}
