import Base
import Crypto
import Foundation

/// A P-256 key in the hands of a client: what an app version or a phone signs with. For the demo and the bench, which are clients of the server.
public struct HolderKey: Sendable {
    private let key: P256.Signing.PrivateKey

    public init() { key = P256.Signing.PrivateKey() }
    public init(raw: [UInt8]) throws { key = try P256.Signing.PrivateKey(rawRepresentation: raw) }

    public var raw: [UInt8] { Array(key.rawRepresentation) }

    public var publicJWK: JSONValue {
        let point = [UInt8](key.publicKey.rawRepresentation)
        return ["crv": "P-256", "kty": "EC", "x": .string(Base64URL.encode(point[..<32])), "y": .string(Base64URL.encode(point[32...]))]
    }

    /// RFC 7638; the members above stand in lexical order.
    public var thumbprint: String { Base64URL.encode(Digest.sha256(publicJWK.text)) }

    /// A compact ES256 JWS.
    public func sign(_ claims: JSONObject, header: JSONObject) throws -> String {
        var head: JSONObject = ["alg": "ES256"]
        for member in header { head[member.name] = member.value }
        let input = Base64URL.encode(JSONValue.object(head).bytes) + "." + Base64URL.encode(JSONValue.object(claims).bytes)
        return input + "." + Base64URL.encode([UInt8](try key.signature(for: Data(input.utf8)).rawRepresentation))
    }
}
