import Base
import Foundation
import Operations
import PowerAuth

/// What a phone keeps of an activation, and signs with (protocols/operations.md, 4.2, 4.8, 4.9). It moves its counter
/// with every signature that it makes, whatever comes of it.
public struct DemoActivation: Sendable {
    /// It reads, and never approves.
    public struct Token: Sendable {
        let id: String
        let secret: SecretBytes
        let version: PowerAuthVersion

        /// Good for one request.
        func header() -> (name: String, value: String) {
            let nonce = Randomness.system.bytes(16), now = Milliseconds.of(Date())
            let digest = TokenDigest.make(version, secret: secret, nonce: nonce, timestamp: now)
            return (
                TokenHeader.name,
                TokenHeader(version: version, tokenID: id, digest: digest, nonce: nonce, timestamp: now).text
            )
        }
    }

    private static let operations = "/api/auth/token/app/operation"

    /// What it is encrypted with; each is there in its protocol.
    struct Keys: Sendable {
        var transport: SecretBytes?
        var sharedInfo2: SecretBytes?
        var temporaryKeyMAC: SecretBytes?
        var personalizedData: SecretBytes?
    }

    public let app: DemoPowerAuthApp
    public let id: String
    /// Of 3.3; empty in protocol 4.
    let serverKey: [UInt8]
    /// Of protocol 4.
    let serverKeys: HybridPublicKey?
    let keys: Keys
    private let device: DemoPowerAuthApp.Device
    private let possession: SecretBytes
    /// The key of knowledge, under the PIN.
    private let locked: [UInt8]
    private var counter: HashCounter

    /// `made` is what the exchange of keys gave.
    init(
        _ app: DemoPowerAuthApp, _ device: DemoPowerAuthApp.Device, _ made: JSONValue, pin: String
    ) throws(PowerAuthRefusal) {
        guard let id = made["activationId"]?.string else { throw .plaintextMalformed }
        (self.app, self.id, self.device) = (app, id, device)
        let knowledge: SecretBytes
        switch device {
        case .three(let own):
            guard let server = Base64Text.decode(made["serverPublicKey"]?.string ?? ""),
                let start = Base64Text.decode(made["ctrData"]?.string ?? "")
            else { throw .plaintextMalformed }
            let agreed = try ActivationKeys(own: own, peer: server)
            (serverKey, serverKeys) = (server, nil)
            (possession, knowledge, counter) = (agreed.possession, agreed.knowledge, try HashCounter(start))
            keys = Keys(transport: agreed.transport)
        case .four(let own, let offer):
            let response = try KeyExchangeResponse(json: made, own.publicKey.algorithm)
            let agreed = try ActivationSecret(try offer.secret(response.sharedSecret))
            (serverKey, serverKeys) = ([], response.serverKeys)
            (possession, knowledge, counter) = (agreed.possession, agreed.knowledge, response.counter)
            keys = Keys(
                sharedInfo2: agreed.sharedInfo2, temporaryKeyMAC: agreed.temporaryKeyMAC,
                personalizedData: agreed.personalizedData)
        }
        locked = DemoPIN.turned(knowledge.expose { $0 }, by: pin)
    }

    private var version: PowerAuthVersion { app.algorithm == nil ? .v33 : .v40 }

    /// What people compare before the registration is committed.
    public func fingerprint() throws(PowerAuthRefusal) -> String {
        switch device {
        case .three(let own):
            return try Fingerprint.of(device: own.public33, activationID: id, server: serverKey)
        case .four(let own, _):
            guard let serverKeys else { throw .plaintextMalformed }
            return try Fingerprint.of(device: own.publicKey, activationID: id, server: serverKeys)
        }
    }

    /// A phone of protocol 4 confirms that its owner has chosen a PIN; one of 3.3 has nothing to say.
    public mutating func confirm(pin: String) -> DemoRequest? {
        guard app.algorithm != nil else { return nil }
        return signed("/pa/v4/activation/confirm", "/pa/activation/confirm", ["requestObject": [:]], pin: pin)
    }

    // MARK: Signatures

    /// Without a PIN: by having the phone alone.
    public mutating func signed(
        _ path: String, _ uriID: String, _ body: JSONValue = [:], pin: String? = nil
    ) -> DemoRequest {
        let nonce = Base64Text.encode(Randomness.system.bytes(16)),
            type = pin == nil ? FactorType.possession : .possessionKnowledge
        let data = FactorSignature.data(
            method: "POST", uriID: uriID, nonce: nonce, body: body.bytes, secret: app.applicationSecret)
        let signature = FactorSignature.make(version, keys: keys(pin), counter: counter, data: data)
        counter = counter.next()
        let header = SignatureHeader(
            version: version, activationID: id, applicationKey: app.applicationKey, nonce: nonce, type: type,
            signature: signature)
        return app.request(path, body, [(name: SignatureHeader.name, value: header.text)])
    }

    private func keys(_ pin: String?) -> [SecretBytes] {
        guard let pin else { return [possession] }
        return [possession, SecretBytes(DemoPIN.turned(locked, by: pin))]
    }

    /// Encrypted first, then signed.
    public mutating func askToken(
        with key: DemoPowerAuthApp.Key
    ) throws(PowerAuthRefusal) -> (request: DemoRequest, sealed: DemoPowerAuthApp.Sealed) {
        let sealed = try app.seal([:], .tokenCreate, with: key, for: self)
        return (signed("\(app.root)/token/create", "/pa/token/create", sealed.json), sealed)
    }

    public func token(in answer: JSONValue, to sealed: DemoPowerAuthApp.Sealed) throws(PowerAuthRefusal) -> Token {
        let made = try sealed.open(answer)
        guard let id = made["tokenId"]?.string,
            let secret = Base64Text.decode(made["tokenSecret"]?.string ?? "", count: 16)
        else { throw .plaintextMalformed }
        return Token(id: id, secret: SecretBytes(secret), version: version)
    }

    public mutating func remove() -> DemoRequest { signed("\(app.root)/activation/remove", "/pa/activation/remove") }

    // MARK: Operations

    public func list(_ token: Token) -> DemoRequest {
        app.request(DemoActivation.operations + "/list", [:], [token.header()])
    }

    public func detail(_ operation: String, _ token: Token) -> DemoRequest {
        app.request(
            DemoActivation.operations + "/detail", ["requestObject": ["id": .string(operation)]], [token.header()])
    }

    /// `data` is given back byte for byte.
    public mutating func approve(_ operation: String, data: String, pin: String) -> DemoRequest {
        signed(
            DemoActivation.operations + "/authorize", "/operation/authorize",
            ["requestObject": ["id": .string(operation), "data": .string(data)]], pin: pin)
    }

    public mutating func reject(_ operation: String, reason: String) -> DemoRequest {
        signed(
            DemoActivation.operations + "/cancel", "/operation/cancel",
            ["requestObject": ["id": .string(operation), "reason": .string(reason)]])
    }

    /// An operation from its QR code; `nil` unless this activation's server made it for this activation.
    public func scan(_ text: String) -> ScannedOperation? {
        guard let key = keys.personalizedData else {
            return ScannedOperation(text, kind: "1") { PublicPoint.isSigned($0, der: $1, by: serverKey) }
        }
        return ScannedOperation(text, kind: "2") { signed, mac in
            ConstantTime.equal((try? KMAC256.mac(key: key, signed, .offlineCode)) ?? [], mac)
        }
    }

    /// What the app shows for an offline code: two groups of eight digits.
    public mutating func answer(_ code: ScannedOperation, pin: String) -> String {
        let data = OfflineAnswer.data(
            operationID: code.operationID, data: code.data, totp: code.totp, nonce: code.nonce)
        let digits = FactorSignature.decimal(version, keys: keys(pin), counter: counter, data: data)
        counter = counter.next()
        return digits
    }
}
