import Base
import Database
import Foundation
import HTTPTypes
import Liquid
import TestSupport
import Testing
import TokenTree

/// As `OneMoreTests`, for what people have on phones, in wallets and at applications.
@Suite("One more than every limit: what people have")
struct OneMorePersonTests {
    private func submit(_ browser: Browser, _ path: String, _ name: String, _ value: String) async throws -> Int {
        let token = try await browser.server.formToken(browser, at: "/account")
        return try await browser.open(.post, path, form: [("form_token", token), (name, value)]).status
    }

    private func revoke(_ server: TestServer, like pattern: String) async throws -> [String] {
        try await server.database.query("select label from revocation where label like \(pattern) order by label")
            .map { try $0("label") }
    }

    // MARK: App instances

    /// 1001 further instances of the only one's account, `more1` the newest but for it; each a node of its own.
    private static let instances: SQL = """
        with made as (
            insert into ancestor (kind, name, id, opened_at)
            select 'instance', 'more' || g, gen_random_uuid(), now() from generate_series(1, 1001) g returning name, id
        )
        insert into app_instance select (jsonb_populate_record(i, jsonb_build_object(
            'id', m.name, 'created_at', i.created_at - substr(m.name, 5)::int * interval '1 second',
            'lineage', to_jsonb(array_replace(i.lineage, a.id, m.id))))).*
        from app_instance i join ancestor a on a.kind = 'instance' and a.name = i.id cross join made m
        """

    @Test("an app that the account page has no room for is disconnected by its id, and is shown when another goes")
    func apps() async throws {
        try await TestServer.with { server in
            let account = try await server.newResident(), browser = Browser(server)
            _ = try await Phone.registered(in: server).logIn(as: account.username)
            try await browser.logInWithPassword(as: account)
            _ = try await server.database.execute(Self.instances)
            let full = try await browser.open(.get, "/account").body
            #expect(full.contains("\"more999\"") && !full.contains("\"more1000\"") && !full.contains("\"more1001\""))

            #expect(try await submit(browser, "/account/disconnect", "instance", "more1001") == 303)
            #expect(try await submit(browser, "/account/disconnect", "instance", "more1") == 303)

            #expect(try await revoke(server, like: "instance:more%") == ["instance:more1", "instance:more1001"])
            #expect(try await browser.open(.get, "/account").body.contains("\"more1000\""))
            #expect(try await submit(browser, "/account/disconnect", "instance", "more1001") == 404, "it is over")
        }
    }

    // MARK: Applications of a session

    @Test("every application that a session logged in to is told of its end, also those that nobody is shown")
    func applications() async throws {
        try await TestServer.with { server in
            let account = try await server.newResident(), app = try await server.webApp(), now = server.time.now
            let here = Browser(server), there = Browser(server)
            try await there.logInWithPassword(as: account)
            let session: String = try await server.database.value("select id from browser_session")
            try await here.logInWithPassword(as: account)
            _ = try await server.database.batch([
                """
                insert into client select (jsonb_populate_record(c, jsonb_build_object('id', 'more' || g, 'metadata',
                    c.metadata || jsonb_build_object('backchannel_logout_uri', 'https://rp.example.org/' || g)))).*
                from client c cross join generate_series(1, 1001) g where c.id = \(app.id)
                """,
                """
                insert into session_client (session, client, subject, first_at)
                select \(session), 'more' || g, 'somebody', \(now) + g * interval '1 second'
                from generate_series(1, 1001) g
                """,
            ])
            #expect(try await here.open(.get, "/account").body.contains("\"\(session)\""))

            #expect(try await submit(here, "/account/end", "session", session) == 303)

            let told: Int = try await server.database.value(
                "select count(distinct uri) from logout_delivery where session = \(session)")
            #expect(told == 1001)
        }
    }

    // MARK: Wallets

    /// 201 further sessions of the only one's wallet, `more1` seen last but for it; each a node of its own.
    private static let walletSessions: SQL = """
        with made as (
            insert into ancestor (kind, name, id, opened_at)
            select 'session', 'liquid:more' || g, gen_random_uuid(), now() from generate_series(1, 201) g
            returning name, id
        )
        insert into liquid_session select (jsonb_populate_record(x, jsonb_build_object(
            'id', substr(m.name, 8), 'last_seen', x.last_seen - substr(m.name, 12)::int * interval '1 second',
            'lineage', to_jsonb(array_replace(x.lineage, a.id, m.id))))).*
        from liquid_session x join ancestor a on a.kind = 'session' and a.name = 'liquid:' || x.id cross join made m
        """

    @Test("a wallet's session that the account page has no room for is ended by its id, and is shown when another goes")
    func wallets() async throws {
        try await TestServer.with { server in
            let account = try await server.newResident(), browser = Browser(server),
                passkeys = try server.parts.passkeys
            var wallet = WalletDevice()
            let entered = try await wallet.register(in: server)
            try #require(entered.status == 201, "wallet: \(entered.body)")
            try await browser.logInWithPassword(as: account)
            let answer = try wallet.passkey.get(try await passkeys.linkOptions(for: account.id, holder: "more"))
            _ = try await passkeys.link(answer, to: account.id, below: [], holder: "more", actor: .server)
            _ = try await server.database.execute(Self.walletSessions)
            let full = try await browser.open(.get, "/account").body
            #expect(full.contains("\"more199\"") && !full.contains("\"more200\"") && !full.contains("\"more201\""))

            #expect(try await submit(browser, "/account/wallets/end", "session", "more201") == 303)
            #expect(try await submit(browser, "/account/wallets/end", "session", "more1") == 303)

            let labels = ["session:liquid:more1", "session:liquid:more201"]
            #expect(try await revoke(server, like: "session:liquid:more%") == labels)
            #expect(try await browser.open(.get, "/account").body.contains("\"more200\""))
            #expect(try await submit(browser, "/account/wallets/end", "session", "more201") == 404, "it is over")
        }
    }

    /// 301 further sessions that the only one's passkey let in, with ids as long as all have.
    private static let longSessions: SQL = """
        insert into liquid_session select (jsonb_populate_record(x, jsonb_build_object(
            'id', 'more' || lpad(g::text, 18, '0')))).*
        from liquid_session x cross join generate_series(1, 301) g
        """

    @Test(
        "when a wallet's passkey is revoked every session that it let in is told of, in as many notices as that takes")
    func notices() async throws {
        try await TestServer.with { server in
            var wallet = WalletDevice()
            let entered = try await wallet.register(in: server)
            try #require(entered.status == 201, "wallet: \(entered.body)")
            let credential: [UInt8] = try await server.database.value("select credential from liquid_session")
            _ = try await server.database.execute(Self.longSessions)
            let passkey = Ancestor(.key, "passkey:" + Base64URL.encode(credential)), end = "end \(UUID().uuidString)"

            var told: [[String]] = []
            for await heard in server.database.listen("pando_signalling") {
                if heard == .listening {
                    try await server.parts.revocation.revoke(.virtual(passkey), by: .server)
                    _ = try await server.database.query("select pg_notify('pando_signalling', \(end))")
                }
                guard case .payload(let notice) = heard else { continue }
                if notice == end { break }
                // Other houses use the channel, too.
                told.append(notice.dropFirst().split(separator: ",").map(String.init).filter { $0.hasPrefix("more00") })
            }

            #expect(told.count { !$0.isEmpty } == 2)
            #expect(Set(told.joined()).count == 301)
        }
    }
}
