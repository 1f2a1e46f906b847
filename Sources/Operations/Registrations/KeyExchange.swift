import Base
import PowerAuth

/// The plaintexts of `activation/create` (protocols/operations.md, 4.6): the outer layer says which registration, the
/// inner one who the phone is.
struct ActivationRequest: Sendable {
    let code: ActivationCode
    let inner: Envelope

    init(_ plaintext: [UInt8]) throws(PowerAuthRefusal) {
        guard let json = try? JSONReader.read(plaintext, depth: 8), let layer = json["activationData"] else {
            throw .bodyMalformed
        }
        guard json["type"]?.string == "CODE" else { throw .activationTypeUnsupported }
        guard let text = json["identityAttributes"]?["code"]?.string else { throw .activationCodeMalformed }
        code = try ActivationCode(text)
        inner = try Envelope(json: layer)
    }
}

struct KeyExchange: Sendable {
    /// As it was sent.
    let devicePublicKey: [UInt8]
    let otp: String?
    let name: String?
    let platform: String?
    let deviceInfo: String?
    let externalID: String?

    init(_ plaintext: [UInt8]) throws(PowerAuthRefusal) {
        guard let json = try? JSONReader.read(plaintext, depth: 8), let text = json["devicePublicKey"]?.string else {
            throw .bodyMalformed
        }
        guard let key = Base64Text.decode(text) else { throw .publicKeyMalformed }
        _ = try PublicPoint.check(key)
        devicePublicKey = key
        otp = json["activationOtp"]?.string
        name = KeyExchange.shown(json["activationName"], limit: 100)
        platform = KeyExchange.shown(json["platform"], limit: 32)
        deviceInfo = KeyExchange.shown(json["deviceInfo"], limit: 255)
        externalID = KeyExchange.shown(json["externalId"], limit: 255)
    }

    /// What a phone says of itself must not fail a registration: what cannot be shown is dropped, what is too long is
    /// cut.
    private static func shown(_ value: JSONValue?, limit: Int) -> String? {
        ControlCharacters.dropped(from: value?.string, limit: limit)
    }
}
