import Base
import Foundation
import Operations
import PowerAuth

/// What a server answered to a phone.
public struct PowerAuthReply: Sendable {
    public let status: Int
    public let json: JSONValue

    public init(status: Int, json: JSONValue) { (self.status, self.json) = (status, json) }

    public var isOK: Bool { status == 200 && (json["status"]?.string ?? "OK") == "OK" }
    public var object: JSONValue? { json["responseObject"] }
    /// The error's code; errors have code and message, or iOS cannot read them.
    public var code: String? {
        json["responseObject"]?["message"]?.string == nil ? nil : json["responseObject"]?["code"]?.string
    }
}

/// Where the phone would stop.
public enum PowerAuthPhoneError: Error, Equatable {
    case refused(status: Int, code: String)
    case distrust(String)
}

/// A phone that speaks PowerAuth 3.3 as the SDKs of either system do (protocols/operations.md, 4). It moves its counter
/// with every signature that it makes, whatever comes of it. `post` is the way to the server, by path below the base
/// URL.
public struct PowerAuthPhone: Sendable {
    public enum System: String, Sendable, CaseIterable { case ios, android }
    public typealias Post =
        @Sendable (_ path: String, _ headers: [String: String], _ body: [UInt8]) async throws -> PowerAuthReply

    public struct Token: Sendable {
        public let id: String
        public let secret: SecretBytes
        public init(id: String, secret: SecretBytes) { (self.id, self.secret) = (id, secret) }
    }

    /// A request in an envelope, and what opens its response.
    public struct Exchange: Sendable {
        public var envelope: Envelope
        let ecies: ECIES

        public func open(_ json: JSONValue) throws -> JSONValue {
            try JSONReader.read(try ecies.open(try SealedData(json: json)))
        }
    }

    public let config: SDKConfiguration
    public let system: System
    public let clock: WallClock
    public let post: Post
    public let device = PowerAuthKeyPair.fresh()
    public private(set) var activationID = ""
    public private(set) var serverKey: [UInt8] = []
    public private(set) var keys: ActivationKeys?
    public private(set) var counter: HashCounter?

    public init(sdkConfig: String, system: System = .ios, clock: WallClock, post: @escaping Post) throws {
        (config, self.system, self.clock, self.post) = (try SDKConfiguration(text: sdkConfig), system, clock, post)
    }

    public var applicationKey: String { Base64Text.encode(config.applicationKey) }
    var applicationSecret: String { config.applicationSecret.expose { Base64Text.encode($0) } }

    public func fingerprint() throws -> String {
        try Fingerprint.of(device: device.public33, activationID: activationID, server: serverKey)
    }

    // MARK: Encryption

    /// Checked as the SDK does: signature, challenge, scope.
    public func temporaryKey(
        inActivation: Bool = false, tamper: (String) -> String = { $0 }
    ) async throws -> TemporaryKeyResponse {
        let challenge = Base64Text.encode(Randomness.system.bytes(18)), id = inActivation ? activationID : nil
        let transport = try inActivation ? shared().transport : nil
        let jwt = TemporaryKeyRequest.jwt(
            applicationKey: applicationKey, activationID: id, challenge: challenge,
            applicationSecret: config.applicationSecret,
            transport: transport)
        let body: JSONValue = ["requestObject": ["jwt": .string(tamper(jwt))]]
        let reply = try accepted(try await post("/pa/v3/keystore/create", [:], body.bytes))
        let response = try TemporaryKeyResponse(
            jwt: reply.object?["jwt"]?.string ?? "", signedBy: inActivation ? serverKey : config.masterPublicKey)
        guard response.challenge == challenge, response.applicationKey == applicationKey, response.activationID == id
        else {
            throw PowerAuthPhoneError.distrust("temporary key")
        }
        return response
    }

    public func encrypt(
        _ label: ECIESLabel, _ plaintext: [UInt8], with key: TemporaryKeyResponse, inActivation: Bool = false,
        isCompressed: Bool = true,
        timestamp: Int64? = nil
    ) throws -> Exchange {
        let ephemeral = PowerAuthKeyPair.fresh(), sent = isCompressed ? ephemeral.public33 : ephemeral.public65
        var context = ECIESContext.application(
            key: applicationKey, secret: applicationSecret, temporaryKeyID: key.keyID)
        if inActivation {
            context = .activation(
                id: activationID, transport: try shared().transport, key: applicationKey, secret: applicationSecret,
                temporaryKeyID: key.keyID)
        }
        let ecies = try ECIES(asking: key.publicKey, ephemeral: ephemeral, sent: sent, label: label, context: context)
        let sealed = try ecies.seal(
            request: plaintext, nonce: Randomness.system.bytes(16),
            timestamp: timestamp ?? Milliseconds.of(clock.now()), ephemeral: sent)
        return Exchange(
            envelope: Envelope(temporaryKeyID: key.keyID, ephemeralPublicKey: sent, sealed: sealed), ecies: ecies)
    }

    public func encryptionHeader(inActivation: Bool = false) -> [String: String] {
        let header = EncryptionHeader(
            version: .v33, applicationKey: applicationKey, activationID: inActivation ? activationID : nil)
        return [EncryptionHeader.name: header.text(commas: system == .ios)]
    }

    // MARK: Activation

    /// What stands in the QR code, or the code alone. `change` is what a test does to the outer plaintext.
    public mutating func activate(
        _ qrText: String, otp: String? = nil, change: (inout JSONObject) -> Void = { _ in }
    ) async throws {
        let parts = qrText.split(separator: "#", maxSplits: 1).map(String.init),
            code = try ActivationCode(parts.first ?? "")
        if parts.count == 2,
            !PublicPoint.isSigned(
                Array(code.text.utf8), der: Base64Text.decode(parts[1]) ?? [], by: config.masterPublicKey)
        {
            throw PowerAuthPhoneError.distrust("activation code")
        }
        let key = try await temporaryKey()
        var told: JSONObject = [
            "activationName": "my phone", "devicePublicKey": .string(Base64Text.encode(device.public33)),
            "platform": .string(system.rawValue),
            "deviceInfo": system == .ios ? "iPhone15,2" : "Google Pixel 7",
        ]
        if let otp { told["activationOtp"] = .string(otp) }
        let inner = try encrypt(.activation, JSONValue.object(told).bytes, with: key)
        var asked: JSONObject = [
            "type": "CODE", "identityAttributes": ["code": .string(code.text)], "activationData": inner.envelope.json,
        ]
        change(&asked)
        let outer = try encrypt(.genericApplication, JSONValue.object(asked).bytes, with: key)
        let reply = try accepted(
            try await post("/pa/v3/activation/create", encryptionHeader(), outer.envelope.json.bytes))
        let opened = try outer.open(reply.json)
        try keep(try inner.open(opened["activationData"] ?? .null))
    }

    private mutating func keep(_ made: JSONValue) throws {
        guard let id = made["activationId"]?.string,
            let server = Base64Text.decode(made["serverPublicKey"]?.string ?? ""),
            let start = Base64Text.decode(made["ctrData"]?.string ?? "")
        else { throw PowerAuthPhoneError.distrust("activation") }
        (activationID, serverKey) = (id, server)
        keys = try ActivationKeys(own: device, peer: server)
        counter = try HashCounter(start)
    }

    func shared() throws -> ActivationKeys {
        guard let keys else { throw PowerAuthPhoneError.distrust("not activated") }
        return keys
    }

    /// `nil` for noise.
    public func status(of id: String? = nil) async throws -> StatusBlob? {
        let challenge = Randomness.system.bytes(16)
        let body: JSONValue = [
            "requestObject": [
                "activationId": .string(id ?? activationID), "challenge": .string(Base64Text.encode(challenge)),
            ]
        ]
        let object = try accepted(try await post("/pa/v3/activation/status", [:], body.bytes)).object
        guard let nonce = Base64Text.decode(object?["nonce"]?.string ?? "", count: 16),
            object?["activationId"]?.string == id ?? activationID,
            let blob = Base64Text.decode(object?["encryptedStatusBlob"]?.string ?? "", count: 32)
        else { throw PowerAuthPhoneError.distrust("status") }
        let transport = try shared().transport
        return try? StatusBlob(opening: blob, challenge: challenge, nonce: nonce, transport: transport)
    }

    /// Whether the server expects the signature that this phone makes next.
    public func isInStep(_ status: StatusBlob?) throws -> Bool {
        guard let counter, let status else { return false }
        return try status.counterHash == StatusBlob.counterHash(counter, transport: shared().transport)
    }

    // MARK: Signatures

    /// A wrong PIN unlocks to some other key.
    public mutating func sign(
        _ uriID: String, _ body: [UInt8], _ type: FactorType = .possessionKnowledge, isWrong: Bool = false,
        version: PowerAuthVersion = .v33,
        nonce: String? = nil
    ) throws -> SignatureHeader {
        let nonce = nonce ?? Base64Text.encode(Randomness.system.bytes(16))
        guard let now = counter else { throw PowerAuthPhoneError.distrust("not activated") }
        var factors = try shared().keys(type)
        if isWrong { factors[factors.count - 1] = SecretBytes(Randomness.system.bytes(16)) }
        let data = FactorSignature.data(
            method: "POST", uriID: uriID, nonce: nonce, body: body, secret: applicationSecret)
        let signature = FactorSignature.make(version, keys: factors, counter: now, data: data)
        skip(1)
        return SignatureHeader(
            version: version, activationID: activationID, applicationKey: applicationKey, nonce: nonce, type: type,
            signature: signature)
    }

    /// Signatures that never reached the server.
    public mutating func skip(_ steps: Int) { for _ in 0..<steps { counter = counter?.next() } }

    /// As the system writes it.
    public func text(_ header: SignatureHeader) -> [String: String] {
        [SignatureHeader.name: system == .ios ? header.text : header.text.replacing(", ", with: " ")]
    }

    public mutating func signed(
        _ path: String, _ uriID: String, _ body: JSONValue = [:], _ type: FactorType = .possessionKnowledge,
        isWrong: Bool = false,
        version: PowerAuthVersion = .v33
    ) async throws -> PowerAuthReply {
        let header = try sign(uriID, body.bytes, type, isWrong: isWrong, version: version)
        return try await post(path, text(header), body.bytes)
    }

    public mutating func validate(
        _ type: FactorType = .possessionKnowledge, isWrong: Bool = false, version: PowerAuthVersion = .v33
    ) async throws -> PowerAuthReply {
        try await signed(
            "/pa/v3/signature/validate", "/pa/signature/validate", [:], type, isWrong: isWrong, version: version)
    }

    /// Encrypts first, then signs the encrypted body.
    public mutating func sealed(
        _ name: String, _ label: ECIESLabel, _ plaintext: [UInt8], _ type: FactorType, isWrong: Bool = false,
        with key: TemporaryKeyResponse? = nil
    ) async throws -> (reply: PowerAuthReply, exchange: Exchange) {
        let exchange = try encrypt(label, plaintext, with: try await orFresh(key), inActivation: true)
        return (
            try await signed("/pa/v3/\(name)", "/pa/\(name)", exchange.envelope.json, type, isWrong: isWrong), exchange
        )
    }

    // MARK: Tokens and the vault

    public mutating func createToken(
        _ type: FactorType = .possession, plaintext: [UInt8] = Array("{}".utf8)
    ) async throws -> Token {
        let (reply, exchange) = try await sealed("token/create", .tokenCreate, plaintext, type)
        let made = try exchange.open(try accepted(reply).json)
        guard let id = made["tokenId"]?.string,
            let secret = Base64Text.decode(made["tokenSecret"]?.string ?? "", count: 16)
        else {
            throw PowerAuthPhoneError.distrust("token")
        }
        return Token(id: id, secret: SecretBytes(secret))
    }

    public mutating func removeToken(_ token: Token) async throws -> PowerAuthReply {
        try await signed(
            "/pa/v3/token/remove", "/pa/token/remove", ["requestObject": ["tokenId": .string(token.id)]], .possession)
    }

    public func header(
        _ token: Token, version: PowerAuthVersion = .v33, nonce: [UInt8]? = nil, timestamp: Int64? = nil,
        secret: SecretBytes? = nil
    ) -> TokenHeader {
        let nonce = nonce ?? Randomness.system.bytes(16), timestamp = timestamp ?? Milliseconds.of(clock.now())
        let digest = TokenDigest.make(version, secret: secret ?? token.secret, nonce: nonce, timestamp: timestamp)
        return TokenHeader(version: version, tokenID: token.id, digest: digest, nonce: nonce, timestamp: timestamp)
    }

    public mutating func unlockVault(
        _ reason: String = "ADD_BIOMETRY", _ type: FactorType = .possessionKnowledge,
        isWrong: Bool = false
    ) async throws -> (reply: PowerAuthReply, exchange: Exchange) {
        try await sealed(
            "vault/unlock", .vaultUnlock, JSONValue.object(["reason": .string(reason)]).bytes, type, isWrong: isWrong)
    }

    public mutating func removeActivation() async throws -> PowerAuthReply {
        try await signed("/pa/v3/activation/remove", "/pa/activation/remove", [:], .possession)
    }

    public func userInfo(
        with key: TemporaryKeyResponse? = nil, isCompressed: Bool = true, timestamp: Int64? = nil,
        change: (JSONValue) -> JSONValue = { $0 }
    ) async throws -> (reply: PowerAuthReply, exchange: Exchange) {
        let exchange = try encrypt(
            .genericActivation, Array("{}".utf8), with: try await orFresh(key), inActivation: true,
            isCompressed: isCompressed,
            timestamp: timestamp)
        let reply = try await post(
            "/pa/v3/user/info", encryptionHeader(inActivation: true), change(exchange.envelope.json).bytes)
        return (reply, exchange)
    }

    private func orFresh(_ key: TemporaryKeyResponse?) async throws -> TemporaryKeyResponse {
        guard let key else { return try await temporaryKey(inActivation: true) }
        return key
    }

    /// The SDK wants exactly 200.
    private func accepted(_ reply: PowerAuthReply) throws -> PowerAuthReply {
        guard reply.isOK else { throw PowerAuthPhoneError.refused(status: reply.status, code: reply.code ?? "") }
        return reply
    }
}
