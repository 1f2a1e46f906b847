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

        /// Good for one request.
        func header() -> (name: String, value: String) {
            let nonce = Randomness.system.bytes(16), now = Milliseconds.of(Date())
            let digest = TokenDigest.make(.v33, secret: secret, nonce: nonce, timestamp: now)
            return (
                TokenHeader.name,
                TokenHeader(version: .v33, tokenID: id, digest: digest, nonce: nonce, timestamp: now).text
            )
        }
    }

    private static let operations = "/api/auth/token/app/operation"

    public let app: DemoPowerAuthApp
    public let id: String
    public let serverKey: [UInt8]
    public let transport: SecretBytes
    private let device: PowerAuthKeyPair
    private let possession: SecretBytes
    /// The key of knowledge, under the PIN.
    private let locked: [UInt8]
    private var counter: HashCounter

    /// `made` is what the exchange of keys gave.
    public init(
        _ app: DemoPowerAuthApp, _ device: PowerAuthKeyPair, _ made: JSONValue, pin: String
    ) throws(PowerAuthRefusal) {
        guard let id = made["activationId"]?.string,
            let server = Base64Text.decode(made["serverPublicKey"]?.string ?? ""),
            let start = Base64Text.decode(made["ctrData"]?.string ?? "")
        else { throw .plaintextMalformed }
        let keys = try ActivationKeys(own: device, peer: server)
        (self.app, self.id, self.device, serverKey) = (app, id, device, server)
        (transport, possession, counter) = (keys.transport, keys.possession, try HashCounter(start))
        locked = DemoPIN.turned(keys.knowledge.expose { $0 }, by: pin)
    }

    /// What people compare before the registration is committed.
    public func fingerprint() throws(PowerAuthRefusal) -> String {
        try Fingerprint.of(device: device.public33, activationID: id, server: serverKey)
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
        let signature = FactorSignature.make(.v33, keys: keys(pin), counter: counter, data: data)
        counter = counter.next()
        let header = SignatureHeader(
            version: .v33, activationID: id, applicationKey: app.applicationKey, nonce: nonce, type: type,
            signature: signature)
        return app.request(path, body, [(name: SignatureHeader.name, value: header.text)])
    }

    private func keys(_ pin: String?) -> [SecretBytes] {
        guard let pin else { return [possession] }
        return [possession, SecretBytes(DemoPIN.turned(locked, by: pin))]
    }

    /// Encrypted first, then signed.
    public mutating func askToken(
        with key: TemporaryKeyResponse
    ) throws(PowerAuthRefusal) -> (request: DemoRequest, sealed: DemoPowerAuthApp.Sealed) {
        let sealed = try app.seal([:], .tokenCreate, with: key, for: self)
        return (signed("/pa/v3/token/create", "/pa/token/create", sealed.json), sealed)
    }

    public func token(in answer: JSONValue, to sealed: DemoPowerAuthApp.Sealed) throws(PowerAuthRefusal) -> Token {
        let made = try sealed.open(answer)
        guard let id = made["tokenId"]?.string,
            let secret = Base64Text.decode(made["tokenSecret"]?.string ?? "", count: 16)
        else { throw .plaintextMalformed }
        return Token(id: id, secret: SecretBytes(secret))
    }

    public mutating func remove() -> DemoRequest { signed("/pa/v3/activation/remove", "/pa/activation/remove") }

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

    /// What the app shows for an offline code: two groups of eight digits.
    public mutating func answer(_ code: ScannedOperation, pin: String) -> String {
        let data = OfflineAnswer.data(
            operationID: code.operationID, data: code.data, totp: code.totp, nonce: code.nonce)
        let digits = FactorSignature.decimal(keys: keys(pin), counter: counter, data: data)
        counter = counter.next()
        return digits
    }
}
