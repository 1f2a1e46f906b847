import Base
import Crypto
import Foundation
import Registration
import TestSupport
import Testing
import Vocabulary

/// A machine with `private_key_jwt`, and all that its key can be made to sign: right assertions, and any bytes in the
/// shape of one.
struct AssertionsForge: Sendable {
    static let type = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"
    static let kid = "forge"

    let server: TestServer
    let id: String
    let key: P256.Signing.PrivateKey

    /// A client of its own. With `keysAt` it publishes its key at a URL of its own in place of registering it.
    static func ready(
        in server: TestServer, keysAt url: String? = nil, audience: ClientMetadata.AssertionAudience = .issuer
    ) async throws -> AssertionsForge {
        let key = P256.Signing.PrivateKey(), jwks = JSONValue.object(["keys": [jwk(of: key)]])
        if let url { server.wire.publish(jwks.text, at: url) }
        // Spelled out: a bare nil would be JSON's null.
        let registered: JSONValue? = url == nil ? .some(jwks) : .none
        var metadata = ClientMetadata()
        metadata.assertionAudience = audience
        let draft = WebClientDraft(
            name: "forge", authMethod: .privateKeyJWT, jwks: registered, jwksURI: url,
            grantTypes: ["client_credentials"], scope: "read", metadata: metadata)
        let (client, _) = try await WebClientStore(clock: server.parts.time.clock, randomness: .system).create(
            draft, in: server.database)
        return AssertionsForge(server: server, id: client.id, key: key)
    }

    static func ready() async throws -> AssertionsForge { try await ready(in: try TestServer.ofSuite) }

    static func jwk(of key: P256.Signing.PrivateKey, kid: String = AssertionsForge.kid) -> JSONValue {
        let point = [UInt8](key.publicKey.rawRepresentation)
        return [
            "crv": "P-256", "kid": .string(kid), "kty": "EC", "x": .string(Base64URL.encode(point[..<32])),
            "y": .string(Base64URL.encode(point[32...])),
        ]
    }

    var jwk: JSONValue { AssertionsForge.jwk(of: key) }

    /// Nothing wrong with these.
    func claims(_ changes: JSONObject = [:]) -> JSONObject {
        let right: JSONObject = [
            "iss": .string(id), "sub": .string(id), "aud": .string(ServerParts.root), "iat": .integer(server.now),
            "exp": .integer(server.now + 60), "jti": .string(UUID().uuidString),
        ]
        return right.with(changes)
    }

    func header(_ changes: JSONObject = [:]) -> JSONObject {
        (["alg": "ES256", "kid": .string(AssertionsForge.kid)] as JSONObject).with(changes)
    }

    /// ES256 over whatever stands there; null takes a member out.
    func jwt(
        _ changes: JSONObject = [:], header: JSONObject = [:], by other: P256.Signing.PrivateKey? = nil
    ) throws -> String {
        try raw(JSONValue.object(self.header(header)).bytes, JSONValue.object(claims(changes)).bytes, by: other)
    }

    func raw(_ header: [UInt8], _ payload: [UInt8], by other: P256.Signing.PrivateKey? = nil) throws -> String {
        try compact(Base64URL.encode(header), Base64URL.encode(payload), by: other)
    }

    /// Both parts as they are to stand in the token.
    func compact(_ header: String, _ payload: String, by other: P256.Signing.PrivateKey? = nil) throws -> String {
        let input = "\(header).\(payload)"
        let signature = try (other ?? key).signature(for: Data(input.utf8))
        return "\(input).\(Base64URL.encode([UInt8](signature.rawRepresentation)))"
    }

    /// The same claims under another header, with a signature that `sign` makes of the input.
    func signed(_ changes: JSONObject = [:], header: JSONObject, _ sign: (Data) throws -> [UInt8]) throws -> String {
        let input =
            Base64URL.encode(JSONValue.object(self.header(header)).bytes) + "."
            + Base64URL.encode(JSONValue.object(claims(changes)).bytes)
        return "\(input).\(Base64URL.encode(try sign(Data(input.utf8))))"
    }

    func send(_ assertion: String, to other: TestServer? = nil, clientID: String? = nil) async throws -> Reply {
        try await (other ?? server).post(
            "/token",
            [
                "grant_type": "client_credentials", "client_assertion": assertion,
                "client_assertion_type": AssertionsForge.type, "client_id": clientID,
            ])
    }

    /// Refused without a token, and its `jti` is not used up: the right assertion of that name is good.
    func expectRefused(
        _ jti: String, _ assertion: String, _ outcome: String = "401 invalid_client",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let reply = try await send(assertion)

        #expect(
            reply.outcome == outcome && reply.accessToken.isEmpty, "\(reply.status) \(reply.body)",
            sourceLocation: sourceLocation)
        #expect(
            try await send(try jwt(["jti": .string(jti)])).outcome == "200", "the jti was burnt",
            sourceLocation: sourceLocation)
    }
}

/// One forgery of a table: what it is in words, and how it is made of a forge and the `jti` that it must bear.
struct AssertionsForgery: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let make: @Sendable (AssertionsForge, String) throws -> String

    init(_ what: String, _ make: @escaping @Sendable (AssertionsForge, String) throws -> String) {
        (testDescription, self.make) = (what, make)
    }

    static func header(_ what: String, _ header: JSONObject) -> AssertionsForgery {
        .init(what) { try $0.jwt(["jti": .string($1)], header: header) }
    }
    static func claims(
        _ what: String, _ changes: @escaping @Sendable (AssertionsForge) -> JSONObject
    ) -> AssertionsForgery {
        .init(what) { try $0.jwt(changes($0).naming($1)) }
    }
}

extension JSONObject {
    /// With this `jti`; what is null stays, and says that a member is to be left out.
    func naming(_ jti: String) -> JSONObject {
        var all = self
        all["jti"] = .string(jti)
        return all
    }
}
