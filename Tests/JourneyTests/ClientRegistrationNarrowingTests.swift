import Base
import Foundation
import Registration
import TestSupport
import Testing

@Suite("RFC 7591, 3.2.1: a registration gets what is given of what it asks for, and is told what that is", .server)
struct ClientRegistrationNarrowingTests {
    private static let device = "urn:ietf:params:oauth:grant-type:device_code",
        exchange = "urn:ietf:params:oauth:grant-type:token-exchange"

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let asked: JSONObject
        let told: JSONObject

        init(_ what: String, _ asked: JSONObject, _ told: JSONObject) {
            (testDescription, self.asked, self.told) = (what, asked, told)
        }
    }

    private static let rows: [Row] = [
        Row(
            "grants that are given to nobody, or not to strangers",
            [
                "grant_types": [
                    "authorization_code", "implicit", "password", "refresh_token", .string(exchange),
                    "urn:ietf:params:oauth:grant-type:jwt-bearer", "urn:example:unheard-of",
                ]
            ],
            ["grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"]]),
        Row(
            "response types but code",
            ["response_types": ["id_token token", "code", "code id_token", "token", "none"]],
            ["grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"]]),
        Row(
            "code without its grant",
            ["grant_types": ["client_credentials"], "response_types": ["code"]],
            ["grant_types": ["client_credentials"], "response_types": []]),
        Row(
            "the grant without code, beside another",
            ["grant_types": ["authorization_code", .string(device)], "response_types": ["id_token"]],
            ["grant_types": [.string(device)], "response_types": []]),
        Row(
            "scopes that are unknown, or the operator's to give",
            ["scope": "email admin openid read profile groups"], ["scope": "email openid profile"]),
        Row("no scope that is given", ["scope": "admin groups"], ["scope": ""]),
        Row(
            "a public client that would have grants for those that authenticate",
            [
                "token_endpoint_auth_method": "none",
                "grant_types": ["authorization_code", "client_credentials", .string(exchange)],
            ],
            ["grant_types": ["authorization_code"], "token_endpoint_auth_method": "none"]),
    ]

    @Test("registering, and ever after", arguments: rows)
    func narrowed(_ row: Row) async throws {
        let fixture = RegistrationFixture(server: try .ofSuite)

        let client = try await fixture.registered(row.asked), plain = try await fixture.registered()
        let changed = try await plain.update(row.asked)

        #expect(changed.outcome == "200", "\(changed.body)")
        let read = try await client.manage(.get)
        for (name, value) in row.told {
            #expect(client.reply.json[name] == value, "\(client.reply.body)")
            #expect(read.json[name] == value && changed.json[name] == value, "\(changed.body)")
        }
    }

    @Test("what was left out is not had: neither grant nor scope")
    func without() async throws {
        let fixture = RegistrationFixture(server: try .ofSuite)
        let machine = try await fixture.registeredMachine([
            "grant_types": ["client_credentials", .string(Self.exchange)], "scope": "email admin",
        ])

        #expect(try await machine.askToken(scope: "email").outcome == "200")
        #expect(try await machine.askToken(scope: "admin").outcome == "400 invalid_scope")
        let exchanged = try await machine.server.post(
            "/token",
            [
                "grant_type": Self.exchange, "subject_token": "x", "audience": "https://learn.example.org",
                "subject_token_type": "urn:ietf:params:oauth:token-type:access_token",
            ], headers: machine.basic)
        #expect(exchanged.status == 400 && exchanged.accessToken.isEmpty, "\(exchanged.body)")
    }

    /// Word for word, but for its addresses; it sends them plain where it is set up on loopback.
    private static let moduleForApache: JSONObject = [
        "client_name": "OpenID Connect Apache Module (mod_auth_openidc)",
        "redirect_uris": ["http://localhost:18991/cb"],
        "response_types": [
            "code", "id_token", "id_token token", "code id_token", "code token", "code id_token token",
        ],
        "grant_types": ["authorization_code", "implicit", "refresh_token"],
        "token_endpoint_auth_method": "client_secret_basic", "initiate_login_uri": "http://localhost:18991/cb",
        "frontchannel_logout_uri": "http://localhost:18991/cb?logout=get",
        "backchannel_logout_uri": "http://localhost:18991/cb?logout=backchannel",
        "id_token_token_binding_cnf": "tbh",
    ]

    @Test("what mod_auth_openidc 2.4 sends is a registration")
    func apache() async throws {
        let reply = try await RegistrationFixture(server: try .ofSuite).ask(Self.moduleForApache)

        #expect(reply.outcome == "201", "\(reply.body)")
        #expect(reply.json["response_types"] == ["code"])
        #expect(reply.json["grant_types"] == ["authorization_code", "refresh_token"])
        #expect(reply.json["frontchannel_logout_uri"] == nil, "what is not there is not said to be")
    }

    @Test(
        "refused still: no redirect URI where a code is sent to one, and forbidden ones",
        arguments: [
            JSONValue.null, [], ["http://client.example/cb"], ["https://client.example/*"], ["javascript:alert(1)"],
        ])
    func redirects(_ uris: JSONValue) async throws {
        let asked: JSONObject = ["redirect_uris": uris, "grant_types": ["authorization_code", "implicit"]]

        let reply = try await RegistrationFixture(server: try .ofSuite).ask(RegistrationFixture.usual.with(asked))

        #expect(reply.outcome == "400 invalid_redirect_uri", "\(reply.body)")
    }
}
