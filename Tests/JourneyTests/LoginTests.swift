import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("first-party login: challenge", .server)
struct LoginTests {
    typealias Variant = Spoilt<JSONObject>

    /// Parameters of a right request, to be spoilt.
    private static let right: JSONObject = [
        "username": "ada", "password": .string(Residents.password), "code_challenge": .string(Phone.challenge),
        "code_challenge_method": "S256", "response_type": "code",
    ]

    @Test("username and password give a code")
    func code() async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite)

        let reply = try await phone.logInForCode(as: "ADA")

        #expect(reply.outcome == "200" && reply["authorization_code"]?.count == 64)
        #expect(reply[header: "Cache-Control"] == "no-store")
    }

    @Test(
        "what is refused",
        arguments: [
            Variant("a wrong password", "403 access_denied", "username or password") { $0["password"] = "wrong" },
            Variant("an unknown user, told the same", "403 access_denied", "username or password is wrong") {
                $0["username"] = "nobody"
            },
            Variant("a suspended account, told the same", "403 access_denied", "username or password is wrong") {
                $0["username"] = "dan"
            },
            Variant("no username", "400 invalid_request", "username is missing") { $0["username"] = nil },
            Variant("an empty password", "400 invalid_request", "password is missing") { $0["password"] = "" },
            Variant("a password of 1025 bytes", "400 invalid_request", "too long") {
                $0["password"] = .string(String(repeating: "x", count: 1_025))
            },
            Variant("no challenge", "400 invalid_request", "code_challenge") { $0["code_challenge"] = nil },
            Variant("the plain method", "400 invalid_request", "S256") { $0["code_challenge_method"] = "plain" },
            Variant("no method", "400 invalid_request", "S256") { $0["code_challenge_method"] = nil },
            Variant("a challenge of 42 letters", "400 invalid_request", "PKCE") {
                $0["code_challenge"] = .string(String(Phone.challenge.dropLast()))
            },
            Variant("another response type", "400 unsupported_response_type", "code") { $0["response_type"] = "token" },
            Variant("another client_id", "401 invalid_client", "client_id") { $0["client_id"] = "somebody" },
        ])
    func refused(_ spoilt: Variant) async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite)
        let body = try spoilt.applied(to: LoginTests.right)

        let reply = try await phone.server.post(
            "/authorize/challenge", json: .object(body),
            headers: phone.dpop(.post, "/authorize/challenge", token: phone.instance.accessToken))

        #expect(reply.outcome == spoilt.outcome)
        #expect(reply["error_description"]?.contains(spoilt.why) == true, "\(reply.body)")
    }

    @Test("an account with a second factor gets an auth_session and no code")
    func secondFactor() async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite)

        let reply = try await phone.logInForCode(as: "carol"),
            wrong = try await phone.logInForCode(as: "carol", password: "wrong")

        #expect(reply.outcome == "403 insufficient_authorization" && reply["authorization_code"] == nil)
        #expect(claims(of: reply["auth_session"] ?? "")["client_id"] == .string(phone.clientID))
        #expect(wrong.outcome == "403 access_denied" && wrong["auth_session"] == nil)
    }

    @Test("only a live instance token opens it")
    func instanceOnly() async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server),
            pat = try await phone.logIn()
        let path = "/authorize/challenge", body = JSONValue.object(LoginTests.right)

        #expect(try await server.post(path, json: body).outcome == "401 invalid_token")
        #expect(
            try await server.post(path, json: body, headers: phone.dpop(.post, path, token: pat.accessToken)).outcome
                == "403 insufficient_scope")
        #expect(
            try await server.post(path, json: body, headers: [.authorization: "Bearer \(phone.instance.accessToken)"])
                .outcome == "401 invalid_token")
    }

    @Test("an instance is for one person")
    func onePerson() async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite)
        _ = try await phone.logIn(as: "ada")

        let reply = try await phone.logInForCode(as: "bob")

        #expect(reply.outcome == "403 access_denied" && reply["error_description"]?.contains("another person") == true)
    }

    @Test("after eleven wrong passwords even the right one waits, on this instance only, and for half a minute")
    func attempts() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), other = try await Phone.registered(in: server)

            for _ in 0..<11 { #expect(try await phone.logInForCode(password: "wrong").outcome == "403 access_denied") }
            let blocked = try await phone.logInForCode()

            #expect(blocked.outcome == "429 slow_down" && blocked[header: "Retry-After"] == "30")
            #expect(try await other.logInForCode().outcome == "200")
            server.time.advance(30)
            #expect(try await phone.logInForCode().outcome == "200")
        }
    }

    @Test("parallel guesses do not pass the limit")
    func parallelGuesses() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server)

            let replies = try await crowd(30) { _ in try await phone.logInForCode(password: "wrong") }

            #expect(replies.allSatisfy { ["403 access_denied", "429 slow_down"].contains($0.outcome) })
            #expect(try await phone.logInForCode().outcome == "429 slow_down")
        }
    }
}
