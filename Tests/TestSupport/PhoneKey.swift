import Base
import Crypto
import Foundation

/// A P-256 key of a client's side, and the JWTs it signs: right ones and forged ones.
public struct PhoneKey: Sendable {
    private let key = P256.Signing.PrivateKey()

    public init() {}

    public var jwk: JSONValue {
        let point = [UInt8](key.publicKey.rawRepresentation)
        return [
            "crv": "P-256", "kty": "EC", "x": .string(Base64URL.encode(point[..<32])),
            "y": .string(Base64URL.encode(point[32...])),
        ]
    }

    public func jwk(kid: String) -> JSONValue { jwk(changed: ["kid": .string(kid)]) }

    public func jwk(changed changes: JSONObject) -> JSONValue { .object((jwk.object ?? [:]).with(changes)) }

    /// RFC 7638; the members above stand in lexical order.
    public var thumbprint: String { Base64URL.encode(Digest.sha256(jwk.text)) }

    /// A compact ES256 JWS; a member of `header` that is null is left out.
    public func sign(_ claims: JSONObject, header: JSONObject = [:]) throws -> String {
        var head: JSONObject = ["alg": "ES256"]
        for member in header { head[member.name] = member.value == .null ? .none : .some(member.value) }
        let input =
            Base64URL.encode(JSONValue.object(head).bytes) + "." + Base64URL.encode(JSONValue.object(claims).bytes)
        return input + "." + Base64URL.encode([UInt8](try key.signature(for: Data(input.utf8)).rawRepresentation))
    }
}

/// The second part of a JWT, whoever signed it.
public func claims(of jwt: String) -> JSONObject {
    let parts = jwt.split(separator: ".")
    guard parts.count == 3, let bytes = Base64URL.decode(parts[1]), let json = try? JSONReader.read(bytes) else {
        return [:]
    }
    return json.object ?? [:]
}

extension JSONObject {
    /// The same with some members replaced; null takes one out.
    public func with(_ changes: JSONObject) -> JSONObject {
        var result = self
        for member in changes { result[member.name] = member.value == .null ? .none : .some(member.value) }
        return result
    }
}
