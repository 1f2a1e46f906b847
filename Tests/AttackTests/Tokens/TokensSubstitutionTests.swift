import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing
import TokenTree

/// Tokens in places that are another's, and in spellings that are none.
@Suite("Attacks on the token endpoint: substitution and spelling (groups 28 and 29)", .server, .serialized)
struct TokensSubstitutionTests {
    // MARK: Group 28

    /// One of every kind, all live, of one person.
    private struct Bunch: Sendable {
        let app: WebApp
        let scene: AuthorizationScene
        let phone: Phone
        let tokens: [String: String]

        static func ready() async throws -> Bunch {
            let server = try TestServer.ofSuite, user = try await server.newcomer()
            let grants = [
                "authorization_code", "refresh_token", "client_credentials",
                "urn:ietf:params:oauth:grant-type:device_code", "urn:ietf:params:oauth:grant-type:token-exchange",
            ]
            let app = try await server.webApp(grants: grants),
                scene = try await AuthorizationScene.ready(app, as: user),
                web = try await app.redeem(try await scene.code())
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn(as: user),
                assertion = try await phone.assertion(pat),
                service = try await phone.redeem(assertion: try await phone.assertion(pat))
            let device = try await server.post("/device_authorization", [:], headers: app.basic),
                pushed = try await scene.push(scene.draft())
            let machine = try await server.post("/token", ["grant_type": "client_credentials"], headers: app.basic)
            return Bunch(
                app: app, scene: scene, phone: phone,
                tokens: [
                    "access token": web.accessToken, "refresh token": web.refreshToken,
                    "ID token": web["id_token"] ?? "", "code": try await scene.code(),
                    "machine's token": machine.accessToken,
                    "instance token": phone.instance.accessToken,
                    "instance's refresh token": phone.instance.refreshToken, "PAT": pat.accessToken,
                    "PAT's refresh token": pat.refreshToken, "assertion": assertion,
                    "service token": service.accessToken, "service's refresh token": service.refreshToken,
                    "device code": device["device_code"] ?? "", "user code": device["user_code"] ?? "",
                    "request_uri": pushed["request_uri"]?.replacing("urn:ietf:params:oauth:request_uri:", with: "")
                        ?? "", "session cookie": await scene.browser.cookies["pando_session"] ?? "",
                    "browser cookie": await scene.browser.cookies["pando_browser"] ?? "", "node": web.jti,
                    "client secret": app.secret,
                ])
        }
    }

    /// A place, what belongs there, and what it answers to everything else.
    enum Slot: String, Sendable, CaseIterable {
        case code, refreshToken, deviceCode, assertion, clientAssertion, subjectToken, bearer, dpop, instance,
            phonesRefresh, phonesCode, introspect, requestURI, requestObject, idTokenHint, logoutHint, session, form

        var rightful: Set<String> {
            switch self {
            case .code: ["code"]
            case .refreshToken: ["refresh token"]
            case .deviceCode: ["device code"]
            case .assertion: ["assertion"]
            case .bearer: ["access token", "machine's token"]
            case .dpop: ["PAT"]
            case .instance: ["instance token"]
            case .phonesRefresh: ["PAT's refresh token", "instance's refresh token"]
            case .introspect: ["access token", "refresh token", "machine's token"]
            case .requestURI: ["request_uri"]
            case .idTokenHint, .logoutHint: ["ID token"]
            case .session: ["session cookie"]
            case .subjectToken: ["access token"]
            case .clientAssertion, .phonesCode, .requestObject, .form: []
            }
        }
    }

    private func present(_ token: String, as slot: Slot, _ bunch: Bunch) async throws -> Reply {
        let (app, phone, scene, server) = (bunch.app, bunch.phone, bunch.scene, bunch.app.server),
            type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
        switch slot {
        case .code: return try await app.redeem(token)
        case .refreshToken: return try await app.refresh(token)
        case .deviceCode:
            return try await server.post(
                "/token", ["grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": token],
                headers: app.basic)
        case .assertion: return try await phone.redeem(assertion: token)
        case .clientAssertion:
            return try await server.post(
                "/token",
                ["grant_type": "client_credentials", "client_assertion": token, "client_assertion_type": type])
        case .subjectToken:
            return try await server.post(
                "/token",
                [
                    "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "subject_token": token,
                    "resource": ServerParts.base,
                    "subject_token_type": "urn:ietf:params:oauth:token-type:access_token",
                ],
                headers: app.basic.and(.proof, try phone.proof(.post, "/token", token: nil)))
        case .bearer: return try await server.get("/userinfo", headers: [.authorization: "Bearer \(token)"])
        case .dpop: return try await phone.get("/userinfo", token: token)
        case .instance:
            return try await server.post(
                "/authorize/challenge",
                [
                    "username": "nobody", "password": "x", "code_challenge": Phone.challenge,
                    "code_challenge_method": "S256",
                ],
                headers: phone.dpop(.post, "/authorize/challenge", token: token))
        case .phonesRefresh: return try await phone.refresh(token)
        case .phonesCode: return try await phone.redeem(code: token)
        case .introspect: return try await server.post("/introspect", ["token": token], headers: app.basic)
        case .requestURI:
            return try await scene.browser.open(
                .get,
                "/authorize?"
                    + FormCodec.write([
                        ("client_id", app.id), ("request_uri", "urn:ietf:params:oauth:request_uri:" + token),
                    ]))
        case .requestObject: return try await scene.ask(scene.draft(["request": token]))
        case .idTokenHint: return try await scene.ask(scene.draft(["id_token_hint": token, "prompt": "none"]))
        case .logoutHint:
            return try await scene.browser.open(.get, "/logout?" + FormCodec.write([("id_token_hint", token)]))
        case .session:
            let browser = Browser(server)
            await browser.set(cookie: "pando_browser", to: await scene.browser.cookies["pando_browser"])
            await browser.set(cookie: "pando_session", to: token)
            return try await browser.open(.get, "/account")
        case .form:
            return try await scene.browser.open(
                .post, "/account/withdraw", form: [("form_token", token), ("client", app.id)])
        }
    }

    /// Whether the place took it for its own.
    private func isTaken(_ reply: Reply, _ slot: Slot) -> Bool {
        switch slot {
        case .introspect: reply.json["active"] != false
        case .requestURI, .requestObject, .idTokenHint: reply.authorizationAnswer["code"] != nil
        // It asks whom it does not know by an ID token.
        case .logoutHint: reply.headers[values: .setCookie].contains { $0.contains("Max-Age=0") }
        case .form: reply.status == 303
        case .deviceCode: reply.status == 200 || reply.error == "authorization_pending"
        // The token is taken, the password is not.
        case .instance: reply.outcome == "403 access_denied"
        case .bearer: reply.status == 200 || reply.outcome == "403 insufficient_scope"
        default: reply.status == 200
        }
    }

    @Test("group 28: each place takes what belongs there, and nothing else of the bunch", arguments: Slot.allCases)
    func substitution(_ slot: Slot) async throws {
        let bunch = try await Bunch.ready()
        try #require(
            bunch.tokens.values.allSatisfy { !$0.isEmpty } && Set(bunch.tokens.values).count == bunch.tokens.count)

        for (kind, token) in bunch.tokens where !slot.rightful.contains(kind) {
            let reply = try await present(token, as: slot, bunch)

            #expect(
                !isTaken(reply, slot) && reply.status < 500,
                "\(kind): \(reply.status) \(reply.location ?? String(reply.body.prefix(300)))")
        }
        for kind in slot.rightful {
            let reply = try await present(bunch.tokens[kind] ?? "", as: slot, bunch)
            #expect(
                isTaken(reply, slot), "\(kind): \(reply.status) \(reply.location ?? String(reply.body.prefix(300)))")
        }
    }

    // MARK: Group 29

    struct Spelling: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable (String) -> String

        init(_ what: String, _ change: @escaping @Sendable (String) -> String) {
            (testDescription, self.change) = (what, change)
        }
    }

    static let spellings = [
        Spelling("a letter less") { String($0.dropLast()) },
        Spelling("the first letter off") { String($0.dropFirst()) },
        Spelling("half of it") { String($0.prefix($0.count / 2)) },
        Spelling("the last 20 letters off") { String($0.dropLast(20)) }, Spelling("a letter more") { $0 + "A" },
        Spelling("four letters more") { $0 + "AAAA" }, Spelling("a pad") { $0 + "=" },
        Spelling("two pads") { $0 + "==" }, Spelling("a blank before") { " " + $0 },
        Spelling("a blank behind") { $0 + " " }, Spelling("a line end") { $0 + "\r\n" },
        Spelling("a tab inside") { $0.prefix(4) + "\t" + $0.dropFirst(4) },
        Spelling("small letters") { $0.lowercased() }, Spelling("capitals") { $0.uppercased() },
        Spelling("cases swapped") {
            String($0.map { $0.isLowercase ? Character($0.uppercased()) : Character($0.lowercased()) })
        },
        Spelling("twice") { $0 + $0 }, Spelling("with its twin behind a comma") { $0 + "," + $0 },
        Spelling("in quotes") { "\"\($0)\"" },
        Spelling("percent-encoded once more") { $0.utf8.map { "%" + String($0, radix: 16) }.joined() },
        Spelling("hexadecimal") { $0.utf8.map { String($0, radix: 16) }.joined() },
        Spelling("base64 of it") { Data($0.utf8).base64EncodedString() },
        Spelling("set bits behind the last byte") { loosened($0) },
        Spelling("full-width") { $0.applyingTransform(.fullwidthToHalfwidth, reverse: true) ?? "" },
        Spelling("a combining mark") { $0 + "\u{301}" }, Spelling("a zero-width blank") { $0 + "\u{200B}" },
        Spelling("Kelvin for K") { $0.contains("K") ? $0.replacing("K", with: "\u{212A}") : $0 + "\u{212A}" },
        Spelling("the first letter changed") { ($0.first == "A" ? "B" : "A") + $0.dropFirst() },
        Spelling("a letter in the middle changed") { text in
            let middle = text.index(text.startIndex, offsetBy: text.count / 2)
            return text[..<middle] + (text[middle] == "A" ? "B" : "A") + text[text.index(after: middle)...]
        },
        Spelling("a null byte in words") { $0 + "%00" }, Spelling("a path") { "../" + $0 },
        Spelling("a pattern") { $0.prefix(10) + "%" }, Spelling("SQL") { "\($0)' or '1'='1" },
    ]

    /// The same bytes to a careless reader of base64url.
    static func loosened(_ text: String) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        guard let last = text.last, let index = letters.firstIndex(of: last), text.utf8.count % 4 != 0 else {
            return text + "."
        }
        return text.dropLast() + String(letters[index ^ 1])
    }

    // None of them uses anything up, so one bunch serves all; at the end everything still works as it was given.
    @Test("group 29: an opaque token in any other spelling is inactive, unknown, and ends nothing")
    func spelling() async throws {
        let bunch = try await Bunch.ready(), (app, server) = (bunch.app, bunch.app.server)
        let slots: KeyValuePairs<String, Slot> = [
            "code": .code, "refresh token": .refreshToken, "device code": .deviceCode,
            "PAT's refresh token": .phonesRefresh, "request_uri": .requestURI, "session cookie": .session,
        ]
        for spelling in TokensSubstitutionTests.spellings {
            for (kind, slot) in slots {
                let token = try #require(bunch.tokens[kind]), changed = spelling.change(token)
                // Blanks around a cookie are no part of it.
                guard slot != .session || changed.trimmingCharacters(in: .whitespacesAndNewlines) != token else {
                    continue
                }
                try #require(!changed.utf8.elementsEqual(token.utf8))
                let reply = try await present(changed, as: slot, bunch)
                #expect(
                    !isTaken(reply, slot) && reply.status < 500, "\(kind), \(spelling.testDescription): \(reply.body)")
            }
            let refresh = spelling.change(bunch.tokens["refresh token"] ?? "")
            #expect(
                try await server.post("/introspect", ["token": refresh], headers: app.basic).json == ["active": false],
                "\(spelling.testDescription)")
            #expect(
                try await server.post("/revoke", ["token": refresh], headers: app.basic).outcome == "200",
                "\(spelling.testDescription)")
        }
        for (kind, slot) in slots {
            #expect(
                isTaken(try await present(bunch.tokens[kind] ?? "", as: slot, bunch), slot),
                "\(kind): as it was given it still works")
        }
    }

    @Test(
        "group 29: an access token in any other spelling is inactive, as a JWT has one as well",
        arguments: spellings + [
            Spelling("a signature with set bits behind the last byte") { text in
                let parts = text.split(separator: ".").map(String.init)
                return (parts.dropLast() + [loosened(parts[2])]).joined(separator: ".")
            },
            Spelling("no signature") { $0.split(separator: ".").dropLast().joined(separator: ".") + "." },
            Spelling("a fourth part") { $0 + ".AAAA" },
            Spelling("the parts swapped") { $0.split(separator: ".").reversed().joined(separator: ".") },
            Spelling("a blank in the header's JSON") { text in
                let parts = text.split(separator: ".").map(String.init),
                    header = String(decoding: Base64URL.decode(parts[0]) ?? [], as: UTF8.self)
                return ([Base64URL.encode(Array(header.replacing("{", with: "{ ").utf8))] + parts.dropFirst()).joined(
                    separator: ".")
            },
            Spelling("the header padded") { text in
                let parts = text.split(separator: ".").map(String.init)
                return
                    ([parts[0] + String(repeating: "=", count: max(1, (4 - parts[0].count % 4) % 4))]
                    + parts.dropFirst()).joined(separator: ".")
            },
        ])
    func jwt(_ spelling: Spelling) async throws {
        let scene = try await AuthorizationScene.ready(), (server, app) = (scene.server, scene.app),
            tokens = try await app.redeem(try await scene.code()), changed = spelling.change(tokens.accessToken)
        try #require(!changed.utf8.elementsEqual(tokens.accessToken.utf8))

        #expect(try await server.post("/introspect", ["token": changed], headers: app.basic).json == ["active": false])
        #expect(try await server.post("/revoke", ["token": changed], headers: app.basic).outcome == "200")
        // Blanks around a header's value are no part of it.
        if changed.trimmingCharacters(in: .whitespacesAndNewlines) != tokens.accessToken {
            #expect(try await app.userInfo(changed).outcome == "401 invalid_token")
        }
        #expect(try await app.userInfo(tokens.accessToken).outcome == "200")
    }
}
