import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// Passwords and secrets as a way to keep the server busy, or to find out what it knows.
@Suite("Attacks by secrets: floods and differences (groups 60 and 61)")
struct TransportLoginTests {
    private func basic(_ id: String, _ secret: String) -> HTTPFields {
        [.authorization: "Basic \(Data("\(id):\(secret)".utf8).base64EncodedString())"]
    }

    // MARK: Group 60

    @Test("group 60: a secret or password of 1 MB is refused unread; one of 60 kB is not worked on")
    func long() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(method: .post), phone = try await Phone.registered(in: server)
            for (count, expected) in [(1_000_000, "413 too_large"), (60_000, "401 invalid_client")] {
                #expect(
                    try await server.post(
                        "/token",
                        [
                            "grant_type": "client_credentials", "client_id": app.id,
                            "client_secret": String(repeating: "s", count: count),
                        ]
                    ).outcome == expected)
            }
            #expect(
                try await server.post(
                    "/introspect", ["token": "x"], headers: basic(app.id, String(repeating: "s", count: 60_000))
                ).status == 401)
            for (count, expected) in [(1_000_000, [413]), (60_000, [400, 401, 403]), (1_025, [400, 401, 403])] {
                let reply = try await server.post(
                    "/authorize/challenge",
                    [
                        "username": "ada", "password": String(repeating: "p", count: count),
                        "code_challenge": Phone.challenge, "code_challenge_method": "S256",
                    ],
                    headers: try phone.dpop(.post, "/authorize/challenge", token: phone.instance.accessToken))
                #expect(expected.contains(reply.status), "\(count): \(reply.status) \(reply.body)")
            }
        }
    }

    @Test(
        """
        group 60: while logins pile up, tokens are checked and issued as ever; what is too much is told so, and not \
        queued
        """
    )
    func burst() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(), tokens = try await app.logIn(Browser(server)),
                phones = try await crowd(20) { _ in try await Phone.registered(in: server) }
            async let logins = crowd(160) { number in
                try await OperationsFixture.logInOnce(phones[number % 20], as: "nobody \(number)", password: "wrong")
            }
            async let checks = crowd(100) { _ in try await app.userInfo(tokens.accessToken) }
            async let machines = crowd(20) { _ in
                try await server.post(
                    "/token", ["grant_type": "client_credentials"],
                    headers: basic(server.residents.machine.id, server.residents.machine.secret))
            }

            #expect(try await checks.allSatisfy { $0.outcome == "200" })
            #expect(try await machines.allSatisfy { $0.outcome == "200" })
            let told = Dictionary(grouping: try await logins, by: \.outcome).mapValues(\.count)
            #expect(
                told.keys.allSatisfy {
                    ["403 access_denied", "503 temporarily_unavailable", "429 slow_down"].contains($0)
                }, "\(told)")
            #expect((told["403 access_denied"] ?? 0) >= 20, "\(told)")
            #expect(
                try await Phone.registered(in: server).logInForCode().outcome == "200", "and then people log in again")

            // Two run and sixty-four wait; who is one too many hears so at once.
            let hasher = server.parts.hasher
            let asked = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<300 { group.addTask { (try? await hasher.verify("wrong", nil)) != nil } }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect((66..<300).contains(asked))
        }
    }

    // MARK: Group 61

    // No statistics here: on a busy machine they are noise. What can be held is that both cases do the same work and
    // answer in the same bytes. Secrets are compared as SHA-256 by `ConstantTime`, with thirty-two zeros where there is
    // no client (ClientAuthentication); passwords by Argon2 with a hash of nobody's (PasswordHasher); a refresh token
    // by an HMAC over all of it, a code or cookie by a hash: there is no prefix to match.

    /// What an answer tells, but for the moment of it.
    private func told(_ reply: Reply) -> String {
        let headers = reply.headers.filter { $0.name != .date && $0.name.canonicalName != "dpop-nonce" }
        return "\(reply.status) \(headers.map { "\($0.name): \($0.value)" }.sorted()) \(reply.body)"
    }

    @Test("group 61: an unknown user and a wrong password are answered in the same bytes, for phones")
    func phones() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server)
            var answers: Set<String> = []
            // dan is suspended; carol has a second factor, which nobody learns who has not the first.
            for (user, password) in [
                ("ada", "wrong"), ("nobody", "wrong"), ("nobody", Residents.password), ("dan", "wrong"),
                ("dan", Residents.password), ("carol", "wrong"), ("ADA", "wrong"), ("ada ", "wrong"),
            ] {
                answers.insert(told(try await phone.logInForCode(as: user, password: password)))
            }
            #expect(answers.count == 1, "\(answers)")
        }
    }

    @Test("group 61: an unknown user and a wrong password are answered in the same bytes, at a browser")
    func browsers() async throws {
        try await TestServer.with { server in
            let browser = Browser(server), page = try await browser.open(.get, "/login")
            var answers: Set<String> = []
            for (user, password) in [
                ("ada", "wrong"), ("bob", "wrong"), ("eve", "wrong"), ("eve", Residents.password),
                ("dan", Residents.password),
            ] {
                let reply = try await browser.submit(page, ["username": user, "password": password])
                answers.insert(
                    told(
                        Reply(
                            status: reply.status, headers: reply.headers,
                            body: reply.body.replacing("\"\(user)\"", with: "\"\""))))
            }
            #expect(answers.count == 1 && answers.first?.hasPrefix("200") == true, "\(answers.map { $0.prefix(400) })")
        }
    }

    @Test(
        "group 61: an unknown client, a wrong secret, another method and a bad assertion get the same bytes",
        arguments: ["/token", "/introspect", "/revoke", "/par", "/device_authorization"])
    func clients(_ path: String) async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(), forge = try await AssertionsForge.ready(in: server),
                thief = try await AssertionsForge.ready(in: server)
            // Who shows an assertion may be an app, and is told how a version is spelled, whatever was wrong.
            var answers: Set<String> = [], assertions: Set<String> = []
            for headers in [
                basic(app.id, "wrong"), basic("unknown", app.secret), basic("unknown", "wrong"),
                basic(forge.id, "wrong"), basic(app.id, ""), basic(app.id, String(app.secret.dropLast())),
                basic(app.id, app.secret + "x"),
            ] {
                answers.insert(
                    told(
                        try await server.post(
                            path, ["grant_type": "client_credentials", "token": "x"], headers: headers)))
            }
            for assertion in [
                "x", try forge.jwt(["iss": "unknown", "sub": "unknown"]), try forge.jwt(by: thief.key),
                try forge.jwt(["iss": .string(app.id), "sub": .string(app.id)]),
            ] {
                assertions.insert(
                    told(
                        try await server.post(
                            path,
                            [
                                "grant_type": "client_credentials", "token": "x", "client_assertion": assertion,
                                "client_assertion_type": AssertionsForge.type,
                            ])))
            }
            #expect(answers.count == 1 && assertions.count == 1, "\(answers) \(assertions)")
        }
    }

    @Test("group 61: a token with a right beginning is told like one that has none")
    func prefixes() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(), browser = Browser(server), tokens = try await app.logIn(browser),
                code = try #require(try await browser.signIn(AuthorizationDraft(app.id)).answer["code"])
            func spoilt(_ text: String, at index: Int) -> String {
                let place = text.index(text.startIndex, offsetBy: index)
                return text[..<place] + (text[place] == "A" ? "B" : "A") + text[text.index(after: place)...]
            }
            var refreshed: Set<String> = [], redeemed: Set<String> = []
            for index in [0, 5, tokens.refreshToken.count / 2, tokens.refreshToken.count - 2] {
                refreshed.insert(told(try await app.refresh(spoilt(tokens.refreshToken, at: index))))
                redeemed.insert(told(try await app.redeem(spoilt(code, at: min(index, code.count - 2)))))
            }
            refreshed.insert(told(try await app.refresh("unknown")))
            #expect(refreshed.count == 1, "\(refreshed)")
            // The first sixteen bytes of a code are its name and no secret: a wrong name is unknown, a wrong secret
            // refused, and neither tells how much of it was right.
            #expect(redeemed.count == 2, "\(redeemed)")
            #expect(try await app.redeem(code).outcome == "200")
        }
    }
}
