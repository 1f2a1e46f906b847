import Base
import Foundation
import HTTPTypes
import Registration
import TestSupport
import Testing
import TokenTree

@Suite("RFC 7592: a web client looks after its registration", .server)
struct ClientRegistrationManagementTests {
    private var fixture: RegistrationFixture { get throws { RegistrationFixture(server: try .ofSuite) } }

    @Test("read, replace, delete: the whole life of a client")
    func life() async throws {
        let client = try await fixture.registered(["contacts": ["ada@client.example"], "default_max_age": 60])

        let read = try await client.manage(.get)
        #expect(read.outcome == "200" && read[header: "Cache-Control"] == "no-store")
        #expect(
            read["registration_access_token"] == client.token
                && read["registration_client_uri"] == client.reply["registration_client_uri"])
        #expect(read["client_secret"] == nil && read.json["client_secret_expires_at"] == 0)
        let changed = try await client.update(["client_name": "New", "redirect_uris": ["https://client.example/new"]])
        #expect(
            changed.outcome == "200" && changed["client_name"] == "New"
                && changed.json["redirect_uris"] == ["https://client.example/new"])
        #expect(changed.json["contacts"] == nil && changed.json["default_max_age"] == nil, "what is left out is gone")
        #expect(
            changed["client_id"] == client.id && changed["registration_access_token"] == client.token
                && changed["client_secret"] == nil)
        #expect(try await client.manage(.get)["client_name"] == "New")
        let gone = try await client.manage(.delete)
        #expect(gone.status == 204 && gone.body.isEmpty)
        for method in [HTTPRequest.Method.get, .delete] {
            #expect(try await client.manage(method).outcome == "401 invalid_token")
        }
        #expect(try await client.update().outcome == "401 invalid_token")
    }

    @Test(
        """
        group 55: only its own token opens a registration: unknown, foreign, missing and an operator's client answer \
        alike
        """,
        arguments: [
            HTTPRequest.Method.get, .put, .delete,
        ])
    func foreign(_ method: HTTPRequest.Method) async throws {
        let fixture = try fixture, mine = try await fixture.registered(), other = try await fixture.registered(),
            body = method == .put ? RegistrationFixture.usual : nil
        let learn = fixture.server.residents.learn.id, operators = fixture.server.residents.machine.id
        var told: Set<String> = []

        for (path, token) in [
            (other.path, mine.token), ("/register/unknown", mine.token), ("/register/\(operators)", mine.token),
            ("/register/\(operators)", ""), ("/register/\(learn)", mine.token),
            (mine.path, "wrong"), (mine.path, mine.secret), ("/register/%00", mine.token),
            ("/register/%FF", mine.token), ("/register/\(String(repeating: "A", count: 4_000))", mine.token),
        ] {
            let reply = try await mine.manage(method, body, path: path, token: token)
            #expect(reply.outcome == "401 invalid_token", "\(path.prefix(40)) \(reply.body)")
            #expect(reply.headers[values: .wwwAuthenticate].contains { $0.hasPrefix("Bearer ") })
            if !token.isEmpty { told.insert(reply.body) }
        }

        #expect(told.count == 1)
        #expect(try await other.manage(.get).outcome == "200", "nothing happened to it")
    }

    @Test("a client of a service is managed with its service, even if it had a token")
    func service() async throws {
        try await TestServer.with { server in
            let client = try await RegistrationFixture(server: server).registeredMachine()
            try await server.database.execute("update service set client = \(client.id) where id = 'quiet'")

            for method in [HTTPRequest.Method.get, .delete] {
                #expect(try await client.manage(method).outcome == "401 invalid_token")
            }
        }
    }

    @Test(
        "group 55: an update must name the client it changes, and its secret if it names one",
        arguments: [
            Spoilt<JSONObject>("no client_id", "400 invalid_client_metadata", "client_id") { $0["client_id"] = nil },
            Spoilt<JSONObject>("another client_id", "400 invalid_client_metadata", "client_id") {
                $0["client_id"] = "other"
            },
            Spoilt<JSONObject>("client_id of another shape", "400 invalid_client_metadata", "client_id") {
                $0["client_id"] = ["x"]
            },
            Spoilt<JSONObject>("another secret", "400 invalid_client_metadata", "client_secret") {
                $0["client_secret"] = "wrong"
            },
            Spoilt<JSONObject>("a secret of another shape", "400 invalid_client_metadata", "client_secret") {
                $0["client_secret"] = 5
            },
            Spoilt<JSONObject>("an unacceptable redirect URI", "400 invalid_redirect_uri", "https") {
                $0["redirect_uris"] = ["http://client.example/cb"]
            },
            Spoilt<JSONObject>("a software statement", "400 unapproved_software_statement", "software statements") {
                $0["software_statement"] = "a.b.c"
            },
        ])
    func updateRefused(_ variant: Spoilt<JSONObject>) async throws {
        let client = try await fixture.registered()
        let body = try variant.applied(
            to: RegistrationFixture.usual.with(["client_id": .string(client.id), "client_name": "Changed"]))

        let reply = try await client.manage(.put, body)

        #expect(
            reply.outcome == variant.outcome && reply["error_description"]?.contains(variant.why) == true,
            "\(reply.body)")
        #expect(try await client.manage(.get)["client_name"] == "Reg")
    }

    @Test("an update may repeat the secret, and what the server made")
    func repeated() async throws {
        let client = try await fixture.registered()

        let reply = try await client.manage(.put, (client.reply.json.object ?? [:]).with(["client_name": "Again"]))

        #expect(reply.outcome == "200" && reply["client_name"] == "Again" && reply["client_secret"] == client.secret)
    }

    @Test("an update of a body that is no object, or no JSON, is refused")
    func bodies() async throws {
        let client = try await fixture.registered(),
            headers: HTTPFields = [.authorization: "Bearer \(client.token)", .contentType: "application/json"]

        for (body, outcome) in [
            ("[]", "400 invalid_client_metadata"), ("{", "400 invalid_request"),
            ("{\"client_id\":1,\"client_id\":2}", "400 invalid_request"),
        ] {
            #expect(
                try await client.server.send(.put, client.path, headers: headers, body: Array(body.utf8)).outcome
                    == outcome)
        }
    }

    @Test("the secret stays while there is to be one, goes with the method, and is made anew for who comes without")
    func secrets() async throws {
        let client = try await fixture.registeredMachine(), id = client.id
        func change(_ method: String, _ changes: JSONObject = [:]) async throws -> Reply {
            let body: JSONObject = [
                "client_id": .string(id), "grant_types": ["client_credentials"],
                "token_endpoint_auth_method": .string(method),
            ]
            return try await client.manage(.put, body.with(changes))
        }
        func token(_ secret: String) async throws -> String {
            try await client.server.post(
                "/token", ["grant_type": "client_credentials", "client_id": id, "client_secret": secret]
            ).outcome
        }

        #expect(try await change("client_secret_post")["client_secret"] == nil)
        #expect(try await token(client.secret) == "200", "the same secret, by the other way")
        let keyed = try await change("private_key_jwt", ["jwks": ["keys": [PhoneKey().jwk]]])
        #expect(keyed["client_secret"] == nil && keyed.json["client_secret_expires_at"] == nil)
        #expect(try await token(client.secret) == "401 invalid_client")
        #expect(
            try await change("client_secret_post", ["client_secret": .string(client.secret)]).outcome
                == "400 invalid_client_metadata", "there is none to repeat")
        let fresh = try await change("client_secret_post")
        #expect(
            fresh["client_secret"].map { $0 != client.secret } == true && fresh.json["client_secret_expires_at"] == 0)
        #expect(try await token(fresh["client_secret"] ?? "") == "200")
        #expect(try await token(client.secret) == "401 invalid_client")
    }

    @Test(
        """
        an update keeps what the operator decided, and the tokens that were issued; nothing more is issued than is \
        registered
        """
    )
    func kept() async throws {
        let client = try await fixture.registeredMachine(["scope": "email offline_access"])
        try await client.server.database.execute("update client set claims = array['email'] where id = \(client.id)")
        let issued = try await client.askToken()

        let reply = try await client.manage(.put, ["client_id": .string(client.id), "grant_types": []])

        #expect(reply.outcome == "200" && reply["scope"] == "")
        #expect(
            try await client.server.post("/introspect", ["token": issued.accessToken], headers: client.basic).json[
                "active"] == true)
        #expect(try await client.askToken().outcome == "400 unauthorized_client")
        let claims: [String]? = try await client.server.database.value(
            "select claims from client where id = \(client.id)")
        #expect(claims == ["email"])
    }

    @Test("group 55: deletion kills the tree: what was issued is dead, and nothing more is issued")
    func deletion() async throws {
        let client = try await fixture.registeredMachine(), issued = try await client.askToken()
        #expect(try await client.lives(issued))

        #expect(try await client.manage(.delete).status == 204)

        #expect(try await !client.lives(issued))
        #expect(try await client.askToken().outcome == "401 invalid_client")
    }

    @Test("no token outlives a deletion that raced its issue")
    func deletionRace() async throws {
        let client = try await fixture.registeredMachine()

        // All ask until they are refused; one has asked, and deletes.
        let replies = try await crowd(8) { number in
            var replies = [try await client.askToken()]
            if number == 0 { replies.append(try await client.manage(.delete)) }
            while replies.count < 40, replies.last?.status == 200 { replies.append(try await client.askToken()) }
            return replies
        }.flatMap { $0 }

        #expect(replies.filter { $0.status == 204 }.count == 1)
        let issued = replies.filter { $0.status == 200 }
        #expect(!issued.isEmpty)
        for reply in issued { #expect(try await !client.lives(reply)) }
        for reply in replies where ![200, 204].contains(reply.status) {
            #expect(reply.outcome == "401 invalid_client", "\(reply.body)")
        }
    }

    @Test("updates that race leave one of them, whole")
    func updateRace() async throws {
        let client = try await fixture.registered()

        let outcomes = try await crowd(8) { number in
            try await client.update([
                "client_name": .string("n\(number)"), "redirect_uris": [.string("https://client.example/\(number)")],
            ]).outcome
        }

        #expect(Set(outcomes) == ["200"])
        let left = try await client.manage(.get), name = try #require(left["client_name"])
        #expect(left.json["redirect_uris"] == [.string("https://client.example/\(name.dropFirst())")])
    }
}
