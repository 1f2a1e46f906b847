import Base
import PowerAuth

/// The plaintexts of `activation/create` (protocols/operations.md, 4.6): the outer layer says which registration, the
/// inner one who the phone is.
struct ActivationRequest: Sendable {
    let code: ActivationCode
    /// An envelope of the protocol that is spoken.
    let inner: JSONValue

    init(_ plaintext: [UInt8]) throws(PowerAuthRefusal) {
        guard let json = try? JSONReader.read(plaintext, depth: 8), let layer = json["activationData"] else {
            throw .bodyMalformed
        }
        guard json["type"]?.string == "CODE" else { throw .activationTypeUnsupported }
        guard let text = json["identityAttributes"]?["code"]?.string else { throw .activationCodeMalformed }
        code = try ActivationCode(text)
        inner = layer
    }
}

struct KeyExchange: Sendable {
    /// As it was sent.
    let devicePublicKey: [UInt8]
    let told: PhoneIntroduction

    init(_ plaintext: [UInt8]) throws(PowerAuthRefusal) {
        guard let json = try? JSONReader.read(plaintext, depth: 8), let text = json["devicePublicKey"]?.string else {
            throw .bodyMalformed
        }
        guard let key = Base64Text.decode(text) else { throw .publicKeyMalformed }
        _ = try PublicPoint.check(key)
        devicePublicKey = key
        told = PhoneIntroduction(json)
    }
}

/// What a phone says of itself in the inner layer, in either protocol.
struct PhoneIntroduction: Sendable {
    let otp: String?
    let name: String?
    let platform: String?
    let deviceInfo: String?
    let externalID: String?

    init(_ json: JSONValue) {
        otp = json["activationOtp"]?.string
        name = PhoneIntroduction.shown(json["activationName"], limit: 100)
        platform = PhoneIntroduction.shown(json["platform"], limit: 32)
        deviceInfo = PhoneIntroduction.shown(json["deviceInfo"], limit: 255)
        externalID = PhoneIntroduction.shown(json["externalId"], limit: 255)
    }

    /// What a phone says of itself must not fail a registration: what cannot be shown is dropped, what is too long is
    /// cut.
    private static func shown(_ value: JSONValue?, limit: Int) -> String? {
        ControlCharacters.dropped(from: value?.string, limit: limit)
    }
}
