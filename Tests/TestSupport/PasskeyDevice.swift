import Accounts
import Base
import Crypto
import Foundation
import Liquid
import Testing
import TokenTree

/// A browser's authenticator in software: one passkey, ES256, attestation `none` (WebAuthn, 6 and 8.7). It answers
/// options as the pages' script would, and tests change what it says.
public struct PasskeyDevice: Sendable {
    public let id: [UInt8]
    public var origin = ServerParts.root
    /// User present and verified.
    public var flags: UInt8 = 0x05
    public var counter: UInt32 = 0
    /// As the registration told it.
    public private(set) var userHandle: String?
    private let key = P256.Signing.PrivateKey()

    public init() { id = Randomness.system.bytes(32) }

    public var name: String { Base64URL.encode(id) }

    private func head(_ options: JSONValue?, _ more: UInt8) -> [UInt8] {
        let rpID = options?["rpId"]?.string ?? options?["rp"]?["id"]?.string ?? ""
        var bytes = Digest.sha256(rpID)
        bytes.append(flags | more)
        for shift: UInt32 in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: counter >> shift)) }
        return bytes
    }

    private func clientData(_ type: String, _ options: JSONValue?) -> [UInt8] {
        let object: JSONValue = [
            "type": .string(type), "challenge": options?["challenge"] ?? "", "origin": .string(origin),
            "crossOrigin": false,
        ]
        return object.bytes
    }

    private func wrapped(_ response: JSONValue) -> JSONValue {
        [
            "id": .string(name), "rawId": .string(name), "type": "public-key", "response": response,
            "clientExtensionResults": [:],
        ]
    }

    /// RegistrationResponseJSON.
    public mutating func create(_ options: JSONValue?) -> JSONValue {
        userHandle = options?["user"]?["id"]?.string
        let point = Array(key.publicKey.rawRepresentation)
        // COSE_Key: EC2, ES256, P-256, x, y.
        var cose: [UInt8] = [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]
        cose += point.prefix(32)
        cose += [0x22, 0x58, 0x20] as [UInt8]
        cose += point.suffix(32)
        var data = head(options, 0x40)
        data += [UInt8](repeating: 0, count: 16)
        data += [0, UInt8(id.count)] as [UInt8]
        data += id
        data += cose
        // A map of three: fmt, attStmt, authData.
        var object: [UInt8] = [0xA3, 0x63]
        object += "fmt".utf8
        object.append(0x64)
        object += "none".utf8
        object.append(0x67)
        object += "attStmt".utf8
        object += [0xA0, 0x68] as [UInt8]
        object += "authData".utf8
        object += [0x58, UInt8(data.count)] as [UInt8]
        object += data
        return wrapped([
            "clientDataJSON": .string(Base64URL.encode(clientData("webauthn.create", options))),
            "attestationObject": .string(Base64URL.encode(object)),
            "transports": ["internal", "hybrid"],
        ])
    }

    /// AuthenticationResponseJSON. Without `withHandle` as an authenticator answers that was given the passkey's name.
    public func get(_ options: JSONValue?, withHandle: Bool = true) throws -> JSONValue {
        let client = clientData("webauthn.get", options), data = head(options, 0)
        let signature = try key.signature(for: data + Digest.sha256(client)).derRepresentation
        var response: JSONObject = [
            "clientDataJSON": .string(Base64URL.encode(client)), "authenticatorData": .string(Base64URL.encode(data)),
            "signature": .string(Base64URL.encode(Array(signature))),
        ]
        if withHandle, let userHandle { response["userHandle"] = .string(userHandle) }
        return wrapped(.object(response))
    }
}

extension TestServer {
    /// A passkey of this person, set up.
    public func passkey(of account: Account, named name: String? = nil) async throws -> PasskeyDevice {
        var device = PasskeyDevice()
        let options = try await parts.passkeys.creationOptions(for: account, holder: device.name)
        _ = try await parts.passkeys.register(
            device.create(options), as: name, for: account.id, below: [], holder: device.name, actor: .server)
        return device
    }
}
