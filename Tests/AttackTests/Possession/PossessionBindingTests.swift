import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// Tokens that are bound to a key, shown without it.
@Suite("Attacks on proofs of possession: bound tokens (groups 49 to 51)", .server)
struct PossessionBindingTests {
    private func proof(
        _ key: PhoneKey, _ method: HTTPRequest.Method, _ path: String, token: String? = nil
    ) throws -> HTTPFields {
        let server = try TestServer.ofSuite
        var claims: JSONObject = [
            "htm": .string(method.rawValue), "htu": .string(ServerParts.root + path), "iat": .integer(server.now),
            "jti": .string(UUID().uuidString),
        ]
        if let token { claims["ath"] = .string(Base64URL.encode(Digest.sha256(token))) }
        var headers: HTTPFields = [.proof: try key.sign(claims, header: ["typ": "dpop+jwt", "jwk": key.jwk])]
        if let token { headers[.authorization] = "DPoP \(token)" }
        return headers
    }

    /// A public client whose tokens are bound to a key of its own.
    private func bound(_ method: String = "none") async throws -> (app: WebApp, key: PhoneKey, tokens: Reply) {
        let app = try await TestServer.ofSuite.webApp(method: method == "none" ? .none : .basic), key = PhoneKey(),
            browser = Browser(app.server)
        let code = try await browser.signIn(AuthorizationDraft(app.id)).answer["code"]
        let tokens = try await app.redeem(code, headers: proof(key, .post, "/token"))
        try #require(tokens.outcome == "200" && tokens["token_type"] == "DPoP", "\(tokens.body)")
        return (app, key, tokens)
    }

    private func refresh(_ app: WebApp, _ token: String, _ headers: HTTPFields) async throws -> Reply {
        try await app.server.post(
            "/token", ["grant_type": "refresh_token", "refresh_token": token, "client_id": app.id], headers: headers)
    }

    // MARK: Group 49

    @Test(
        "group 49: a bound token as plain Bearer opens nothing, at no endpoint",
        arguments: ["/userinfo", "/user-profile", "/instances", "/service-discovery/user"])
    func plain(_ path: String) async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), pat = try await phone.logIn(),
            web = try await bound()
        for token in [pat.accessToken, web.tokens.accessToken] {
            #expect(
                try await phone.server.get(path, headers: [.authorization: "Bearer \(token)"]).outcome
                    == "401 invalid_token")
            #expect(
                try await phone.server.get(
                    path, headers: try proof(PhoneKey(), .get, path).merging([.authorization: "Bearer \(token)"])
                ).outcome == "401 invalid_token")
        }
        #expect(try await phone.get(path, token: pat.accessToken).outcome == "200")
    }

    @Test(
        "group 49: a JWT of one's own making is no token of ours, with cnf stripped, changed or kept",
        arguments: ["stripped", "changed", "kept", "by no key", "by its own jwk"])
    func selfMade(_ what: String) async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), pat = try await phone.logIn(),
            thief = PhoneKey()
        let header = try #require(
            pat.accessToken.split(separator: ".").first.flatMap { Base64URL.decode($0) }.flatMap {
                try? JSONReader.read($0).object
            })
        let cnf: JSONValue =
            switch what {
            case "stripped": .null
            case "kept", "by no key": claims(of: pat.accessToken)["cnf"] ?? .null
            default: ["jwk": thief.jwk, "jkt": .string(thief.thumbprint)]
            }
        var made = try thief.sign(
            claims(of: pat.accessToken).with(["cnf": cnf]),
            header: header.with(["alg": "ES256", "jwk": what == "by its own jwk" ? thief.jwk : .null]))
        if what == "by no key" {
            made =
                made.split(separator: ".")[..<2].joined(separator: ".") + "."
                + (pat.accessToken.split(separator: ".").last.map(String.init) ?? "")
        }

        for headers in [
            [.authorization: "Bearer \(made)"], try proof(thief, .get, "/userinfo", token: made),
            try proof(phone.key, .get, "/userinfo", token: made),
        ] as [HTTPFields] {
            let reply = try await phone.server.get("/userinfo", headers: headers)
            // Where the claims were not changed by a letter it is the token itself, whose key was shown.
            #expect(reply.outcome == "401 invalid_token" || made == pat.accessToken, "\(reply.body)")
        }
        #expect(try await phone.get("/userinfo", token: pat.accessToken).outcome == "200")
    }

    @Test(
        "group 49: cnf is a key in full: a name or an address of one is refused, and nothing is fetched",
        arguments: [
            "kid", "kid of the version", "jku", "jkt", "x5t#S256", "jwk and jku", "jwk with x5u", "an array",
            "two keys", "a private key", "the version's own key", "absent", "null",
        ])
    func confirmation(_ what: String) async throws {
        let server = try TestServer.ofSuite, canary = "https://canary-\(UUID().uuidString.lowercased()).example/jwks",
            other = try await Phone.registered(in: server)
        var draft = RegistrationDraft(server)
        server.wire.publish(JSONValue.object(["keys": [draft.key.jwk(kid: "x")]]).text, at: canary)
        let cnf: JSONValue =
            switch what {
            case "kid": ["kid": .string(other.instance.jti)]
            case "kid of the version": ["kid": "kid-1"]
            case "jku": ["jku": .string(canary), "kid": "x"]
            case "jkt": ["jkt": .string(other.key.thumbprint)]
            case "x5t#S256": ["x5t#S256": .string(other.key.thumbprint)]
            case "jwk and jku": ["jwk": draft.key.jwk, "jku": .string(canary)]
            case "jwk with x5u": ["jwk": draft.key.jwk(changed: ["x5u": .string(canary)])]
            case "an array": [["jwk": draft.key.jwk]]
            case "two keys": ["jwk": [draft.key.jwk, other.key.jwk]]
            case "a private key": ["jwk": draft.key.jwk(changed: ["d": "AAAA"])]
            case "the version's own key": ["jwk": server.residents.versionKeys["1"]?.jwk ?? .null]
            default: .null
            }
        draft.claims["cnf"] = what == "absent" ? nil : cnf

        let reply = try await draft.send()

        // One key is named in one way (RFC 7800, 3.1). An address within the key itself is none of them, and says
        // nothing.
        #expect(reply.outcome == (what == "jwk with x5u" ? "200" : "401 invalid_client"), "\(reply.body)")
        #expect(!server.wire.fetched.contains { $0.contains("canary-") })
        if reply.status == 200 {
            #expect(claims(of: reply.accessToken)["cnf"]?["jkt"] == .string(draft.key.thumbprint))
        }
    }

    // MARK: Group 50

    @Test(
        "group 50: a bound refresh token is good with its key alone, and another's try ends nothing",
        arguments: ["none", "client_secret_basic"])
    func otherKey(_ method: String) async throws {
        let (app, key, tokens) = try await bound(method), path = "/token"
        func ask(_ headers: HTTPFields) async throws -> String {
            try await refresh(app, tokens.refreshToken, headers.merging(method == "none" ? [:] : app.basic)).outcome
        }

        for thief in [PhoneKey(), PhoneKey()] {
            #expect(try await ask(proof(thief, .post, path)) == "400 invalid_grant")
        }
        #expect(try await ask([:]) == "400 invalid_grant")
        #expect(try await ask(proof(key, .post, path)) == "200")
    }

    @Test("group 50: a rotated token stays bound to the first key, and so does what it gives")
    func rotated() async throws {
        let (app, key, tokens) = try await bound(),
            next = try await refresh(app, tokens.refreshToken, proof(key, .post, "/token"))
        try #require(next.outcome == "200")

        #expect(claims(of: next.accessToken)["cnf"]?["jkt"] == .string(key.thumbprint))
        #expect(
            try await refresh(app, next.refreshToken, proof(PhoneKey(), .post, "/token")).outcome == "400 invalid_grant"
        )
        #expect(
            try await app.server.get(
                "/userinfo", headers: proof(PhoneKey(), .get, "/userinfo", token: next.accessToken)
            ).outcome == "401 invalid_token")
        #expect(
            try await app.server.get("/userinfo", headers: proof(key, .get, "/userinfo", token: next.accessToken))
                .outcome == "200")
    }

    // MARK: Group 51

    @Test("group 51: introspection tells the binding, in its signed form too")
    func introspected() async throws {
        let (app, key, tokens) = try await bound("client_secret_basic")
        let plain = try await app.server.post("/introspect", ["token": tokens.accessToken], headers: app.basic)
        let signed = try await app.server.post(
            "/introspect", ["token": tokens.accessToken],
            headers: app.basic.merging([.accept: "application/token-introspection+jwt"]))

        #expect(
            plain.json["active"] == true && plain.json["cnf"]?["jkt"] == .string(key.thumbprint)
                && plain["token_type"] == "DPoP")
        #expect(claims(of: signed.body)["token_introspection"]?["cnf"]?["jkt"] == .string(key.thumbprint))
    }

    /// The built-in services are the sample resource servers; none reads a token but through `ResourceCheck`.
    @Test(
        "group 51: a built-in service that is shown a bound app token without its key opens nothing",
        arguments: ["/services/learn/attributes", "/services/learn/grades"])
    func service(_ path: String) async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), service = try await phone.joinService(),
            appKey = PhoneKey()
        let scope = path.hasSuffix("grades") ? ServerParts.gradesScope : ServerParts.viewerScope
        let app = try await phone.authorizeApp(service, scope: scope, code: try phone.appCode(appKey: appKey))
        try #require(app.outcome == "200" && app["token_type"] == "DPoP", "\(app.body)")

        #expect(
            try await phone.server.get(path, headers: [.authorization: "Bearer \(app.accessToken)"]).outcome
                == "401 invalid_token")
        #expect(
            try await phone.server.get(path, headers: proof(PhoneKey(), .get, path, token: app.accessToken)).outcome
                == "401 invalid_token")
        #expect(
            try await phone.server.get(path, headers: proof(phone.key, .get, path, token: app.accessToken)).outcome
                == "401 invalid_token", "the phone's key is not the app's")
        #expect(
            ![401, 403].contains(
                try await phone.server.get(path, headers: proof(appKey, .get, path, token: app.accessToken)).status))
    }
}

extension HTTPFields {
    fileprivate func merging(_ other: HTTPFields) -> HTTPFields {
        var all = self
        for field in other { all[field.name] = field.value }
        return all
    }
}
