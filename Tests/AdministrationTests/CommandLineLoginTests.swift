import Base
import Foundation
import HTTPTypes
import Server
import TestSupport
import Testing

@Suite("RFC 8628 for the command line")
struct CommandLineLoginTests {
    private static let grant = "urn:ietf:params:oauth:grant-type:device_code"

    private func proof(
        _ key: PhoneKey, _ method: HTTPRequest.Method, _ path: String, token: String? = nil, _ server: TestServer
    ) throws -> HTTPFields {
        var claims: JSONObject = [
            "htm": .string(method.rawValue), "htu": .string(ServerParts.root + path), "iat": .integer(server.now),
            "jti": .string(UUID().uuidString),
        ]
        if let token { claims["ath"] = .string(Base64URL.encode(Digest.sha256(token))) }
        var headers = HTTPFields()
        headers[try #require(HTTPField.Name("DPoP"))] = try key.sign(
            claims, header: ["typ": "dpop+jwt", "jwk": key.jwk])
        if let token { headers[.authorization] = "DPoP \(token)" }
        return headers
    }

    private func begin(_ server: TestServer, _ changes: [String: String] = [:]) async throws -> Reply {
        try await server.post(
            "/device_authorization",
            [
                "client_id": CommandLineClient.id, "scope": "openid offline_access admin",
                "resource": changes["resource"] ?? AdminParty.resource, "max_age": changes["max_age"],
            ])
    }

    @Test("its token is bound to a key, and opens the administration with a proof alone; so does the next one")
    func bound() async throws {
        try await TestServer.with { server in
            try await CommandLineClient(server.parts.composition).ensure()
            try await CommandLineClient(server.parts.composition).ensure()
            try await AdminParty.give(.administrator, to: "ada", server)
            let key = PhoneKey(), begun = try await begin(server)
            try await AdminParty.decide(begun, Browser(server), as: "ada")
            let form: KeyValuePairs<String, String?> = [
                "grant_type": Self.grant, "device_code": begun["device_code"], "client_id": CommandLineClient.id,
            ]

            let bare = try await server.post("/token", form)
            server.time.advance(10)
            let tokens = try await server.post("/token", form, headers: try proof(key, .post, "/token", server))
            func ask(_ token: String, _ headers: HTTPFields) async throws -> String {
                try await server.get("/admin/api/v1/apps", headers: headers).outcome
            }
            let shown = try proof(key, .get, "/admin/api/v1/apps", token: tokens.accessToken, server)
            let stolen = try proof(PhoneKey(), .get, "/admin/api/v1/apps", token: tokens.accessToken, server)

            #expect(bare.outcome == "400 invalid_dpop_proof" && tokens["token_type"] == "DPoP", "\(tokens.body)")
            #expect(claims(of: tokens.accessToken)["aud"] == .string(AdminParty.resource))
            #expect(try await ask(tokens.accessToken, shown) == "200")
            #expect(try await ask(tokens.accessToken, stolen) == "401 invalid_token")
            let bearer: HTTPFields = [.authorization: "Bearer \(tokens.accessToken)"]
            #expect(try await ask(tokens.accessToken, bearer) == "401 invalid_token")
            let next = try await server.post(
                "/token",
                [
                    "grant_type": "refresh_token", "refresh_token": tokens.refreshToken,
                    "client_id": CommandLineClient.id,
                ], headers: try proof(key, .post, "/token", server))
            #expect(claims(of: next.accessToken)["aud"] == .string(AdminParty.resource), "\(next.body)")
            let again = try proof(key, .get, "/admin/api/v1/apps", token: next.accessToken, server)
            #expect(try await ask(next.accessToken, again) == "200")
        }
    }

    @Test("where the login must not be old, whoever is logged in for long logs in anew, and is not sent in circles")
    func stepUp() async throws {
        try await TestServer.with { server in
            try await CommandLineClient(server.parts.composition).ensure()
            let browser = Browser(server)
            try await AdminParty.decide(try await begin(server), browser, as: "ada")
            server.time.advance(1_000)

            let old = try await begin(server), fresh = try await begin(server, ["max_age": "900"])
            func page(_ begun: Reply) async throws -> Reply {
                try await browser.open(.get, "/device?user_code=\(begun["user_code"] ?? "")")
            }
            let plain = try await page(old), asked = try await page(fresh)

            #expect(plain.status == 200)
            #expect(asked.status == 303 && asked[header: "Location"]?.contains("/login?return_to=") == true)
            try await AdminParty.decide(fresh, browser, as: "ada")
            #expect(try await page(try await begin(server, ["max_age": "900"])).status == 200)
        }
    }

    @Test("however new the login must be, one is enough, though it takes a moment from there to the page")
    func noAge() async throws {
        try await TestServer.with { server in
            try await CommandLineClient(server.parts.composition).ensure()
            let browser = Browser(server)
            try await AdminParty.decide(try await begin(server), browser, as: "ada")
            server.time.advance(5)
            let begun = try await begin(server, ["max_age": "0"])
            server.time.advance(1)
            func page() async throws -> Reply {
                try await browser.open(.get, "/device?user_code=\(begun["user_code"] ?? "")")
            }

            let login = try await browser.follow(try await page())
            _ = try await browser.goOn(login, as: "ada")
            server.time.advance(1)

            #expect(login.page.map { Browser.form($0).fields.contains { $0.0 == "password" } } == true)
            #expect(try await page().status == 200)
        }
    }

    @Test("two factors of this morning do not make the login of a moment ago an old one")
    func strongAndOld() async throws {
        try await TestServer.with { server in
            try await CommandLineClient(server.parts.composition).ensure()
            let browser = Browser(server)
            try await AdminParty.decide(try await begin(server), browser, as: "ada")
            _ = try await server.database.execute(
                "update authentication_event set methods = '{pwd,otp,mfa}', factor = 'totp'")
            server.time.advance(1_000)

            try await AdminParty.decide(try await begin(server, ["max_age": "900"]), browser, as: "ada")

            let told: String = try await server.database.value(
                "select approval ->> 'auth_time' from device_authorization order by created_at desc limit 1")
            #expect(told == String(server.now))
        }
    }

    @Test(
        "what is no resource of this server, and no age",
        arguments: [
            ("resource", "https://learn.example.org", "400 invalid_target"),
            ("resource", ServerParts.root + "/admin", "400 invalid_target"), ("max_age", "x", "400 invalid_request"),
            ("max_age", "-1", "400 invalid_request"),
        ])
    func refused(name: String, value: String, outcome: String) async throws {
        try await TestServer.with { server in
            try await CommandLineClient(server.parts.composition).ensure()

            #expect(try await begin(server, [name: value]).outcome == outcome)
        }
    }
}
