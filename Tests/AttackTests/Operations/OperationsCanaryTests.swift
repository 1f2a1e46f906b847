import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// Strings that must stay where they belong. The phone's side is CanaryTests in JourneyTests.
@Suite("Attacks on operations: secrets in logs, rows and pages (group 74)")
struct OperationsCanaryTests {
    /// Collected on the way.
    private actor Secrets {
        private(set) var all: [String: String] = [:]
        func keep(_ name: String, _ value: String?) { all[name] = value ?? "" }
        func keep(
            _ name: String, _ reply: Reply,
            _ members: [String] = [
                "access_token", "refresh_token", "id_token", "device_code", "user_code", "client_secret",
                "registration_access_token", "request_uri", "code",
            ]
        ) {
            for member in members {
                if let value = reply[member] {
                    all["\(name) \(member)"] =
                        member == "request_uri" ? String(value.split(separator: ":").last ?? "") : value
                }
            }
        }
    }

    /// Refused at each step with a wrong value, too: those are what people typed.
    private func journey(_ server: TestServer, _ secrets: Secrets) async throws {
        let device = "urn:ietf:params:oauth:grant-type:device_code",
            app = try await server.webApp(grants: [
                "authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:token-exchange",
            ]) { $0.backchannelLogoutURI = "https://rp.example.org/backchannel" }
        let browser = Browser(server)
        await secrets.keep("client secret", app.secret)
        await secrets.keep("Basic", app.basic[.authorization].map { String($0.dropFirst(6)) })
        await secrets.keep("password", Residents.password)
        await secrets.keep("wrong password", "hunter2-is-not-it-either")
        await secrets.keep("verifier", Phone.verifier)
        let login = try #require(
            try await browser.follow(try await browser.open(.get, AuthorizationDraft(app.id).path)).page)
        await secrets.keep("login form token", Browser.form(login).fields.first { $0.0 == "form_token" }?.1)
        await secrets.keep("request reference", Browser.form(login).fields.first { $0.0 == "request" }?.1)
        let wrong = try await browser.submit(login, ["username": "ada", "password": "hunter2-is-not-it-either"])
        let consent = try #require(
            try await browser.follow(
                try await browser.submit(wrong, ["username": "ada", "password": Residents.password])
            ).page)
        await secrets.keep("consent form token", Browser.form(consent).fields.first { $0.0 == "form_token" }?.1)
        let code = try await browser.follow(try await browser.submit(consent, ["decision": "allow"])).answer["code"]
        await secrets.keep("code", code)
        // The way that a person took last is a word that everybody has.
        for (name, value) in await browser.cookies where name != "pando_way" {
            await secrets.keep("cookie \(name)", value)
        }
        let tokens = try await app.redeem(code)
        await secrets.keep("tokens", tokens)
        _ = try await app.userInfo(tokens.accessToken)
        _ = try await app.userInfo(tokens.accessToken + "x")
        await secrets.keep("refreshed", try await app.refresh(tokens.refreshToken))
        await secrets.keep(
            "PAR",
            try await server.post(
                "/par",
                [
                    "response_type": "code", "client_id": app.id, "redirect_uri": Browser.callback,
                    "code_challenge": Phone.challenge, "code_challenge_method": "S256",
                ], headers: app.basic))
        _ = try await server.post("/introspect", ["token": tokens.accessToken], headers: app.basic)
        _ = try await browser.open(.get, "/authorize?request_uri=urn:x:\(tokens.accessToken)&code=\(code ?? "")")
        _ = try await server.get(
            "/register/\(tokens.refreshToken)", headers: [.authorization: "Bearer \(tokens.accessToken)"])
        _ = try await app.redeem(code)
        let forge = try await AssertionsForge.ready(in: server), assertion = try forge.jwt()
        await secrets.keep("client assertion", assertion)
        for _ in 0..<2 { await secrets.keep("machine", try await forge.send(assertion)) }

        let
            television = try await server.webApp(
                method: .none, redirectURIs: [], scope: "openid profile", grants: [device, "refresh_token"]),
            begun = try await server.post("/device_authorization", ["client_id": television.id])
        await secrets.keep("device", begun)
        func poll() async throws -> Reply {
            try await server.post(
                "/token", ["grant_type": device, "device_code": begun["device_code"], "client_id": television.id])
        }
        _ = try await poll()
        let page = try #require(
            try await browser.follow(try await browser.open(.get, "/device?user_code=\(begun["user_code"] ?? "")")).page
        )
        _ = try await browser.submit(page, ["decision": "allow"])
        server.time.advance(6)
        for _ in 0..<2 { await secrets.keep("television", try await poll()) }

        let invitation = try await OperationsFixture.invitation(server)
        await secrets.keep("invitation", invitation)
        let registered = try await server.post(
            "/register", json: ["client_name": "Reg", "redirect_uris": ["https://client.example/cb"]],
            headers: [.authorization: "Bearer \(invitation)"])
        await secrets.keep("registered", registered)
        for token in [registered["registration_access_token"] ?? "", invitation] {
            _ = try await server.get("/register/\(registered.clientID)", headers: [.authorization: "Bearer \(token)"])
        }
        _ = try await server.post(
            "/register", json: ["client_name": "Again"], headers: [.authorization: "Bearer \(invitation)"])

        let account = try await browser.open(.get, "/account"),
            form = Browser.form(account).fields.first { $0.0 == "form_token" }?.1
        await secrets.keep("account form token", form)
        _ = try await browser.open(
            .post, "/account/end",
            form: [("form_token", "x"), ("session", await browser.cookies["pando_session"] ?? "")])
        let again = Browser(server)
        _ = try await app.logIn(again)
        server.wire.refusePushes(500)
        _ = try await again.submit(try await again.open(.get, "/logout"), ["decision": "logout"])
        try await server.sendLogouts()
        for push in server.wire.pushes {
            await secrets.keep("logout token", (try? FormCodec.read(push.body.utf8))?["logout_token"])
        }
    }

    @Test(
        """
        group 74: a whole web journey, right and wrong steps, at trace level leaves no cookie, code, secret, token \
        or form token in the log, nor in any row of the database
        """
    )
    func canary() async throws {
        let log = CapturedLog()
        try await TestServer.with(logger: log.logger) { server in
            let kept = Secrets()
            try await journey(server, kept)
            let secrets = await kept.all

            let text = log.text
            #expect(
                log.all.count > 200 && text.contains("refused") && text.contains("insert into"),
                "the log was captured, at trace level")
            let missing = secrets.filter { $0.value.utf8.count < 8 }.keys
            #expect(secrets.count >= 26 && missing.isEmpty, "\(missing.sorted()) of \(secrets.keys.sorted())")

            let tables: [String] = try await server.database.query(
                """
                select c.relname as name from pg_class c where c.relnamespace = current_schema()::regnamespace
                    and c.relkind in ('r', 'p') and not c.relispartition order by 1
                """
            ).map { try $0("name") }
            var rows = ""
            for table in tables {
                let lines: [String] = try await server.database.query(
                    "select coalesce(string_agg(t::text, E'\\n'), '') as line from \(identifier: table) t"
                ).map { try $0("line") }
                rows += "\(table): " + lines.joined()
            }
            #expect(tables.contains("audit") && rows.utf8.count > 10_000)
            for (name, secret) in secrets {
                #expect(!text.contains(secret), "\(name) is in the log")
                #expect(secret.count < 40 || !text.contains(secret.suffix(24)), "the end of \(name) is in the log")
                // The audit trail is among them. A form token is an HMAC, a password an Argon2 hash, and of all the
                // rest there are hashes alone.
                #expect(!rows.contains(secret), "\(name) is in a row")
            }
        }
    }

    @Test(
        "group 74: no error tells back the secret that it was about",
        arguments: ["/token", "/introspect", "/revoke", "/par", "/device_authorization"])
    func errors(_ path: String) async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(), canary = "canary-\(UUID().uuidString)"
            for grant in [
                "authorization_code", "refresh_token", "client_credentials",
                "urn:ietf:params:oauth:grant-type:device_code", "urn:ietf:params:oauth:grant-type:jwt-bearer",
                "urn:ietf:params:oauth:grant-type:token-exchange",
            ] {
                for headers in [
                    app.basic, [:], [.authorization: "Bearer \(canary)"],
                    [.authorization: "DPoP \(canary)", .proof: canary],
                    [.authorization: "Basic \(Data("x:\(canary)".utf8).base64EncodedString())"],
                ] as [HTTPFields] {
                    let reply = try await server.post(
                        path,
                        [
                            "grant_type": grant, "code": canary, "refresh_token": canary, "code_verifier": canary,
                            "device_code": canary, "assertion": canary, "subject_token": canary,
                            "subject_token_type": "x", "resource": ServerParts.base,
                            "token": canary, "client_secret": headers == [:] ? canary : nil,
                            "client_id": headers == [:] ? app.id : nil, "redirect_uri": Browser.callback,
                        ], headers: headers)
                    let told = reply.body + reply.headers.map { "\($0.name): \($0.value)" }.joined()
                    #expect(!told.contains(canary) && reply.status < 500, "\(grant): \(reply.status) \(told)")
                }
            }
        }
    }
}
