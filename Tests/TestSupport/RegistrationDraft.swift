import Base
import Foundation
import HTTPTypes

/// A registration before it is sent, so that tests can spoil it.
public struct RegistrationDraft: Sendable {
    public let server: TestServer
    public let key: PhoneKey
    public let device: String
    public var claims: JSONObject
    public var header: JSONObject
    public var signingKey: PhoneKey

    public init(
        _ server: TestServer, version: String = "1", app: String = Residents.app, key: PhoneKey = PhoneKey(),
        device: String = UUID().uuidString
    ) {
        (self.server, self.key, self.device) = (server, key, device)
        claims = [
            "iss": .string("\(app).\(version)"), "sub": .string(device), "aud": .string(ServerParts.root),
            "iat": .integer(server.now), "exp": .integer(server.now + 300),
            "jti": .string(UUID().uuidString), "name": "Ada's phone", "device_type": "ios", "os_version": "19.1",
            "cnf": ["jwk": key.jwk],
        ]
        header = ["kid": .string("kid-\(version)"), "typ": "client-authentication+jwt"]
        signingKey = server.residents.versionKeys[version] ?? PhoneKey()
    }

    /// Seconds from now, as a NumericDate.
    public func at(_ seconds: Int) -> JSONValue { .integer(server.now + seconds) }

    /// Null takes a claim out.
    public mutating func set(_ changes: JSONObject) { claims = claims.with(changes) }

    public var jwt: String { get throws { try signingKey.sign(claims, header: header) } }

    public func send(headers: HTTPFields = [:]) async throws -> Reply {
        try await server.post(
            "/token",
            [
                "grant_type": "client_credentials",
                "client_assertion_type": "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
                "client_assertion": jwt,
            ], headers: headers)
    }
}
