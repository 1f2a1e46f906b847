import Base
import Crypto
import Foundation
import WebAuthn

/// Writes CBOR: canonical but for the order of members, which is that of the list.
public enum CBORText {
    public static func head(_ major: UInt8, _ argument: Int) -> [UInt8] {
        switch argument {
        case ..<24: [major << 5 | UInt8(argument)]
        case ..<256: [major << 5 | 24, UInt8(argument)]
        default: [major << 5 | 25, UInt8(argument >> 8), UInt8(argument & 0xFF)]
        }
    }

    public static func long(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> UInt32($0)) }
    }
    public static func integer(_ number: Int) -> [UInt8] { number < 0 ? head(1, -1 - number) : head(0, number) }
    public static func bytes(_ bytes: [UInt8]) -> [UInt8] { head(2, bytes.count) + bytes }
    public static func text(_ text: String) -> [UInt8] { head(3, text.utf8.count) + Array(text.utf8) }
    public static func array(_ items: [[UInt8]]) -> [UInt8] { head(4, items.count) + items.flatMap { $0 } }
    public static func map(_ members: [([UInt8], [UInt8])]) -> [UInt8] {
        head(5, members.count) + members.flatMap { $0.0 + $0.1 }
    }
    public static func named(_ members: [(String, [UInt8])]) -> [UInt8] { map(members.map { (text($0.0), $0.1) }) }
}

/// An authenticator and its client, of which a test changes what it likes.
public struct SoftAuthenticator: Sendable {
    public static let rpID = "idp.example.org", origin = "https://idp.example.org"

    public let key = P256.Signing.PrivateKey()
    public var id: [UInt8] = Randomness.system.bytes(32)
    public var model = [UInt8](repeating: 0, count: 16)
    public var rpID = SoftAuthenticator.rpID
    public var flags: UInt8 = 0x45
    public var counter: UInt32 = 0
    public var transports: JSONValue = ["internal", "hybrid"]
    public var clientData: JSONObject = ["origin": .string(SoftAuthenticator.origin), "crossOrigin": false]
    /// Behind the credential or the counter.
    public var tail: [UInt8] = []
    public var coseKey: [UInt8]

    public init() {
        let point = Array(key.publicKey.rawRepresentation)
        coseKey = SoftAuthenticator.coseKey(x: Array(point[..<32]), y: Array(point[32...]))
    }

    public static func coseKey(x: [UInt8], y: [UInt8]) -> [UInt8] {
        CBORText.map([
            (CBORText.integer(1), CBORText.integer(2)), (CBORText.integer(3), CBORText.integer(-7)),
            (CBORText.integer(-1), CBORText.integer(1)),
            (CBORText.integer(-2), CBORText.bytes(x)), (CBORText.integer(-3), CBORText.bytes(y)),
        ])
    }

    public static func party(
        framing: RelyingParty.Framing = .refused, verification: RelyingParty.UserVerification = .required,
        presence: Bool = true,
        algorithms: [COSEAlgorithm] = COSEAlgorithm.usual, attestation: AttestationPolicy = .lenient
    ) -> RelyingParty {
        RelyingParty(
            id: rpID, name: "Pando", origins: [origin, "android:apk-key-hash:abc"], framing: framing,
            userVerification: verification,
            needsPresence: presence, algorithms: algorithms, attestation: attestation)
    }

    public var known: KnownCredential {
        get throws {
            KnownCredential(id: id, key: try COSEKey(coseKey), counter: counter, backupEligible: flags & 0x08 != 0)
        }
    }

    private var head: [UInt8] { Array(SHA256.hash(data: Array(rpID.utf8))) + [flags] + CBORText.long(counter) }

    public var registrationData: [UInt8] {
        var bytes = head
        if flags & 0x40 != 0 {
            bytes += model
            bytes += [UInt8(id.count >> 8), UInt8(id.count & 0xFF)]
            bytes += id
            bytes += coseKey
        }
        return bytes + tail
    }

    public func clientBytes(_ type: String, _ challenge: [UInt8]) -> [UInt8] {
        var object = clientData
        if !object.names.contains("type") { object["type"] = .string(type) }
        if !object.names.contains("challenge") { object["challenge"] = .string(Base64URL.encode(challenge)) }
        return JSONValue.object(object).bytes
    }

    /// `statement` gets what is to be signed (6.5.4).
    public func attestationObject(
        _ client: [UInt8], format: String = "none", statement: ([UInt8]) throws -> [UInt8] = { _ in CBORText.map([]) }
    ) throws -> [UInt8] {
        let signed = registrationData + Array(SHA256.hash(data: client))
        return CBORText.named([
            ("fmt", CBORText.text(format)), ("attStmt", try statement(signed)),
            ("authData", CBORText.bytes(registrationData)),
        ])
    }

    public func registration(
        _ challenge: [UInt8], format: String = "none",
        statement: ([UInt8]) throws -> [UInt8] = { _ in CBORText.map([]) }
    ) throws -> JSONValue {
        let client = clientBytes("webauthn.create", challenge)
        return wrap([
            "clientDataJSON": .string(Base64URL.encode(client)), "transports": transports,
            "attestationObject": .string(
                Base64URL.encode(try attestationObject(client, format: format, statement: statement))),
        ])
    }

    public func sign(_ bytes: [UInt8]) throws -> [UInt8] { Array(try key.signature(for: bytes).derRepresentation) }

    public func assertion(_ challenge: [UInt8], userHandle: JSONValue? = Optional.none) throws -> JSONValue {
        let client = clientBytes("webauthn.get", challenge), data = head + tail
        let signature = try sign(data + Array(SHA256.hash(data: client)))
        var response: JSONObject = [
            "clientDataJSON": .string(Base64URL.encode(client)), "authenticatorData": .string(Base64URL.encode(data)),
            "signature": .string(Base64URL.encode(signature)),
        ]
        response["userHandle"] = userHandle
        return wrap(.object(response))
    }

    public func wrap(_ response: JSONValue) -> JSONValue {
        let id = JSONValue.string(Base64URL.encode(id))
        return ["id": id, "rawId": id, "type": "public-key", "response": response, "clientExtensionResults": [:]]
    }
}
