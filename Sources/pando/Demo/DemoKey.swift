import Base
import Crypto
import Foundation

/// A P-256 key of the demo app, which signs as a phone would: this is the client's side, so it stands apart from the room `Keys`.
struct DemoKey: Sendable {
    private let key: P256.Signing.PrivateKey

    init() { key = P256.Signing.PrivateKey() }
    init(raw: [UInt8]) throws { key = try P256.Signing.PrivateKey(rawRepresentation: raw) }

    var publicJWK: JSONValue {
        let point = [UInt8](key.publicKey.rawRepresentation)
        return ["crv": "P-256", "kty": "EC", "x": .string(Base64URL.encode(point[..<32])), "y": .string(Base64URL.encode(point[32...]))]
    }

    /// RFC 7638; the members above stand in lexical order.
    var thumbprint: String { Base64URL.encode(Digest.sha256(publicJWK.text)) }

    /// A compact ES256 JWS.
    func sign(_ claims: JSONObject, header: JSONObject) throws -> String {
        var head: JSONObject = ["alg": "ES256"]
        for member in header { head[member.name] = member.value }
        let input = Base64URL.encode(JSONValue.object(head).bytes) + "." + Base64URL.encode(JSONValue.object(claims).bytes)
        return input + "." + Base64URL.encode([UInt8](try key.signature(for: Data(input.utf8)).rawRepresentation))
    }
}
