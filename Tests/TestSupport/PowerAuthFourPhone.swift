import Base
import Foundation
import Operations
import PowerAuth

/// A phone that speaks PowerAuth 4 (docs/operations.md, "PowerAuth 4"), as `PowerAuthPhone` speaks 3.3.
public struct PowerAuthFourPhone: Sendable {
    /// A temporary key: the secret that was agreed upon, and its name.
    public struct Key: Sendable {
        public let id: String
        let secret: SecretBytes
        public let isOfActivation: Bool
    }

    /// A request in an envelope, and what opens its response.
    public struct Exchange: Sendable {
        public let request: SealedRequest
        let context: EnvelopeContext

        public func open(_ json: JSONValue) throws -> JSONValue {
            try JSONReader.read(try context.open(try SealedResponse(json: json), of: request))
        }
    }

    public let config: SDKConfiguration
    public let algorithm: SharedSecretAlgorithm
    public let clock: WallClock
    public let post: PowerAuthPhone.Post
    public let device: HybridKeyPair
    public var activationID = ""
    public var serverKeys: HybridPublicKey?
    public var keys: ActivationSecret?
    public var counter: HashCounter?
    /// Once they were changed.
    public var knowledge: SecretBytes?
    public var biometry: SecretBytes?

    public init(
        sdkConfig: String, algorithm: SharedSecretAlgorithm = .p384, clock: WallClock,
        post: @escaping PowerAuthPhone.Post
    ) throws {
        (config, self.algorithm, self.clock, self.post) = (
            try SDKConfiguration(text: sdkConfig), algorithm, clock, post
        )
        device = try HybridKeyPair.fresh(algorithm)
    }

    public var applicationKey: String { Base64Text.encode(config.applicationKey) }
    var applicationSecret: String { config.applicationSecret.expose { Base64Text.encode($0) } }

    public func fingerprint() throws -> String {
        guard let serverKeys else { throw PowerAuthPhoneError.distrust("not activated") }
        return try Fingerprint.of(device: device.publicKey, activationID: activationID, server: serverKeys)
    }

    func shared() throws -> ActivationSecret {
        guard let keys else { throw PowerAuthPhoneError.distrust("not activated") }
        return keys
    }

    // MARK: Encryption

    public func temporaryKey(
        inActivation: Bool = false, as other: SharedSecretAlgorithm? = nil, tamper: (String) -> String = { $0 }
    ) async throws -> Key {
        let offer = try SharedSecretOffer.fresh(other ?? algorithm), id = inActivation ? activationID : nil,
            challenge = Base64Text.encode(Randomness.system.bytes(18))
        let jwt = try TemporarySecretRequest.jwt(
            applicationKey: applicationKey, activationID: id, challenge: challenge, sharedSecret: offer.request,
            applicationSecret: config.applicationSecret,
            temporaryKeyMAC: inActivation ? try shared().temporaryKeyMAC : nil)
        let body: JSONValue = ["requestObject": ["jwt": .string(tamper(jwt))]]
        let reply = try accepted(try await post("/pa/v4/keystore/create", [:], body.bytes))
        guard let signer = inActivation ? serverKeys : config.hybridKeys.first(where: { $0.algorithm == algorithm })
        else { throw PowerAuthPhoneError.distrust("configuration") }
        let response = try TemporarySecretResponse(jws: reply.object?["jwt"]?.string ?? "", signedBy: signer)
        guard response.challenge == challenge, response.applicationKey == applicationKey, response.activationID == id
        else { throw PowerAuthPhoneError.distrust("temporary key") }
        return Key(
            id: response.keyID, secret: try offer.secret(response.sharedSecret), isOfActivation: inActivation)
    }

    public func encrypt(
        _ label: EnvelopeLabel, _ plaintext: JSONValue, with key: Key, timestamp: Int64? = nil
    ) throws -> Exchange {
        let context =
            key.isOfActivation
            ? try EnvelopeContext(
                secret: key.secret, label: label, applicationKey: applicationKey,
                applicationSecret: config.applicationSecret, temporaryKeyID: key.id, activationID: activationID,
                sharedInfo2: try shared().sharedInfo2)
            : EnvelopeContext(
                secret: key.secret, label: label, applicationKey: applicationKey,
                applicationSecret: config.applicationSecret, temporaryKeyID: key.id)
        let request = try context.request(
            plaintext.bytes, temporaryKeyID: key.id, nonce: Randomness.system.bytes(24),
            timestamp: timestamp ?? Milliseconds.of(clock.now()))
        return Exchange(request: request, context: context)
    }

    public func encryptionHeader(inActivation: Bool = false) -> [String: String] {
        let header = EncryptionHeader(
            version: .v40, applicationKey: applicationKey, activationID: inActivation ? activationID : nil)
        return [EncryptionHeader.name: header.text()]
    }

    // MARK: Activation

    /// The code is checked by the key of protocol 4.
    public mutating func activate(
        _ qrText: String, otp: String? = nil, as other: SharedSecretAlgorithm? = nil
    ) async throws {
        let parts = qrText.split(separator: "#", maxSplits: 1).map(String.init),
            code = try ActivationCode(parts.first ?? "")
        guard
            parts.count < 2
                || config.hybridKeys.first?.isSigned(
                    Array(code.text.utf8), der: Base64Text.decode(parts[1]) ?? []) == true
        else { throw PowerAuthPhoneError.distrust("activation code") }
        let key = try await temporaryKey(), offer = try SharedSecretOffer.fresh(other ?? algorithm),
            own = other == nil ? device : try HybridKeyPair.fresh(other ?? algorithm)
        var told = KeyExchangeRequest(sharedSecret: offer.request, deviceKeys: own.publicKey).members
        told["activationName"] = "my phone"
        told["platform"] = "ios"
        told["deviceInfo"] = "iPhone15,2"
        if let otp { told["activationOtp"] = .string(otp) }
        let inner = try encrypt(.activation, .object(told), with: key)
        let asked: JSONValue = [
            "type": "CODE", "identityAttributes": ["code": .string(code.text)], "activationData": inner.request.json,
        ]
        let outer = try encrypt(.genericApplication, asked, with: key)
        let reply = try accepted(
            try await post("/pa/v4/activation/create", encryptionHeader(), outer.request.json.bytes))
        let made = try inner.open(try outer.open(reply.json)["activationData"] ?? .null)
        activationID = made["activationId"]?.string ?? ""
        try keep(made, offer)
    }

    /// What a key exchange has made.
    mutating func keep(_ made: JSONValue, _ offer: SharedSecretOffer) throws {
        let response = try KeyExchangeResponse(json: made, algorithm)
        serverKeys = response.serverKeys
        keys = try ActivationSecret(try offer.secret(response.sharedSecret))
        counter = response.counter
    }

    public mutating func confirm(biometry: Bool = false, isWrong: Bool = false) async throws -> PowerAuthReply {
        try await signed(
            "activation/confirm", ["requestObject": ["enableBiometry": .bool(biometry)]], isWrong: isWrong)
    }

    public func status(_ label: EnvelopeLabel = .genericActivation) async throws -> ActivationStatus {
        let exchange = try encrypt(label, [:], with: try await temporaryKey(inActivation: true))
        let reply = try accepted(
            try await post(
                "/pa/v4/activation/status", encryptionHeader(inActivation: true), exchange.request.json.bytes))
        let told = try exchange.open(reply.json)
        guard let blob = Base64Text.decode(told["activationStatus"]?.string ?? ""),
            told["responseObject"]?["activationStatus"] == told["activationStatus"]
        else { throw PowerAuthPhoneError.distrust("status") }
        return try ActivationStatus(blob, key: try shared().statusMAC)
    }

    /// Whether the server expects the code that this phone makes next.
    public func isInStep(_ status: ActivationStatus) throws -> Bool {
        try counter?.mac(try shared().counterMAC) == status.counterHash
    }

    // MARK: Authentication codes

    public mutating func sign(
        _ uriID: String, _ body: [UInt8], _ type: FactorType = .possessionKnowledge, isWrong: Bool = false
    ) throws -> SignatureHeader {
        let nonce = Base64Text.encode(Randomness.system.bytes(16))
        guard let now = counter else { throw PowerAuthPhoneError.distrust("not activated") }
        var factors = try factorKeys(type)
        if isWrong { factors[factors.count - 1] = SecretBytes(Randomness.system.bytes(32)) }
        let data = FactorSignature.data(
            method: "POST", uriID: uriID, nonce: nonce, body: body, secret: applicationSecret)
        let code = FactorSignature.make(.v40, keys: factors, counter: now, data: data)
        counter = now.next()
        return SignatureHeader(
            version: .v40, activationID: activationID, applicationKey: applicationKey, nonce: nonce, type: type,
            signature: code)
    }

    func factorKeys(_ type: FactorType) throws -> [SecretBytes] {
        let keys = try shared()
        return type.factors.map { factor in
            switch factor {
            case .possession: keys.possession
            case .knowledge: knowledge ?? keys.knowledge
            case .biometry: biometry ?? keys.biometry
            }
        }
    }

    /// `name` is what stands behind `/pa/v4/`.
    public mutating func signed(
        _ name: String, _ body: JSONValue = [:], _ type: FactorType = .possessionKnowledge, isWrong: Bool = false
    ) async throws -> PowerAuthReply {
        let header = try sign("/pa/\(name)", body.bytes, type, isWrong: isWrong)
        return try await post("/pa/v4/\(name)", [SignatureHeader.name: header.text], body.bytes)
    }

    public mutating func validate(
        _ type: FactorType = .possessionKnowledge, isWrong: Bool = false
    ) async throws -> PowerAuthReply {
        try await signed("auth/validate", [:], type, isWrong: isWrong)
    }

    /// Encrypts first, then signs.
    public mutating func sealed(
        _ name: String, _ label: EnvelopeLabel, _ plaintext: JSONValue, _ type: FactorType = .possessionKnowledge,
        isWrong: Bool = false, with key: Key? = nil
    ) async throws -> (reply: PowerAuthReply, exchange: Exchange) {
        let fresh: Key
        if let key { fresh = key } else { fresh = try await temporaryKey(inActivation: true) }
        let exchange = try encrypt(label, plaintext, with: fresh)
        return (try await signed(name, exchange.request.json, type, isWrong: isWrong), exchange)
    }

    // MARK: Factors, tokens and the vault

    /// The key of the new PIN, which counts from its first use.
    public mutating func changePassword() async throws -> SecretBytes {
        try await agree("password/change", .passwordChange)
    }

    public mutating func addBiometry() async throws -> SecretBytes {
        try await agree("biometry/add", .biometryAdd)
    }

    private mutating func agree(_ name: String, _ label: EnvelopeLabel) async throws -> SecretBytes {
        let offer = try SharedSecretOffer.fresh(algorithm)
        let (reply, exchange) = try await sealed(name, label, offer.request.json)
        return try offer.secret(try SharedSecretResponse(json: try exchange.open(try accepted(reply).json)))
    }

    public mutating func createToken(_ type: FactorType = .possession) async throws -> PowerAuthPhone.Token {
        let (reply, exchange) = try await sealed("token/create", .tokenCreate, [:], type)
        let made = try exchange.open(try accepted(reply).json)
        guard let id = made["tokenId"]?.string, made["responseObject"]?["tokenId"]?.string == id,
            let secret = Base64Text.decode(made["tokenSecret"]?.string ?? "", count: 16)
        else { throw PowerAuthPhoneError.distrust("token") }
        return PowerAuthPhone.Token(id: id, secret: SecretBytes(secret))
    }

    public func header(_ token: PowerAuthPhone.Token, version: PowerAuthVersion = .v40) -> TokenHeader {
        let nonce = Randomness.system.bytes(16), now = Milliseconds.of(clock.now())
        let digest = TokenDigest.make(version, secret: token.secret, nonce: nonce, timestamp: now)
        return TokenHeader(version: version, tokenID: token.id, digest: digest, nonce: nonce, timestamp: now)
    }

    public mutating func unlockVault(
        _ key: String = VaultKey.devicePrivate.rawValue, _ type: FactorType = .possessionKnowledge
    ) async throws -> (reply: PowerAuthReply, exchange: Exchange) {
        try await sealed(
            "vault/unlock", .vaultUnlock,
            ["keyIdentifier": .string(key), "reason": "SIGN_WITH_DEVICE_PRIVATE_KEY"], type)
    }

    public func userInfo(
        timestamp: Int64? = nil, change: (JSONValue) -> JSONValue = { $0 }
    ) async throws -> (reply: PowerAuthReply, exchange: Exchange) {
        let exchange = try encrypt(
            .genericActivation, [:], with: try await temporaryKey(inActivation: true), timestamp: timestamp)
        let reply = try await post(
            "/pa/v4/user/info", encryptionHeader(inActivation: true), change(exchange.request.json).bytes)
        return (reply, exchange)
    }

    // MARK: Upgrade

    /// Begins to upgrade what `phone` has; afterwards this phone speaks protocol 4 for it.
    public mutating func startUpgrade(
        of phone: inout PowerAuthPhone, biometry: Bool = false, isWrong: Bool = false
    ) async throws -> PowerAuthReply {
        let offer = try SharedSecretOffer.fresh(algorithm)
        let request = KeyExchangeRequest(
            sharedSecret: offer.request, deviceKeys: device.publicKey, enablesBiometry: biometry)
        let exchange = try encrypt(.upgradeStart, .object(request.members), with: try await temporaryKey())
        let body = exchange.request.json.bytes
        let header = try phone.sign("/pa/upgrade/start", body, .possessionKnowledge, isWrong: isWrong)
        let headers = phone.text(header).merging(encryptionHeader()) { $1 }
        let reply = try await post("/pa/v4/upgrade/start", headers, body)
        guard reply.isOK else { return reply }
        activationID = phone.activationID
        try keep(try exchange.open(reply.json), offer)
        return reply
    }

    public mutating func confirmUpgrade() async throws -> PowerAuthReply {
        try await signed("upgrade/confirm", [:], .possession)
    }

    private func accepted(_ reply: PowerAuthReply) throws -> PowerAuthReply {
        guard reply.isOK else { throw PowerAuthPhoneError.refused(status: reply.status, code: reply.code ?? "") }
        return reply
    }
}
