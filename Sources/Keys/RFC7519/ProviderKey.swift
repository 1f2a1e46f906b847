import Base

/// A private key that somebody else gave to this server to sign with: of an APNs team, of a service account at Google.
/// Never published, never rotated here.
public struct ProviderKey: Sendable {
    private let key: PrivateSigningKey

    /// `pem` is PKCS #8, as both hand it out. Throws for anything that is no key of `algorithm`.
    public init(pem: SecretBytes, algorithm: SigningAlgorithm) async throws {
        key = try await PrivateSigningKey(pem: pem, algorithm: algorithm)
    }

    /// A compact JWS of `claims`; `header` beside `alg`.
    public func sign(_ claims: JSONObject, header: JSONObject = [:]) throws -> String {
        var head: JSONObject = ["alg": .string(key.algorithm.rawValue)]
        for member in header { head[member.name] = member.value }
        let input =
            Base64URL.encode(JSONValue.object(head).bytes) + "." + Base64URL.encode(JSONValue.object(claims).bytes)
        return input + "." + Base64URL.encode(try key.sign(Array(input.utf8)))
    }
}
