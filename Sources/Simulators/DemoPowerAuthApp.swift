import Base
import Foundation
import Operations
import PowerAuth

/// An app of the operations SDK before it is activated, as far as the wire can tell (protocols/operations.md, 1.1 and
/// 4.4 to 4.6). It makes requests and reads answers; who holds it sends them. What it does not trust is thrown as
/// `PowerAuthRefusal`.
public struct DemoPowerAuthApp: Sendable {
    public let config: SDKConfiguration

    private let base: String

    /// `sdkConfig` is compiled into an app; `base` is the service's base URL.
    public init(sdkConfig: String, base: String) throws(PowerAuthRefusal) {
        config = try SDKConfiguration(text: sdkConfig)
        self.base = base
    }

    public var applicationKey: String { Base64Text.encode(config.applicationKey) }
    public var applicationSecret: String { config.applicationSecret.expose { Base64Text.encode($0) } }

    public func request(
        _ path: String, _ body: JSONValue, _ headers: [(name: String, value: String)] = []
    ) -> DemoRequest {
        DemoRequest(
            method: "POST", url: base + path, headers: [(name: "Accept-Language", value: "en")] + headers,
            body: .json(body))
    }

    // MARK: Encryption

    /// What asks for a temporary key, and what its answer must repeat.
    public struct KeyQuestion: Sendable {
        public let request: DemoRequest
        fileprivate let challenge: String
    }

    public func askKey(for activation: DemoActivation? = nil) -> KeyQuestion {
        let challenge = Base64Text.encode(Randomness.system.bytes(18))
        let jwt = TemporaryKeyRequest.jwt(
            applicationKey: applicationKey, activationID: activation?.id, challenge: challenge,
            applicationSecret: config.applicationSecret, transport: activation?.transport)
        return KeyQuestion(
            request: request("/pa/v3/keystore/create", ["requestObject": ["jwt": .string(jwt)]]), challenge: challenge)
    }

    public func key(
        in answer: JSONValue, to question: KeyQuestion, for activation: DemoActivation? = nil
    ) throws(PowerAuthRefusal) -> TemporaryKeyResponse {
        let jwt = answer["responseObject"]?["jwt"]?.string ?? ""
        let key = try TemporaryKeyResponse(jwt: jwt, signedBy: activation?.serverKey ?? config.masterPublicKey)
        guard key.challenge == question.challenge, key.applicationKey == applicationKey,
            key.activationID == activation?.id
        else { throw .jwtMalformed }
        return key
    }

    /// An encrypted request, and what opens its answer.
    public struct Sealed: Sendable {
        let json: JSONValue
        fileprivate let ecies: ECIES

        func open(_ answer: JSONValue) throws(PowerAuthRefusal) -> JSONValue {
            let plaintext = try ecies.open(try SealedData(json: answer))
            guard let json = try? JSONReader.read(plaintext) else { throw .plaintextMalformed }
            return json
        }
    }

    public func seal(
        _ plaintext: JSONValue, _ label: ECIESLabel, with key: TemporaryKeyResponse,
        for activation: DemoActivation? = nil
    ) throws(PowerAuthRefusal) -> Sealed {
        let ephemeral = PowerAuthKeyPair.fresh(), sent = ephemeral.public33
        var context = ECIESContext.application(
            key: applicationKey, secret: applicationSecret, temporaryKeyID: key.keyID)
        if let activation {
            context = ECIESContext.activation(
                id: activation.id, transport: activation.transport, key: applicationKey, secret: applicationSecret,
                temporaryKeyID: key.keyID)
        }
        let ecies = try ECIES(asking: key.publicKey, ephemeral: ephemeral, sent: sent, label: label, context: context)
        let sealed = try ecies.seal(
            request: plaintext.bytes, nonce: Randomness.system.bytes(16), timestamp: Milliseconds.of(Date()),
            ephemeral: sent)
        return Sealed(
            json: Envelope(temporaryKeyID: key.keyID, ephemeralPublicKey: sent, sealed: sealed).json, ecies: ecies)
    }

    // MARK: Activation

    /// The exchange of keys under way.
    public struct KeyExchange: Sendable {
        public let request: DemoRequest
        fileprivate let app: DemoPowerAuthApp
        fileprivate let device: PowerAuthKeyPair
        fileprivate let outer: Sealed
        fileprivate let inner: Sealed

        /// `pin` is what its owner chose: it never leaves the phone.
        public func activation(in answer: JSONValue, pin: String) throws(PowerAuthRefusal) -> DemoActivation {
            let made = try inner.open(try outer.open(answer)["activationData"] ?? .null)
            return try DemoActivation(app, device, made, pin: pin)
        }
    }

    /// What stands in the QR code is the activation code and its signature, which must be the application's.
    public func exchangeKeys(_ qrText: String, with key: TemporaryKeyResponse) throws(PowerAuthRefusal) -> KeyExchange {
        let parts = qrText.split(separator: "#", maxSplits: 1).map(String.init)
        guard parts.count == 2, let signature = Base64Text.decode(parts[1]) else { throw .activationCodeMalformed }
        let code = try ActivationCode(parts[0])
        guard PublicPoint.isSigned(Array(code.text.utf8), der: signature, by: config.masterPublicKey) else {
            throw .activationCodeMalformed
        }

        let device = PowerAuthKeyPair.fresh()
        let registration: JSONValue = [
            "activationName": "Demo phone", "devicePublicKey": .string(Base64Text.encode(device.public33)),
            "platform": "android",
            "deviceInfo": "simulated",
        ]
        let inner = try seal(registration, .activation, with: key)
        let asked: JSONValue = [
            "type": "CODE", "identityAttributes": ["code": .string(code.text)], "activationData": inner.json,
        ]
        let outer = try seal(asked, .genericApplication, with: key)
        let header = EncryptionHeader(version: .v33, applicationKey: applicationKey, activationID: nil)
        let asking = request(
            "/pa/v3/activation/create", outer.json, [(name: EncryptionHeader.name, value: header.text(commas: false))])
        return KeyExchange(request: asking, app: self, device: device, outer: outer, inner: inner)
    }
}
