import Base
import JWTKit

/// A public key as a JWK (RFC 7517), sound: on its curve, RSA of at least 2048 bits, no private member, for signatures.
///
/// Two are equal when their thumbprints are: `kid`, `alg` and `use` do not make another key.
public struct JSONWebKey: Sendable, Equatable {
    /// Why a JWK cannot be used. The description is for whoever sent it and never repeats key material.
    public enum Unacceptable: Error, Equatable, CustomStringConvertible {
        case notAnObject
        case privateKey
        case symmetric
        case unsupported(String)
        case unsound(String)
        /// Of a set only.
        case duplicateKid(String)

        public var description: String {
            switch self {
            case .notAnObject:
                "a JWK is a JSON object, a JWK set an object with an array `keys`; send the public key in that form"
            case .privateKey:
                """
                this JWK holds a private key; remove d, p, q, dp, dq, qi and oth, and replace the key, since it has \
                been shown
                """
            case .symmetric: "this JWK holds a shared secret; send a public key (kty EC, OKP or RSA)"
            case .unsupported(let what): "this kind of key is not accepted: \(what)"
            case .unsound(let what): "this key cannot be trusted: \(what)"
            case .duplicateKid(let kid): "two keys of the set have the kid \(kid); give each its own"
            }
        }
    }

    public var kid: String?
    /// SHA-256, base64url (RFC 7638). The `jkt` of RFC 9449.
    public let thumbprint: String
    /// The stated `alg`, otherwise the natural one: by curve, EdDSA, RS256.
    public let algorithm: SigningAlgorithm
    /// The members of the thumbprint alone, in lexical order.
    public let bare: JSONValue

    let verifiers: [SigningAlgorithm: Primitive.Algorithm]
    private let statesAlgorithm: Bool
    private let use: String?

    /// Async because JWTKit's key collection is an actor. Members that are not known are ignored (RFC 7517, 4), `x5u`
    /// and `x5c` among them: nothing is ever fetched because of a JWK.
    public init(_ value: JSONValue) async throws {
        guard let jwk = value.object else { throw Unacceptable.notAnObject }
        guard jwk["k"] == nil else { throw Unacceptable.symmetric }
        guard ["d", "p", "q", "dp", "dq", "qi", "oth"].allSatisfy({ jwk[$0] == nil }) else {
            throw Unacceptable.privateKey
        }
        let material = try KeyMaterial(jwk)
        use = try Self.text("use", of: jwk)
        kid = try Self.text("kid", of: jwk)
        guard use == nil || use == "sig" else { throw Unacceptable.unsupported("use must be sig or absent") }
        if let operations = jwk["key_ops"] {
            guard operations.strings?.contains("verify") == true else {
                throw Unacceptable.unsupported("key_ops must contain verify or be absent")
            }
        }
        bare = material.bare
        thumbprint = Base64URL.encode(Digest.sha256(material.bare.text))
        let stated = try Self.text("alg", of: jwk)
        let fitting = stated.map { name in material.algorithms.filter { $0.rawValue == name } } ?? material.algorithms
        guard let natural = fitting.first else {
            throw Unacceptable.unsupported(
                """
                alg does not fit the key; use \(material.algorithms.map(\.rawValue).joined(separator: ", ")), or \
                leave it out
                """
            )
        }
        algorithm = natural
        statesAlgorithm = stated != nil
        // One algorithm, so both its spellings.
        let usable = material.algorithms.filter { stated == nil || $0.isSame(as: natural) }
        do {
            verifiers = try await material.verifiers(for: usable)
        } catch {
            throw Unacceptable.unsound(
                "the numbers make no public key, e.g. the point is not on the curve; export the key again")
        }
    }

    private static func text(_ name: String, of jwk: JSONObject) throws(Unacceptable) -> String? {
        guard let value = jwk[name] else { return nil }
        guard let text = value.string, !text.isEmpty, text.utf8.count <= 256 else {
            throw .unsound("\(name) must be a string of 1 to 256 bytes")
        }
        return text
    }

    /// Whether a JWS with this `alg` may be verified by this key.
    public func accepts(algorithm name: String) -> Bool {
        SigningAlgorithm(rawValue: name).map { verifiers[$0] != nil } ?? false
    }

    /// `bare`, then `kid`, `alg` and `use` where given.
    public var json: JSONValue {
        var members = bare.object ?? [:]
        members["kid"] = kid.map(JSONValue.string)
        members["alg"] = statesAlgorithm ? .string(algorithm.rawValue) : nil
        members["use"] = use.map(JSONValue.string)
        return .object(members)
    }

    public static func == (left: JSONWebKey, right: JSONWebKey) -> Bool { left.thumbprint == right.thumbprint }
}
