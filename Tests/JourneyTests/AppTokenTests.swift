import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("api.md: tokens for third-party apps", .server)
struct AppTokenTests {
    typealias Variant = Spoilt<AppRequest>

    /// Parts of the request, to be spoilt.
    struct AppRequest: Sendable {
        var claims: JSONObject = [:]
        var header: JSONObject = [:]
        var key: PhoneKey?
        var bundle: String? = Phone.bundle
        var scope: String? = ServerParts.viewerScope
        var now = 0
    }

    private func ask(_ request: AppRequest, _ phone: Phone, _ service: Reply) async throws -> Reply {
        let code = try phone.appCode(changes: request.claims, header: request.header, by: request.key)
        return try await phone.authorizeApp(service, scope: request.scope, bundle: request.bundle, code: code)
    }

    @Test("an app without a key gets a bearer token that reaches its scope and no other")
    func bearer() async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), service = try await phone.joinService()

        let app = try await phone.authorizeApp(service)

        #expect(
            app.outcome == "200" && app.json["token_type"] == "Bearer" && app["scope"] == ServerParts.viewerScope
                && app.json["expires_in"] == 3_600)
        let headers: HTTPFields = [.authorization: "Bearer \(app.accessToken)"]
        let attributes = try await phone.server.get("/services/learn/attributes", headers: headers)
        #expect(attributes.json["attributes"]?["email"] == "ada@example.org" && attributes["client_id"] == Phone.bundle)
        let grades = try await phone.server.get("/services/learn/grades/1", headers: headers)
        #expect(grades.outcome == "403 insufficient_scope" && grades["scope"] == ServerParts.gradesScope)
        #expect(
            grades.headers[values: .wwwAuthenticate].contains { $0.contains("scope=\"\(ServerParts.gradesScope)\"") })
        #expect(try await phone.server.get("/services/learn/attributes").outcome == "401 invalid_token")
    }

    @Test("two scopes open both paths")
    func scopes() async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), service = try await phone.joinService()

        let app = try await phone.authorizeApp(service, scope: "\(ServerParts.gradesScope) \(ServerParts.viewerScope)")

        let headers: HTTPFields = [.authorization: "Bearer \(app.accessToken)"]
        #expect(try await phone.server.get("/services/learn/attributes", headers: headers).outcome == "200")
        #expect(try await phone.server.get("/services/learn/grades", headers: headers).outcome == "404 not_found")
    }

    @Test("an app with a key shows it: DPoP, or a JWT in its own name")
    func bound() async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server),
            service = try await phone.joinService(), appKey = PhoneKey()
        let app = try await phone.authorizeApp(service, code: phone.appCode(appKey: appKey)),
            path = "/services/learn/attributes"
        #expect(app.json["token_type"] == "DPoP")
        func get(_ authorization: String, _ proof: String? = nil) async throws -> String {
            var headers: HTTPFields = [.authorization: authorization]
            if let proof { headers[.proof] = proof }
            return try await server.get(path, headers: headers).outcome
        }

        #expect(
            try await get("DPoP \(app.accessToken)", phone.proof(.get, path, token: app.accessToken, by: appKey))
                == "200")
        #expect(
            try await get("DPoP \(app.accessToken)", phone.proof(.get, path, token: app.accessToken))
                == "401 invalid_token")
        #expect(try await get("Bearer \(app.accessToken)") == "401 invalid_token")
        let own = try phone.selfMade(
            for: app.accessToken, audience: ServerParts.base, by: appKey, changes: ["iss": .string(Phone.bundle)])
        let inPhonesName = try phone.selfMade(for: app.accessToken, audience: ServerParts.base, by: appKey)
        #expect(try await get("Bearer \(own)") == "200")
        #expect(try await get("Bearer \(inPhonesName)") == "401 invalid_dpop_proof")
    }

    @Test(
        "what is refused",
        arguments: [
            Variant("no bundle id", "400 invalid_request", "client_id") { $0.bundle = nil },
            Variant("another bundle id than the code's", "400 invalid_grant", "sub") {
                $0.bundle = "org.example.other"
            },
            Variant("no scope", "400 invalid_scope", "protocols") { $0.scope = nil },
            Variant("a scope that is not offered", "400 invalid_scope", "protocols") { $0.scope = "org.example.other" },
            Variant("one scope too many", "400 invalid_scope", "protocols") {
                $0.scope = ServerParts.viewerScope + " org.example.other"
            },
            Variant("a scope with a quote", "400 invalid_scope", "protocols") { $0.scope = "\"" },
            Variant("another key's code", "400 invalid_grant", "not signed by the key") { $0.key = PhoneKey() },
            Variant("a code of another type", "400 invalid_grant", "type JWT") { $0.header["typ"] = "at+jwt" },
            Variant("another issuer", "400 invalid_grant", "iss") { $0.claims["iss"] = "somebody" },
            Variant("the issuer as audience", "400 invalid_grant", "aud") {
                $0.claims["aud"] = .string(ServerParts.root)
            },
            Variant("the base as audience", "400 invalid_grant", "aud") {
                $0.claims["aud"] = .string(ServerParts.base)
            },
            Variant("no jti", "400 invalid_grant", "jti") { $0.claims["jti"] = .null },
            Variant("expired", "400 invalid_grant", "exp") { $0.claims["exp"] = .integer($0.now - 60) },
            Variant("from the future", "400 invalid_grant", "iat") { $0.claims["iat"] = .integer($0.now + 61) },
            Variant("for too long", "400 invalid_grant", "seconds at most") {
                $0.claims["exp"] = .integer($0.now + 400)
            },
            Variant("not yet valid", "400 invalid_grant", "nbf") { $0.claims["nbf"] = .integer($0.now + 61) },
            Variant("nbf as text", "400 invalid_grant", "nbf") { $0.claims["nbf"] = "now" },
            Variant("a key that is none", "400 invalid_grant", "cnf.jwk") { $0.claims["cnf"] = ["jwk": ["kty": "EC"]] },
            // What the app brings and cannot be used would leave it with a bearer token.
            Variant("a cnf of nothing", "400 invalid_grant", "names no key") { $0.claims["cnf"] = [:] },
            Variant("a cnf that is text", "400 invalid_grant", "must be an object") { $0.claims["cnf"] = "key" },
            Variant("a key by its name", "400 invalid_grant", "names no key") { $0.claims["cnf"] = ["kid": "a"] },
            Variant("a key by its thumbprint", "400 invalid_grant", "names no key") {
                $0.claims["cnf"] = ["jkt": .string(PhoneKey().thumbprint)]
            },
            Variant("a key by its address", "400 invalid_grant", "cnf.jku") {
                $0.claims["cnf"] = ["jku": "https://keys.example.org/a"]
            },
            Variant("a shared secret", "400 invalid_grant", "shared secret") {
                $0.claims["cnf"] = ["jwk": ["kty": "oct", "k": "AAAA"]]
            },
            Variant("another key's thumbprint", "400 invalid_grant", "cnf.jkt") {
                $0.claims["cnf"] = ["jwk": PhoneKey().jwk, "jkt": "AAAA"]
            },
        ])
    func refused(_ variant: Variant) async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), service = try await phone.joinService()
        let request = try variant.applied(to: AppRequest(now: phone.server.now))

        let reply = try await ask(request, phone, service)

        #expect(reply.outcome == variant.outcome)
        #expect(reply["error_description"]?.contains(variant.why) == true, "\(reply.body)")
        #expect(try await phone.authorizeApp(service).outcome == "200", "the service token is none the worse")
    }

    @Test("a code works once, and cannot be the authentication as well")
    func once() async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server),
            service = try await phone.joinService(), code = try phone.appCode()

        #expect(try await phone.authorizeApp(service, code: code).outcome == "200")
        #expect(try await phone.authorizeApp(service, code: code)["error_description"]?.contains("used before") == true)
        let both = try phone.selfMade(
            for: service.accessToken, audience: ServerParts.tokenEndpoint, changes: ["sub": .string(Phone.bundle)])
        let reply = try await server.post(
            "/services/learn/token",
            [
                "grant_type": "authorization_code", "code": both, "client_id": Phone.bundle,
                "scope": ServerParts.viewerScope,
            ],
            headers: [.authorization: "Bearer \(both)"])
        #expect(
            reply.outcome == "400 invalid_grant"
                && reply["error_description"]?.contains("cannot be the code as well") == true)
    }

    @Test("without a service token, and with an app token, nothing is handed out")
    func tokens() async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), service = try await phone.joinService(),
            app = try await phone.authorizeApp(service)
        func post(_ headers: HTTPFields) async throws -> Reply {
            try await phone.server.post(
                "/services/learn/token",
                [
                    "grant_type": "authorization_code", "code": phone.appCode(), "client_id": Phone.bundle,
                    "scope": ServerParts.viewerScope,
                ], headers: headers)
        }

        #expect(try await post([:]).outcome == "401 invalid_token")
        #expect(try await post([.authorization: "Bearer \(app.accessToken)"]).outcome == "401 invalid_token")
    }

    @Test("a new authorization of the same app and scopes replaces the old; other apps and scopes stay")
    func replaced() async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), service = try await phone.joinService(),
            both = "\(ServerParts.gradesScope) \(ServerParts.viewerScope)"
        func reaches(_ app: Reply) async throws -> Bool {
            try await phone.server.get(
                "/services/learn/attributes", headers: [.authorization: "Bearer \(app.accessToken)"]
            ).status == 200
        }

        let old = try await phone.authorizeApp(service), wide = try await phone.authorizeApp(service, scope: both)
        let other = try await phone.authorizeApp(
            service, bundle: "org.example.other", code: phone.appCode(changes: ["sub": "org.example.other"]))
        let new = try await phone.authorizeApp(service),
            wider = try await phone.authorizeApp(
                service, scope: "\(ServerParts.viewerScope) \(ServerParts.gradesScope)")

        #expect(
            try await [reaches(old), reaches(wide), reaches(other), reaches(new), reaches(wider)] == [
                false, false, true, true, true,
            ])
    }

    @Test("authorizations of one app at once leave one alive")
    func race() async throws {
        let phone = try await Phone.registered(in: TestServer.ofSuite), service = try await phone.joinService()

        let apps = try await crowd(20) { _ in try await phone.authorizeApp(service) }

        #expect(apps.allSatisfy { $0.outcome == "200" })
        let alive = try await crowd(20) {
            try await phone.server.get(
                "/services/learn/attributes", headers: [.authorization: "Bearer \(apps[$0].accessToken)"]
            ).status == 200
        }
        #expect(alive.count { $0 } == 1)
    }
}
