import Base
import Foundation
import Operations
import PowerAuth

/// An app of the operations SDK before it is activated, as far as the wire can tell (protocols/operations.md, 1.1 and
/// 4.4 to 4.6). It makes requests and reads answers; who holds it sends them. What it does not trust is thrown as
/// `PowerAuthRefusal`.
public struct DemoPowerAuthApp: Sendable {
    public let config: SDKConfiguration
    /// `nil`: it speaks 3.3. Otherwise protocol 4, with this.
    public let algorithm: SharedSecretAlgorithm?

    private let base: String

    /// `sdkConfig` is compiled into an app; `base` is the service's base URL.
    public init(
        sdkConfig: String, base: String, algorithm: SharedSecretAlgorithm? = nil
    ) throws(PowerAuthRefusal) {
        config = try SDKConfiguration(text: sdkConfig)
        (self.base, self.algorithm) = (base, algorithm)
    }

    /// What its paths begin with.
    var root: String { algorithm == nil ? "/pa/v3" : "/pa/v4" }

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
        fileprivate let offer: SharedSecretOffer?
    }

    public func askKey(for activation: DemoActivation? = nil) throws(PowerAuthRefusal) -> KeyQuestion {
        let challenge = Base64Text.encode(Randomness.system.bytes(18)), jwt: String
        var offer: SharedSecretOffer?
        if let algorithm {
            let fresh = try SharedSecretOffer.fresh(algorithm)
            jwt = try TemporarySecretRequest.jwt(
                applicationKey: applicationKey, activationID: activation?.id, challenge: challenge,
                sharedSecret: fresh.request, applicationSecret: config.applicationSecret,
                temporaryKeyMAC: activation?.keys.temporaryKeyMAC)
            offer = fresh
        } else {
            jwt = TemporaryKeyRequest.jwt(
                applicationKey: applicationKey, activationID: activation?.id, challenge: challenge,
                applicationSecret: config.applicationSecret, transport: activation?.keys.transport)
        }
        return KeyQuestion(
            request: request("\(root)/keystore/create", ["requestObject": ["jwt": .string(jwt)]]),
            challenge: challenge, offer: offer)
    }

    /// A temporary key: the server's half in 3.3, a secret that both have in protocol 4.
    public struct Key: Sendable {
        fileprivate enum Value: Sendable {
            case half([UInt8])
            case secret(SecretBytes)
        }
        fileprivate let id: String
        fileprivate let value: Value
    }

    public func key(
        in answer: JSONValue, to question: KeyQuestion, for activation: DemoActivation? = nil
    ) throws(PowerAuthRefusal) -> Key {
        let jwt = answer["responseObject"]?["jwt"]?.string ?? ""
        let told: (challenge: String, applicationKey: String, activationID: String?), key: Key
        if let algorithm, let offer = question.offer {
            guard let signer = activation?.serverKeys ?? config.hybridKeys.first(where: { $0.algorithm == algorithm })
            else { throw .configurationMalformed }
            let made = try TemporarySecretResponse(jws: jwt, signedBy: signer)
            told = (made.challenge, made.applicationKey, made.activationID)
            key = Key(id: made.keyID, value: .secret(try offer.secret(made.sharedSecret)))
        } else {
            let made = try TemporaryKeyResponse(
                jwt: jwt, signedBy: activation?.serverKey ?? config.masterPublicKey)
            told = (made.challenge, made.applicationKey, made.activationID)
            key = Key(id: made.keyID, value: .half(made.publicKey))
        }
        guard told.challenge == question.challenge, told.applicationKey == applicationKey,
            told.activationID == activation?.id
        else { throw .jwtMalformed }
        return key
    }

    /// What an envelope is for; the wire has one word for it in both protocols.
    public enum Purpose: Sendable {
        case genericApplication, activation, tokenCreate

        var three: ECIESLabel {
            switch self {
            case .genericApplication: .genericApplication
            case .activation: .activation
            case .tokenCreate: .tokenCreate
            }
        }

        var four: EnvelopeLabel {
            switch self {
            case .genericApplication: .genericApplication
            case .activation: .activation
            case .tokenCreate: .tokenCreate
            }
        }
    }

    /// An encrypted request, and what opens its answer.
    public struct Sealed: Sendable {
        fileprivate enum Opener: Sendable {
            case three(ECIES)
            case four(EnvelopeContext, SealedRequest)
        }

        let json: JSONValue
        fileprivate let opener: Opener

        func open(_ answer: JSONValue) throws(PowerAuthRefusal) -> JSONValue {
            let plaintext =
                switch opener {
                case .three(let ecies): try ecies.open(try SealedData(json: answer))
                case .four(let context, let request):
                    try context.open(try SealedResponse(json: answer), of: request)
                }
            guard let json = try? JSONReader.read(plaintext) else { throw .plaintextMalformed }
            return json
        }
    }

    public func seal(
        _ plaintext: JSONValue, _ purpose: Purpose, with key: Key, for activation: DemoActivation? = nil
    ) throws(PowerAuthRefusal) -> Sealed {
        switch key.value {
        case .half(let half): return try seal(plaintext, purpose.three, half, key.id, activation)
        case .secret(let secret): return try seal(plaintext, purpose.four, secret, key.id, activation)
        }
    }

    private func seal(
        _ plaintext: JSONValue, _ label: ECIESLabel, _ half: [UInt8], _ id: String, _ activation: DemoActivation?
    ) throws(PowerAuthRefusal) -> Sealed {
        let ephemeral = PowerAuthKeyPair.fresh(), sent = ephemeral.public33
        var context = ECIESContext.application(key: applicationKey, secret: applicationSecret, temporaryKeyID: id)
        if let activation, let transport = activation.keys.transport {
            context = ECIESContext.activation(
                id: activation.id, transport: transport, key: applicationKey, secret: applicationSecret,
                temporaryKeyID: id)
        }
        let ecies = try ECIES(asking: half, ephemeral: ephemeral, sent: sent, label: label, context: context)
        let sealed = try ecies.seal(
            request: plaintext.bytes, nonce: Randomness.system.bytes(16), timestamp: Milliseconds.of(Date()),
            ephemeral: sent)
        return Sealed(
            json: Envelope(temporaryKeyID: id, ephemeralPublicKey: sent, sealed: sealed).json, opener: .three(ecies))
    }

    private func seal(
        _ plaintext: JSONValue, _ label: EnvelopeLabel, _ secret: SecretBytes, _ id: String,
        _ activation: DemoActivation?
    ) throws(PowerAuthRefusal) -> Sealed {
        var context = EnvelopeContext(
            secret: secret, label: label, applicationKey: applicationKey, applicationSecret: config.applicationSecret,
            temporaryKeyID: id)
        if let activation, let sharedInfo2 = activation.keys.sharedInfo2 {
            context = try EnvelopeContext(
                secret: secret, label: label, applicationKey: applicationKey,
                applicationSecret: config.applicationSecret, temporaryKeyID: id, activationID: activation.id,
                sharedInfo2: sharedInfo2)
        }
        let request = try context.request(
            plaintext.bytes, temporaryKeyID: id, nonce: Randomness.system.bytes(24),
            timestamp: Milliseconds.of(Date()))
        return Sealed(json: request.json, opener: .four(context, request))
    }

    // MARK: Activation

    /// What the phone signs its keys with, and agrees by.
    enum Device: Sendable {
        case three(PowerAuthKeyPair)
        case four(HybridKeyPair, SharedSecretOffer)
    }

    /// The exchange of keys under way.
    public struct KeyExchange: Sendable {
        public let request: DemoRequest
        fileprivate let app: DemoPowerAuthApp
        fileprivate let device: Device
        fileprivate let outer: Sealed
        fileprivate let inner: Sealed

        /// `pin` is what its owner chose: it never leaves the phone.
        public func activation(in answer: JSONValue, pin: String) throws(PowerAuthRefusal) -> DemoActivation {
            let made = try inner.open(try outer.open(answer)["activationData"] ?? .null)
            return try DemoActivation(app, device, made, pin: pin)
        }
    }

    /// What stands in the QR code is the activation code and its signature, which must be the application's.
    public func exchangeKeys(_ qrText: String, with key: Key) throws(PowerAuthRefusal) -> KeyExchange {
        let parts = qrText.split(separator: "#", maxSplits: 1).map(String.init)
        guard parts.count == 2, let signature = Base64Text.decode(parts[1]) else { throw .activationCodeMalformed }
        let code = try ActivationCode(parts[0]), signed = Array(code.text.utf8)
        let isSigned =
            algorithm == nil
            ? PublicPoint.isSigned(signed, der: signature, by: config.masterPublicKey)
            : config.hybridKeys.first?.isSigned(signed, der: signature) == true
        guard isSigned else { throw .activationCodeMalformed }

        let device: Device, registration: JSONObject
        if let algorithm {
            let own = try HybridKeyPair.fresh(algorithm), offer = try SharedSecretOffer.fresh(algorithm)
            device = .four(own, offer)
            registration = KeyExchangeRequest(sharedSecret: offer.request, deviceKeys: own.publicKey).members
        } else {
            let own = PowerAuthKeyPair.fresh()
            device = .three(own)
            registration = ["devicePublicKey": .string(Base64Text.encode(own.public33))]
        }
        var told = registration
        told["activationName"] = "Demo phone"
        told["platform"] = "android"
        told["deviceInfo"] = "simulated"
        let inner = try seal(.object(told), .activation, with: key)
        let asked: JSONValue = [
            "type": "CODE", "identityAttributes": ["code": .string(code.text)], "activationData": inner.json,
        ]
        let outer = try seal(asked, .genericApplication, with: key)
        let header = EncryptionHeader(
            version: algorithm == nil ? .v33 : .v40, applicationKey: applicationKey, activationID: nil)
        let asking = request(
            "\(root)/activation/create", outer.json,
            [(name: EncryptionHeader.name, value: header.text(commas: false))])
        return KeyExchange(request: asking, app: self, device: device, outer: outer, inner: inner)
    }
}
