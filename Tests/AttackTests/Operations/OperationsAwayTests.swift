import Base
import Database
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// The web side without its database. The phone's side is DatabaseAwayTests in JourneyTests.
@Suite("Attacks on operations: the database is away, full or slow (group 70)")
struct OperationsAwayTests {
    static let device = "urn:ietf:params:oauth:grant-type:device_code",
        exchange = "urn:ietf:params:oauth:grant-type:token-exchange"

    /// All that a web client and its person hold, made while the database was there.
    struct Belongings: Sendable {
        let app: WebApp, open: WebApp, forge: AssertionsForge, registered: Reply, tokens: Reply, code: String,
            deviceCode: String, invitation: String
        let browser: Browser
        let forms: [String: Reply]

        static func ready(_ server: TestServer) async throws -> Belongings {
            let app = try await server.webApp(grants: ["authorization_code", "refresh_token", exchange]),
                browser = Browser(server), tokens = try await app.logIn(browser)
            let code = try #require(try await browser.signIn(AuthorizationDraft(app.id)).answer["code"])
            let open = try await server.webApp(method: .none, redirectURIs: [], grants: [device])
            let begun = try await server.post("/device_authorization", ["client_id": open.id]),
                other = try await server.webApp()
            let consent = try #require(
                try await browser.goOn(
                    try await browser.follow(try await browser.open(.get, AuthorizationDraft(other.id).path)),
                    stopsAt: "/consent"
                ).page)
            var forms = ["consent": consent]
            for path in ["/account", "/account/password", "/logout", "/device?user_code=\(begun["user_code"] ?? "")"] {
                forms[path] = try await browser.open(.get, path)
            }
            let stranger = Browser(server)
            forms["/login"] = try await stranger.open(.get, "/login")
            return Belongings(
                app: app, open: open, forge: try await AssertionsForge.ready(in: server),
                registered: try await OperationsFixture.register(
                    server, ["client_name": "x", "grant_types": ["client_credentials"]]),
                tokens: tokens, code: code, deviceCode: begun["device_code"] ?? "",
                invitation: try await OperationsFixture.invitation(server), browser: browser, forms: forms)
        }
    }

    /// Each endpoint that needs the database, as program and as browser.
    private func askAll(_ place: TestServer, _ held: Belongings) async throws -> [(String, Reply)] {
        let (app, browser) = (held.app, Browser(place)),
            bearer: HTTPFields = [.authorization: "Bearer \(held.tokens.accessToken)"],
            phone = try Phone(server: place, key: PhoneKey(), device: "d", instance: held.tokens).dpop(.post, "/token")
        for (name, value) in await held.browser.cookies { await browser.set(cookie: name, to: value) }
        var headers = app.basic
        headers[.proof] = phone[.proof]
        let registration: HTTPFields = [.authorization: "Bearer \(held.registered["registration_access_token"] ?? "")"],
            path = "/register/\(held.registered.clientID)"
        var asked: [(String, Reply)] = [
            (
                "redeem",
                try await place.post(
                    "/token",
                    [
                        "grant_type": "authorization_code", "code": held.code, "code_verifier": Phone.verifier,
                        "redirect_uri": Browser.callback,
                    ], headers: app.basic)
            ),
            (
                "refresh",
                try await place.post(
                    "/token", ["grant_type": "refresh_token", "refresh_token": held.tokens.refreshToken],
                    headers: app.basic)
            ),
            (
                "device code",
                try await place.post(
                    "/token",
                    [
                        "grant_type": OperationsAwayTests.device, "device_code": held.deviceCode,
                        "client_id": held.open.id,
                    ])
            ),
            (
                "exchange",
                try await place.post(
                    "/token",
                    [
                        "grant_type": OperationsAwayTests.exchange, "subject_token": held.tokens.accessToken,
                        "resource": ServerParts.base,
                        "subject_token_type": "urn:ietf:params:oauth:token-type:access_token",
                    ], headers: headers)
            ),
            ("assertion", try await held.forge.send(try held.forge.jwt(), to: place)),
            (
                "wrong secret",
                try await place.post(
                    "/token", ["grant_type": "client_credentials"],
                    headers: [.authorization: "Basic \(Data("\(app.id):wrong".utf8).base64EncodedString())"])
            ),
            (
                "unknown client",
                try await place.post(
                    "/token", ["grant_type": "client_credentials", "client_id": "nobody", "client_secret": "x"])
            ),
            ("unknown code", try await app.server.wireless(place).redeem("x")),
            ("par", try await place.post("/par", ["client_id": app.id], headers: app.basic)),
            ("device_authorization", try await place.post("/device_authorization", ["client_id": held.open.id])),
            ("introspect", try await place.post("/introspect", ["token": held.tokens.accessToken], headers: app.basic)),
            ("revoke", try await place.post("/revoke", ["token": held.tokens.accessToken], headers: app.basic)),
            ("userinfo", try await place.get("/userinfo", headers: bearer)),
            ("userinfo by POST", try await place.send(.post, "/userinfo", headers: bearer)),
            ("instances", try await place.get("/instances", headers: bearer)),
            ("discovery", try await place.post("/protocol-discovery", json: ["x"], headers: bearer)),
            ("admin", try await place.get("/admin/api/v1/accounts", headers: bearer)),
            (
                "register",
                try await place.post(
                    "/register", json: ["client_name": "x"], headers: [.authorization: "Bearer \(held.invitation)"])
            ), ("registration", try await place.get(path, headers: registration)),
            (
                "update",
                try await place.send(
                    .put, path, headers: registration.with(.contentType, "application/json"),
                    body: (["client_id": .string(held.registered.clientID)] as JSONValue).bytes)
            ),
            ("delete", try await place.send(.delete, path, headers: registration)),
            ("keys", try await place.get("/jwks.json")),
        ]
        let authorize = AuthorizationDraft(app.id).path
        for address in [
            authorize, "/authorize?continue=x", "/login?request=x", "/account", "/account/password",
            "/consent?request=x", "/logout", "/device", "/device?user_code=BCDF-GHJK", authorize + "&prompt=none",
        ] {
            asked.append(("GET \(address.prefix(40))", try await browser.open(.get, address)))
            asked.append(
                (
                    "GET \(address.prefix(40)) as JSON",
                    try await browser.open(.get, address, headers: [.accept: "application/json"])
                ))
        }
        asked.append(("GET /authorize without a cookie", try await Browser(place).open(.get, authorize)))
        asked.append(
            (
                "POST /consent",
                try await browser.submit(
                    held.forms["consent"] ?? Reply(status: 0, headers: [:], body: ""), ["decision": "allow"])
            ))
        for (address, page) in held.forms where address != "consent" && address != "/login" {
            let (action, fields) = Browser.form(page)
            asked.append(("POST \(action)", try await browser.open(.post, action, form: fields)))
        }
        asked.append(
            (
                "POST /login",
                try await browser.open(
                    .post, "/login", form: [("form_token", "x"), ("username", "ada"), ("password", Residents.password)])
            ))
        return asked
    }

    @Test(
        """
        group 70: every endpoint says 503 with Retry-After, never that client, code or token are bad; all are good \
        when the database is back
        """
    )
    func away() async throws {
        try await TestServer.with { server in
            let held = try await Belongings.ready(server)
            try await server.withoutDatabase { away in
                for (what, reply) in try await askAll(away, held) {
                    #expect(
                        reply.status == 503 && reply[header: "Retry-After"].flatMap { Int($0) } != nil,
                        "\(what): \(reply.status) \(reply.body.prefix(300))")
                    #expect(reply.error == nil || reply.error == "temporarily_unavailable", "\(what)")
                    #expect(
                        !reply.headers[values: .setCookie].contains { $0.contains("pando_session") },
                        "\(what): nobody is logged out")
                }
                for path in [
                    "/healthz", "/", "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server",
                ] { #expect(try await away.get(path).status == 200) }
            }
            #expect(try await held.app.redeem(held.code).outcome == "200")
            #expect(try await held.app.refresh(held.tokens.refreshToken).outcome == "200")
            #expect(try await held.browser.open(.get, "/account").status == 200)
        }
    }

    /// PostgreSQL's own words (Appendix A): disk_full, out_of_memory, too_many_connections, query_canceled by timeout,
    /// admin_shutdown, cannot_connect_now, read_only_sql_transaction after a failover, lock_not_available.
    @Test(
        """
        group 70: what PostgreSQL says when it is full, slow, shutting down or a standby is 503, and nothing is used \
        up
        """,
        arguments: ["53100", "53200", "53300", "57014", "57P01", "57P03", "25006", "55P03"])
    func failing(_ state: String) async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(), browser = Browser(server), tokens = try await app.logIn(browser),
                code = try #require(try await browser.signIn(AuthorizationDraft(app.id)).answer["code"])
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            try await server.database.execute(
                """
                create function failing() returns trigger language plpgsql as $$ begin raise exception
                    'canceling statement due to statement timeout' using errcode = '\(raw: state)'; end $$
                """
            )
            for table in ["token", "one_time", "family", "revocation"] {
                try await server.database.execute(
                    """
                    create trigger failing before insert or update on \(identifier: table) for each statement \
                    execute function failing()
                    """
                )
            }

            let replies = [
                try await app.redeem(code), try await app.refresh(tokens.refreshToken),
                try await phone.refresh(pat.refreshToken), try await phone.get("/userinfo", token: pat.accessToken),
                try await server.post("/revoke", ["token": tokens.accessToken], headers: app.basic),
                try await OperationsFixture.logInOnce(phone),
                try await browser.open(.get, AuthorizationDraft(app.id).path),
            ]
            for reply in replies {
                #expect(
                    reply.status == 503 && reply[header: "Retry-After"] != nil,
                    "\(reply.status) \(reply.body.prefix(300))")
            }

            for table in ["token", "one_time", "family", "revocation"] {
                try await server.database.execute("drop trigger failing on \(identifier: table)")
            }
            #expect(try await app.redeem(code).outcome == "200")
            #expect(try await app.refresh(tokens.refreshToken).outcome == "200")
            #expect(try await phone.refresh(pat.refreshToken).outcome == "200")
        }
    }

    // group 70: an exhausted pool is DatabaseTests/PoolTests ("waitLimit"); it ends in the same `unavailable`.
}

extension TestServer {
    /// The client of this server as it would ask another.
    fileprivate func wireless(_ place: TestServer) -> WebApp {
        WebApp(server: place, id: residents.machine.id, secret: residents.machine.secret)
    }
}

extension HTTPFields {
    fileprivate func with(_ name: HTTPField.Name, _ value: String) -> HTTPFields {
        var all = self
        all[name] = value
        return all
    }
}
