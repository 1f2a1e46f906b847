import Base
import Foundation
import HTTPTypes
import Testing

/// A phone with an app instance: what the app does on it, and what an attacker would.
public struct Phone: Sendable {
    public let server: TestServer
    public let key: PhoneKey
    public let device: String
    /// The answer to its registration.
    public let instance: Reply

    public var clientID: String { instance.clientID }

    /// Registers version 1 with a new device and key.
    public static func registered(in server: TestServer) async throws -> Phone {
        let draft = RegistrationDraft(server)
        let reply = try await draft.send()
        try #require(reply.outcome == "200", "registration: \(reply.body)")
        return Phone(server: server, key: draft.key, device: draft.device, instance: reply)
    }

    public init(server: TestServer, key: PhoneKey, device: String, instance: Reply) {
        (self.server, self.key, self.device, self.instance) = (server, key, device, instance)
    }

    // MARK: Proofs

    /// A DPoP proof, with `ath` when there is a token.
    public func proof(
        _ method: HTTPRequest.Method, _ path: String, token: String?, by other: PhoneKey? = nil,
        changes: JSONObject = [:],
        header: JSONObject = [:]
    ) throws -> String {
        let key = other ?? self.key
        var claims: JSONObject = [
            "htm": .string(method.rawValue), "htu": .string(ServerParts.root + path), "iat": .integer(server.now),
            "jti": .string(UUID().uuidString),
        ]
        if let token { claims["ath"] = .string(Base64URL.encode(Digest.sha256(token))) }
        let head: JSONObject = ["typ": "dpop+jwt", "jwk": key.jwk]
        return try key.sign(claims.with(changes), header: head.with(header))
    }

    public func dpop(
        _ method: HTTPRequest.Method, _ path: String, token: String? = nil, changes: JSONObject = [:]
    ) throws -> HTTPFields {
        var headers: HTTPFields = [.proof: try proof(method, path, token: token, changes: changes)]
        if let token { headers[.authorization] = "DPoP \(token)" }
        return headers
    }

    /// eduID's JWT for one request, in the name of a bound token.
    public func selfMade(
        for token: String, audience: String, by other: PhoneKey? = nil, changes: JSONObject = [:],
        header: JSONObject = [:]
    ) throws -> String {
        let claims: JSONObject = [
            "iss": .string(clientID), "aud": .string(audience), "iat": .integer(server.now),
            "exp": .integer(server.now + 300), "jti": .string(UUID().uuidString),
        ]
        let head: JSONObject = ["kid": TestSupport.claims(of: token)["jti"] ?? .null]
        return try (other ?? key).sign(claims.with(changes), header: head.with(header))
    }

    // MARK: What the app does

    public static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    /// RFC 7636, appendix B.
    public static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    /// `acr`: `acr_values` that the app wishes.
    public func logInForCode(
        as user: String = "ada", password: String = Residents.password, acr: String? = nil
    ) async throws -> Reply {
        try await Patience.whileBusy { try await askForCode(as: user, password: password, acr: acr) }
    }

    /// Once, whatever is answered.
    public func askForCode(
        as user: String = "ada", password: String = Residents.password, acr: String? = nil
    ) async throws -> Reply {
        try await ask([
            "username": user, "password": password, "code_challenge": Phone.challenge, "code_challenge_method": "S256",
            "acr_values": acr,
        ])
    }

    /// A step of a login without a browser. `wait`: seconds that the app has time (RFC 7240).
    public func ask(_ form: KeyValuePairs<String, String?>, wait: Int? = nil) async throws -> Reply {
        let path = "/authorize/challenge"
        var headers = try dpop(.post, path, token: instance.accessToken)
        if let wait { headers[HTTPField.Name("Prefer") ?? .server] = "wait=\(wait)" }
        return try await server.post(path, form, headers: headers)
    }

    public func redeem(code: String, verifier: String? = Phone.verifier) async throws -> Reply {
        try await server.post(
            "/token", ["grant_type": "authorization_code", "code": code, "code_verifier": verifier],
            headers: dpop(.post, "/token"))
    }

    /// A personal access token.
    public func logIn(as user: String = "ada") async throws -> Reply {
        let challenge = try await logInForCode(as: user)
        let code = try #require(challenge["authorization_code"], "login: \(challenge.body)")
        let reply = try await redeem(code: code)
        try #require(reply.outcome == "200", "code: \(reply.body)")
        return reply
    }

    /// With a token of the IdP, shown by DPoP.
    public func get(_ path: String, token: String) async throws -> Reply {
        try await server.get(path, headers: dpop(.get, path, token: token))
    }

    public func askAssertion(_ pat: Reply, for service: String = ServerParts.base) async throws -> Reply {
        try await server.post(
            "/authorization", ["response_type": "code", "redirect_uri": service],
            headers: dpop(.post, "/authorization", token: pat.accessToken))
    }

    public func assertion(_ pat: Reply, for service: String = ServerParts.base) async throws -> String {
        let reply = try await askAssertion(pat, for: service)
        return try #require(reply["code"], "assertion: \(reply.body)")
    }

    public func redeem(assertion: String) async throws -> Reply {
        try await server.post(
            "/services/learn/token",
            ["grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": assertion])
    }

    /// Login, assertion, service token.
    public func joinService() async throws -> Reply {
        let reply = try await redeem(assertion: try await assertion(try await logIn()))
        try #require(reply.outcome == "200", "redeem: \(reply.body)")
        return reply
    }

    public func refresh(_ token: String, at path: String = "/token") async throws -> Reply {
        try await server.post(
            path, ["grant_type": "refresh_token", "refresh_token": token], headers: dpop(.post, path))
    }

    // MARK: Third-party apps

    public static let bundle = "org.example.notes"

    /// The code an app is given: a JWT by the instance's key.
    public func appCode(
        appKey: PhoneKey? = nil, changes: JSONObject = [:], header: JSONObject = [:], by other: PhoneKey? = nil
    ) throws -> String {
        var claims: JSONObject = [
            "iss": .string(clientID), "aud": .string(ServerParts.tokenEndpoint), "sub": .string(Phone.bundle),
            "iat": .integer(server.now),
            "exp": .integer(server.now + 300), "jti": .string(UUID().uuidString),
        ]
        if let appKey { claims["cnf"] = ["jwk": appKey.jwk] }
        return try (other ?? key).sign(claims.with(changes), header: header)
    }

    public func authorizeApp(
        _ service: Reply, scope: String? = ServerParts.viewerScope, bundle: String? = Phone.bundle, code: String? = nil
    ) async throws -> Reply {
        let path = "/services/learn/token"
        return try await server.post(
            path,
            ["grant_type": "authorization_code", "code": try code ?? appCode(), "client_id": bundle, "scope": scope],
            headers: dpop(.post, path, token: service.accessToken))
    }
}

extension HTTPField.Name {
    public static var proof: HTTPField.Name { HTTPField.Name("DPoP") ?? .server }
}
