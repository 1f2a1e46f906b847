import Base
import Foundation
import HTTPTypes
import Registration
import TestSupport
import Testing
import Vocabulary

/// Issue 15, point 5: redirect URIs, which anybody may register, vouch for nothing where nothing is sent to them.
@Suite("OpenID Connect Core, 8.1: whose name a device is told", .server)
struct DeviceSectorTests {
    private var fixture: RegistrationFixture { get throws { RegistrationFixture(server: try .ofSuite) } }

    private static let mine = RegistrationFixture.redirect, other = "https://other.example/cb"
    private static let both: JSONValue = ["authorization_code", "refresh_token", .string(Television.grant)]

    private func sector(_ client: RegisteredClient) async throws -> String? {
        try await client.server.database.value("select metadata ->> 'sector' from client where id = \(client.id)")
    }

    /// `sub` that a client's device gets of Ada.
    private func subject(_ app: WebApp) async throws -> String? {
        let begun = try await app.server.post("/device_authorization", ["client_id": app.id])
        _ = try await Television.decide(begun, "allow", Browser(app.server))
        let tokens = try await app.server.post(
            "/token", ["grant_type": Television.grant, "device_code": begun["device_code"], "client_id": app.id])
        return claims(of: tokens["id_token"] ?? "")["sub"]?.string
    }

    @Test(
        """
        who registers another's redirect URI with the device grant learns no name that the other knows, and the page \
        shows no host
        """
    )
    func foreign() async throws {
        let server = try TestServer.ofSuite, grants = ["authorization_code", "refresh_token", Television.grant]
        let victim = try await server.webApp(), browser = Browser(server),
            known = claims(of: try await victim.logIn(browser)["id_token"] ?? "")["sub"]?.string
        let thief = try await server.webApp("Rp Example", method: .none, grants: grants)
        let other = try await server.webApp("Other", method: .none, grants: grants)

        let begun = try await server.post("/device_authorization", ["client_id": thief.id])
        let page = try await browser.open(.get, "/device?user_code=\(begun["user_code"] ?? "")")
        let told = [try await subject(thief), try await subject(other)]

        #expect(page.body.contains("value=\"allow\"") && page.body.contains("Rp Example"))
        #expect(!page.body.contains("rp.example.org") && !page.body.contains("class=\"host\""))
        #expect(Set([known] + told).count == 3 && !told.contains(nil))
    }

    @Test(
        "a client with the device grant is a sector of its own, whatever and however many its redirect URIs",
        arguments: [[mine], [mine, other], []])
    func own(_ redirects: [String]) async throws {
        let grants: JSONValue = redirects.isEmpty ? [.string(Television.grant)] : Self.both

        let client = try await fixture.registered([
            "redirect_uris": JSONValue(strings: redirects), "grant_types": grants,
        ])

        #expect(try await sector(client) == nil)
    }

    @Test(
        """
        a document vouches for such a client where it lists the keys that the client authenticates by: others
            cannot come with those
        """
    )
    func vouched() async throws {
        let fixture = try fixture, keys = "https://sector.example/\(UUID())/jwks",
            uri = "https://sector.example/\(UUID()).json"
        fixture.server.wire.publish(JSONValue(strings: [Self.mine, keys]).text, at: uri)
        func changes(_ method: String, keys: String?) -> JSONObject {
            [
                "grant_types": Self.both, "token_endpoint_auth_method": .string(method),
                "jwks_uri": keys.map(JSONValue.string) ?? .null, "sector_identifier_uri": .string(uri),
            ]
        }

        let client = try await fixture.registered(changes("private_key_jwt", keys: keys))
        #expect(try await sector(client) == "sector.example")
        for (method, named) in [
            ("none", nil), ("client_secret_basic", nil), ("client_secret_basic", keys),
            ("private_key_jwt", "https://sector.example/other"),
        ] as [(String, String?)] {
            let refused = try await fixture.ask(RegistrationFixture.usual.with(changes(method, keys: named)))
            #expect(
                refused.outcome == "400 invalid_client_metadata"
                    && refused["error_description"]?.contains("jwks_uri") == true, "\(refused.body)")
        }
        let device = RegistrationFixture.usual.with(changes("none", keys: nil)).with([
            "redirect_uris": .null, "grant_types": [.string(Television.grant)],
        ])
        #expect(
            try await fixture.ask(device).outcome == "400 invalid_client_metadata",
            "without redirect URIs every document lists them all")
    }

    @Test(
        """
        a client that was there keeps its sector, and with it the names that it has given out, through updates too; \
        one that moves or comes later does not
        """
    )
    func kept() async throws {
        let server = try TestServer.ofSuite,
            client = try await fixture.registered(["grant_types": Self.both, "token_endpoint_auth_method": "none"])
        let app = WebApp(server: server, id: client.id, secret: "")
        let later = try await fixture.registered()
        let before = try await subject(app)
        // As a version wrote it that took redirect URIs for the sector of every client.
        _ = try await server.database.execute(
            "update client set metadata = metadata || '{\"sector\":\"client.example\"}' where id = \(client.id)")
        let given = try await subject(app)
        func change(_ client: RegisteredClient, _ changes: JSONObject) async throws {
            let usual: JSONObject = ["grant_types": Self.both, "token_endpoint_auth_method": "none"]
            #expect(try await client.update(usual.with(changes)).outcome == "200")
        }

        try await change(client, ["client_name": "Renamed"])
        #expect(try await sector(client) == "client.example")
        #expect(try await subject(app) == given && given != before)
        try await change(client, ["redirect_uris": [.string(Self.other)]])
        #expect(try await sector(client) == nil)
        try await change(client, [:])
        #expect(try await sector(client) == nil)

        #expect(try await sector(later) == "client.example")
        try await change(later, [:])
        #expect(try await sector(later) == nil)
    }
}
