import Base
import Foundation
import Registration
import TestSupport
import Testing

@Suite("OpenID Connect Core, 8.1: the sector of a client", .server)
struct ClientMetadataSectorTests {
    private var fixture: RegistrationFixture { get throws { RegistrationFixture(server: try .ofSuite) } }

    private static let mine = "https://client.example/cb", other = "https://other.example/cb",
        loopback = "http://127.0.0.1:3000/cb"

    private func sector(_ client: RegisteredClient) async throws -> String? {
        try await client.server.database.value("select metadata ->> 'sector' from client where id = \(client.id)")
    }

    @Test(
        "it is the one host of the redirect URIs; a client with none, or with such as are anybody's alone, is its own",
        arguments: [
            ([mine, "https://CLIENT.example:8443/other"], "client.example"), ([], nil),
            ([loopback, "http://localhost:4000/cb"], nil),
            (
                [loopback, "com.example.app:/cb"],
                nil
            ),
        ] as [([String], String?)])
    func derived(_ redirects: [String], _ expected: String?) async throws {
        let client = try await fixture.registered([
            "redirect_uris": JSONValue(strings: redirects), "application_type": "native",
            "grant_types": redirects.isEmpty ? ["client_credentials"] : ["authorization_code"],
        ])

        #expect(try await sector(client) == expected)
        #expect(client.reply.json["sector"] == nil)
    }

    @Test(
        "several hosts, or a host and what is anybody's, have none: refused, unless subjects are public",
        arguments: [
            [mine, other], [mine, loopback], [mine, "com.example.app:/cb"],
        ])
    func several(_ redirects: [String]) async throws {
        let changes: JSONObject = ["redirect_uris": JSONValue(strings: redirects), "application_type": "native"]

        let refused = try await fixture.ask(RegistrationFixture.usual.with(changes))

        #expect(
            refused.outcome == "400 invalid_client_metadata"
                && refused["error_description"]?.contains("sector_identifier_uri") == true)
        #expect(
            try await fixture.ask(RegistrationFixture.usual.with(changes).with(["subject_type": "public"])).outcome
                == "201")
    }

    @Test("an operator's client is held to the same")
    func operators() async throws {
        let server = try TestServer.ofSuite, store = WebClientStore(clock: server.time.clock, randomness: .system)

        let draft = WebClientDraft(name: "x", redirectURIs: [Self.mine, Self.other])
        await #expect(throws: WebClientStore.Unacceptable.self) { try await store.create(draft, in: server.database) }
        let (client, _) = try await store.create(
            WebClientDraft(name: "x", redirectURIs: [Self.mine]), in: server.database)
        #expect(client.metadata.sector == "client.example")
    }

    @Test("a host may vouch for several by a document that lists them all")
    func vouched() async throws {
        let fixture = try fixture, uri = "https://sector.example/\(UUID()).json"
        fixture.server.wire.publish(
            JSONValue(strings: [Self.other, Self.mine, "https://third.example/cb"]).text, at: uri)

        let client = try await fixture.registered([
            "redirect_uris": [.string(Self.mine), .string(Self.other)], "sector_identifier_uri": .string(uri),
        ])

        #expect(try await sector(client) == "sector.example" && client.reply["sector_identifier_uri"] == uri)
    }

    @Test(
        "a document that does not list them, or is none, is refused; nothing is fetched for strangers",
        arguments: [
            (#"["https://client.example/cb"]"#, "400 invalid_redirect_uri"),
            (#"["https://client.example/cb","https://OTHER.example/cb"]"#, "400 invalid_redirect_uri"),
            ("[]", "400 invalid_redirect_uri"),
            (#"{"redirect_uris":[]}"#, "400 invalid_client_metadata"), ("<html>", "400 invalid_client_metadata"),
            ("[1]", "400 invalid_client_metadata"),
            ("", "400 invalid_client_metadata"), (nil, "400 invalid_client_metadata"),
        ] as [(String?, String)])
    func unvouched(_ document: String?, _ outcome: String) async throws {
        let fixture = try fixture, uri = "https://sector.example/\(UUID()).json"
        if let document { fixture.server.wire.publish(document, at: uri) }
        let body = RegistrationFixture.usual.with([
            "redirect_uris": [.string(Self.mine), .string(Self.other)], "sector_identifier_uri": .string(uri),
        ])

        #expect(try await fixture.ask(body).outcome == outcome)
        #expect(try await fixture.ask(body, token: "unknown").outcome == "401 invalid_token")
    }

    @Test("an update is held to it, too")
    func update() async throws {
        let client = try await fixture.registered()

        #expect(
            try await client.update(["redirect_uris": [.string(Self.mine), .string(Self.other)]]).outcome
                == "400 invalid_client_metadata")
        #expect(try await client.update(["redirect_uris": [.string(Self.other)]]).outcome == "200")
        #expect(try await sector(client) == "other.example")
    }
}
