import Base
import Database
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// What a grant leaves behind when its process dies between two statements.
///
/// Every table gets a trigger that counts statements which write, and ends the transaction before the n-th of a
/// request; for n = 1, 2, … until the request gets through. Then the same at commit. (kill -9 of the real process under
/// load is Tests/Interop/test_killed.py.)
@Suite("Attacks on operations: a crash between any two statements (group 69)")
struct OperationsCrashTests {
    /// A request that writes. `prepare` makes what it needs, and gives the request: to be sent once into the crash, and
    /// once again.
    struct Step: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// What a second try after a crash may come to: `200`, or a clean refusal where something is used up by design.
        let again: Set<String>
        /// Tokens that may wait for the second try, which gets them and makes no others: a pair was rotated, and its
        /// answer not noted as sent.
        let waiting: Int
        let prepare: @Sendable (TestServer, Phone) async throws -> @Sendable () async throws -> Reply

        init(
            _ what: String, again: Set<String> = ["200"], waiting: Int = 0,
            _ prepare: @escaping @Sendable (TestServer, Phone) async throws -> @Sendable () async throws -> Reply
        ) {
            (testDescription, self.again, self.waiting, self.prepare) = (what, again, waiting, prepare)
        }
    }

    static let device = "urn:ietf:params:oauth:grant-type:device_code"

    static let steps: [Step] = [
        Step("an instance registers") { server, _ in
            let (key, device) = (PhoneKey(), UUID().uuidString)
            return { try await RegistrationDraft(server, key: key, device: device).send() }
        },
        Step("a phone logs in") { _, phone in { try await OperationsFixture.logInOnce(phone) } },
        Step("a phone's code becomes a personal access token") { _, phone in
            let code = try #require(try await phone.logInForCode()["authorization_code"])
            return { try await phone.redeem(code: code) }
        },
        Step("a phone refreshes", waiting: 1) { _, phone in
            let pat = try await phone.logIn()
            return { try await phone.refresh(pat.refreshToken) }
        },
        Step("an assertion is made") { _, phone in
            let pat = try await phone.logIn()
            return { try await phone.askAssertion(pat) }
        },
        Step("a service redeems an assertion") { _, phone in
            let assertion = try await phone.assertion(phone.logIn())
            return { try await phone.redeem(assertion: assertion) }
        },
        // The app's code is a JWT of the phone's making, used up before anything is issued: the phone makes another.
        Step("an app is authorized, each time by a code of its own") { _, phone in
            let service = try await phone.joinService()
            return { try await phone.authorizeApp(service) }
        },
        Step("a machine asks for a token") { server, _ in
            let machine = server.residents.machine, pair = Data("\(machine.id):\(machine.secret)".utf8)
            let basic: HTTPFields = [.authorization: "Basic \(pair.base64EncodedString())"]
            return { try await server.post("/token", ["grant_type": "client_credentials"], headers: basic) }
        },
        // The assertion may be used up by the crash: its client signs another.
        Step("a machine shows an assertion", again: ["200", "401 invalid_client"]) { server, _ in
            let forge = try await AssertionsForge.ready(in: server), assertion = try forge.jwt()
            return { try await forge.send(assertion) }
        },
        Step("a web client redeems a code") { server, _ in
            let app = try await server.webApp(),
                code = try #require(try await Browser(server).signIn(AuthorizationDraft(app.id)).answer["code"])
            return { try await app.redeem(code) }
        },
        Step("a web client refreshes", waiting: 1) { server, _ in
            let app = try await server.webApp(), tokens = try await app.logIn(Browser(server))
            return { try await app.refresh(tokens.refreshToken) }
        },
        // The poll itself is noted; who comes again within five seconds is told to slow down, and then gets it.
        Step("a device gets its tokens", again: ["200", "400 slow_down"]) { server, _ in
            let
                app = try await server.webApp(
                    method: .none, redirectURIs: [], scope: "openid profile", grants: [device, "refresh_token"]),
                browser = Browser(server)
            let begun = try await server.post("/device_authorization", ["client_id": app.id])
            let page = try #require(
                try await browser.goOn(
                    try await browser.follow(
                        try await browser.open(.get, "/device?user_code=\(begun["user_code"] ?? "")"))
                ).page)
            _ = try await browser.submit(page, ["decision": "allow"])
            return {
                try await server.post(
                    "/token", ["grant_type": device, "device_code": begun["device_code"], "client_id": app.id])
            }
        },
        Step("a person logs in at a browser", again: ["303"]) { server, _ in
            let browser = Browser(server), page = try await browser.open(.get, "/login")
            return { try await browser.submit(page, ["username": "ada", "password": Residents.password]) }
        },
        Step("a person agrees", again: ["303"]) { server, _ in
            let app = try await server.webApp(), browser = Browser(server), draft = AuthorizationDraft(app.id)
            let page = try #require(
                try await browser.goOn(
                    try await browser.follow(try await browser.open(.get, draft.path)), stopsAt: "/consent"
                ).page)
            try #require(Browser.form(page).action.hasSuffix("/consent"), "\(page.body.prefix(300))")
            return { try await browser.submit(page, ["decision": "allow"]) }
        },
        Step("a token is revoked") { server, _ in
            let app = try await server.webApp(), tokens = try await app.logIn(Browser(server))
            return { try await server.post("/revoke", ["token": tokens.refreshToken], headers: app.basic) }
        },
    ]

    /// Tokens that would open something, whoever holds them.
    private func live(_ server: TestServer) async throws -> Int {
        try await server.database.value(
            """
            select (select count(*) from token t where t.used_at is null and t.expires_at > \(server.time.now) and
                not exists (select from revocation r where r.node = any (t.lineage)))
                 + (select count(*) from family f where not exists (select from revocation r
                     where r.node = any (f.lineage)))
                 + (select count(*) from browser_session s where not exists (select from revocation r
                     where r.node = any (s.lineage)))
            """)
    }

    private func arm(_ server: TestServer) async throws {
        try await server.database.execute("create sequence crash_count")
        try await server.database.execute("create table crash_at (number bigint not null, at_commit boolean not null)")
        try await server.database.execute(
            """
            create function crash() returns trigger language plpgsql as $$
            declare armed record;
            begin
                select number, at_commit into armed from crash_at;
                if found and not armed.at_commit and nextval('crash_count') = armed.number then raise exception
                    'crash' using errcode = '57P01'; end if;
                return null;
            end $$
            """)
        try await server.database.execute(
            """
            create function crash_late() returns trigger language plpgsql as $$
            begin
                if exists (select from crash_at where at_commit) and nextval('crash_count') = (select number
                    from crash_at) then raise exception 'crash' using errcode = '57P01'; end if;
                return null;
            end $$
            """)
        let tables = try await server.database.query(
            """
            select c.relname as name from pg_class c where c.relnamespace = current_schema()::regnamespace
                and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'crash_at' order by 1
            """)
        for table in tables {
            let name: String = try table("name")
            try await server.database.execute(
                """
                create trigger crash before insert or update or delete on \(identifier: name) for each statement \
                execute function crash()
                """
            )
            try await server.database.execute(
                """
                create constraint trigger crash_late after insert or update or delete on \(identifier: name) \
                deferrable initially deferred for each row execute function crash_late()
                """
            )
        }
    }

    private func aim(_ server: TestServer, at number: Int?, atCommit: Bool = false) async throws {
        try await server.database.execute("delete from crash_at")
        try await server.database.execute("alter sequence crash_count restart")
        if let number {
            try await server.database.execute(
                "insert into crash_at (number, at_commit) values (\(number), \(atCommit))")
        }
    }

    @Test(
        """
        group 69: a crash before any of a grant's writes, or at a commit, leaves no token that lives, and the same \
        request works afterwards or is cleanly refused
        """,
        arguments: steps)
    func crash(_ step: Step) async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server)
            try await arm(server)
            let well = try await step.prepare(server, phone)().status
            try #require(well < 400, "without a crash it works")
            var crashes = 0
            for atCommit in [false, true] {
                for number in 1...60 {
                    let ask = try await step.prepare(server, phone), before = try await live(server)
                    try await aim(server, at: number, atCommit: atCommit)
                    let reply = try await ask()
                    try await aim(server, at: nil)
                    if reply.status < 400 {
                        try #require(
                            number > 1,
                            """
                            nothing was written\(atCommit ? " at commit" : ""): \(reply.status) \
                            \(reply.body.prefix(200))
                            """
                        )
                        break
                    }
                    crashes += 1
                    let place = "write \(number)\(atCommit ? " at commit" : "")"
                    #expect(
                        reply.status == 503 && (reply[header: "Retry-After"] != nil),
                        "\(place): \(reply.status) \(reply.body.prefix(300))")
                    let after = try await live(server)
                    #expect(
                        reply.accessToken.isEmpty && after <= before + step.waiting,
                        "\(place): something lives that nobody holds")
                    let again = try await ask()
                    if step.waiting > 0 {
                        #expect(
                            try await live(server) == before + step.waiting, "\(place): the second try got what waited")
                    }
                    #expect(step.again.contains(again.outcome), "\(place): \(again.status) \(again.body.prefix(300))")
                    // A code or assertion is used up by whoever got its token, so a crash that burnt one must not have
                    // been silent.
                    try #require(number < 60)
                }
            }
            #expect(crashes >= 2)
        }
    }
}
