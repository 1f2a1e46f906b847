import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("Fetch, 3.2: pages of other origins at the endpoints of tokens", .server)
struct WebOriginTests {
    private static let strangers = [
        "https://evil.example", OriginPage.neighbour, "null", "", "*", "http://app.example.org",
        "https://app.example.org:8443", "https://app.example.org.evil.example", "https://evil.example/app.example.org",
        "https://APP.example.org", "https://app.example.org/", "https://app.example.org.", "https://example.org",
        "capacitor://localhost", "https://app.example.org, https://evil.example",
        String(repeating: "https://app.example.org", count: 100),
    ]

    @Test("a page logs in, asks, refreshes and ends what it got; it may read each answer, and no cookie is spoken of")
    func wholeLife() async throws {
        let page = try await OriginPage.made(in: try TestServer.ofSuite), server = page.server
        let origin = OriginPage.origin

        let tokens = try await page.logIn(scope: "openid profile email discovery")
        let info = try await server.get(
            "/userinfo", headers: page.headers(.get, "/userinfo", token: tokens.accessToken))
        let fresh = try await page.app.refresh(tokens.refreshToken, headers: page.headers())
        let found = try await server.post(
            "/protocol-discovery", json: ["org.example.grades"],
            headers: page.headers(.post, "/protocol-discovery", token: fresh.accessToken))
        let seen = try await server.post(
            "/introspect", ["token": fresh.accessToken],
            headers: page.headers(.post, "/introspect", token: fresh.accessToken))
        let revoked = try await server.post(
            "/revoke", ["token": fresh.refreshToken],
            headers: page.headers(.post, "/revoke", token: fresh.accessToken))

        for (what, reply) in [
            ("code", tokens), ("userinfo", info), ("refresh", fresh), ("discovery", found), ("introspect", seen),
            ("revoke", revoked),
        ] {
            #expect(reply.outcome == "200" && reply.reader == origin, "\(what): \(reply.body)")
            let exposed = reply[header: "Access-Control-Expose-Headers"] ?? ""
            #expect(exposed.contains("DPoP-Nonce") && exposed.contains("WWW-Authenticate"), "\(what)")
            #expect(reply.headers[values: .vary].contains("Origin"), "\(what)")
            #expect(reply[header: "Access-Control-Allow-Credentials"] == nil, "\(what)")
        }
        #expect(tokens["token_type"] == "DPoP" && info["email"] == "ada@example.org")
        #expect(try await page.app.refresh(fresh.refreshToken, headers: page.headers()).outcome == "400 invalid_grant")
    }

    @Test("without the scope for it, a person's token finds no services, whatever the body is")
    func withoutScope() async throws {
        let page = try await OriginPage.made(in: try TestServer.ofSuite), tokens = try await page.logIn()

        for path in ["/protocol-discovery", "/protocol-discovery/protocol", "/protocol-discovery/service"] {
            let asked = try await page.server.post(
                path, json: ["org.example.grades"], headers: page.headers(.post, path, token: tokens.accessToken))
            let bare = try await page.server.post(
                path, [:], headers: page.headers(.post, path, token: tokens.accessToken))

            for reply in [asked, bare] {
                #expect(reply.outcome == "403 insufficient_scope" && reply["scope"] == "discovery", "\(reply.body)")
            }
        }
    }

    @Test("a code that comes from another origin is refused, and not used: neither it nor the proof")
    func code() async throws {
        let page = try await OriginPage.made(in: try TestServer.ofSuite), code = try await page.code()
        var headers = try page.headers()

        for stranger in Self.strangers {
            headers[.origin] = stranger
            let refused = try await page.app.redeem(code, headers: headers)

            #expect(refused.outcome == "403 access_denied" && refused.accessToken == "", "\(stranger): \(refused.body)")
            // Pages of other clients are told why; strangers read nothing.
            #expect(refused.reader == (stranger == OriginPage.neighbour ? stranger : nil), "\(stranger)")
            #expect(refused.headers[values: .vary].contains("Origin") && refused[header: "Cache-Control"] == "no-store")
        }
        headers[.origin] = OriginPage.origin
        let redeemed = try await page.app.redeem(code, headers: headers)

        #expect(redeemed.outcome == "200" && redeemed.reader == OriginPage.origin, "\(redeemed.body)")
    }

    @Test("a refresh token that comes from another origin is refused, and not used")
    func refreshToken() async throws {
        let page = try await OriginPage.made(in: try TestServer.ofSuite), tokens = try await page.logIn()
        var headers = try page.headers()

        for stranger in Self.strangers {
            headers[.origin] = stranger
            let refused = try await page.app.refresh(tokens.refreshToken, headers: headers)

            #expect(refused.outcome == "403 access_denied" && refused.accessToken == "", "\(stranger)")
        }
        headers[.origin] = OriginPage.origin
        let refreshed = try await page.app.refresh(tokens.refreshToken, headers: headers)

        #expect(refreshed.outcome == "200" && refreshed.refreshToken != tokens.refreshToken, "\(refreshed.body)")
    }

    @Test("a token or client that is shown from another origin is refused at every endpoint, before its proof is used")
    func endpoints() async throws {
        let page = try await OriginPage.made(in: try TestServer.ofSuite), server = page.server
        let tokens = try await page.logIn(scope: "openid profile email discovery"), token = tokens.accessToken
        let asked: [(HTTPRequest.Method, String, Int)] = [
            (.get, "/userinfo", 200), (.post, "/userinfo", 200), (.post, "/protocol-discovery", 200),
            (.post, "/protocol-discovery/protocol", 200), (.post, "/protocol-discovery/service", 200),
            (.post, "/introspect", 200), (.get, "/user-profile", 403), (.post, "/revoke", 200),
        ]
        for (method, path, status) in asked {
            var headers = try page.headers(method, path, token: token, origin: "https://evil.example")
            let isQuestion = path.contains("discovery")
            headers[.contentType] = isQuestion ? "application/json" : "application/x-www-form-urlencoded"
            let question = path.hasSuffix("service") ? "https://unknown.example.org" : "org.example.none"
            let body = Array((isQuestion ? "[\"\(question)\"]" : "token=\(token)").utf8)

            let refused = try await server.send(method, path, headers: headers, body: method == .post ? body : nil)
            headers[.origin] = OriginPage.origin
            let answered = try await server.send(method, path, headers: headers, body: method == .post ? body : nil)

            #expect(refused.outcome == "403 access_denied" && refused.reader == nil, "\(path): \(refused.body)")
            #expect(answered.status == status && answered.reader == OriginPage.origin, "\(path): \(answered.body)")
            #expect(answered.error != "access_denied", "\(path)")
        }
    }

    @Test("an authorization request is pushed from a page of the client's, and from no other")
    func pushed() async throws {
        let page = try await OriginPage.made(in: try TestServer.ofSuite)
        let form = FormCodec.write(AuthorizationDraft(page.app.id).parameters)
        func push(_ origin: String) async throws -> Reply {
            var headers = try page.headers(.post, "/par", origin: origin)
            headers[.contentType] = "application/x-www-form-urlencoded"
            return try await page.server.send(.post, "/par", headers: headers, body: Array(form.utf8))
        }

        let (refused, taken) = (try await push("https://evil.example"), try await push(OriginPage.origin))

        #expect(refused.outcome == "403 access_denied" && refused["request_uri"] == nil)
        #expect(taken.outcome == "201" && taken.reader == OriginPage.origin)
    }

    @Test("who names a client of its own origin gets nothing with another client's code")
    func anotherName() async throws {
        let page = try await OriginPage.made(in: try TestServer.ofSuite), server = page.server
        let code = try await page.code(),
            thief = try await server.webApp(method: .none) {
                $0.webOrigins = ["https://evil.example"]
            }

        let refused = try await thief.redeem(code, headers: page.headers(origin: "https://evil.example"))

        #expect(refused.outcome == "403 access_denied", "\(refused.body)")
        #expect(try await page.app.redeem(code, headers: page.headers()).outcome == "200")
    }

    @Test("a confidential client's request from a page is its page's, however it shows who it is")
    func confidential() async throws {
        let server = try TestServer.ofSuite
        let app = try await server.webApp { $0.webOrigins = [OriginPage.origin] }
        let code = try await Browser(server).signIn(AuthorizationDraft(app.id)).answer["code"]

        let refused = try await app.redeem(code, headers: [.origin: "https://evil.example"])
        let redeemed = try await app.redeem(code, headers: [.origin: OriginPage.origin])

        #expect(refused.outcome == "403 access_denied" && redeemed.outcome == "200")
        #expect(redeemed.reader == OriginPage.origin)
    }

    @Test("who sends no origin, or this server's own, is answered as ever; pages read none of it")
    func withoutOrigin() async throws {
        let page = try await OriginPage.made(in: try TestServer.ofSuite)

        for origin in [nil, ServerParts.root] {
            let tokens = try await page.app.redeem(try await page.code(), headers: page.headers(origin: origin))

            #expect(tokens.outcome == "200" && tokens.reader == nil && tokens[header: "Vary"] == nil)
        }
    }

    @Test("refusals are read by the pages of clients: a wrong code, a dead token, a client that is no more")
    func refusals() async throws {
        let page = try await OriginPage.made(in: try TestServer.ofSuite), server = page.server
        let nobody = WebApp(server: server, id: "nobody", secret: "")
        let dead = try page.phone.key.sign(["jti": "x"], header: ["typ": "at+jwt"])

        let replies: [(String, Reply)] = [
            ("400 invalid_grant", try await page.app.redeem("abc", headers: page.headers())),
            (
                "400 invalid_dpop_proof",
                try await page.app.redeem(try await page.code(), headers: [.origin: OriginPage.origin])
            ),
            (
                "401 invalid_token",
                try await server.get("/userinfo", headers: page.headers(.get, "/userinfo", token: dead))
            ),
            ("401 invalid_token", try await server.get("/userinfo", headers: [.origin: OriginPage.origin])),
            ("400 invalid_grant", try await nobody.redeem("abc", headers: [.origin: OriginPage.origin])),
            (
                "415 unsupported_media_type",
                try await server.send(
                    .post, "/token", headers: [.origin: OriginPage.origin, .contentType: "text/plain"], body: [65])
            ),
            (
                "413 too_large",
                try await server.send(
                    .post, "/token", headers: [.origin: OriginPage.origin, .contentType: "application/json"],
                    body: [UInt8](repeating: 65, count: 70_000))
            ),
        ]

        for (outcome, reply) in replies {
            #expect(reply.outcome == outcome && reply.reader == OriginPage.origin, "\(outcome): \(reply.body)")
        }
        let stranger = try await server.get("/userinfo", headers: [.origin: "https://evil.example"])
        #expect(stranger.outcome == "401 invalid_token" && stranger.reader == nil)
    }

    @Test("what a client registers holds at once, in either direction")
    func changed() async throws {
        let fixture = RegistrationFixture(server: try TestServer.ofSuite)
        let client = try await fixture.registered([
            "token_endpoint_auth_method": "none", "web_origins": ["https://one.example"],
        ])
        let form: KeyValuePairs<String, String?> = [
            "grant_type": "refresh_token", "refresh_token": "x", "client_id": client.id,
        ]
        func refresh(_ origin: String) async throws -> String {
            try await fixture.server.post("/token", form, headers: [.origin: origin]).outcome
        }

        #expect(try await refresh("https://one.example") == "400 invalid_grant")
        #expect(try await refresh("https://two.example") == "403 access_denied")
        let update = try await client.update([
            "token_endpoint_auth_method": "none", "web_origins": ["https://two.example"],
        ])
        #expect(update.outcome == "200" && update.json["web_origins"] == ["https://two.example"])
        #expect(try await refresh("https://one.example") == "403 access_denied")
        #expect(try await refresh("https://two.example") == "400 invalid_grant")
    }
}
