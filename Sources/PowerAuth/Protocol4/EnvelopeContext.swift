import Base
import Crypto

/// What both sides know of an exchange of protocol 4 before it is opened (protocols/powerauth4.md).
public struct EnvelopeContext: Sendable {
    private let secret: SecretBytes
    private let sharedInfo2: [UInt8]
    private let label: String
    private let associated: [UInt8]

    /// Application scope. `secret` is the temporary key's, `applicationSecret` 16 bytes, `applicationKey` Base64 as in
    /// the header.
    public init(
        secret: SecretBytes, label: EnvelopeLabel, applicationKey: String, applicationSecret: SecretBytes,
        temporaryKeyID: String
    ) {
        self.init(
            secret, applicationSecret.expose { Array(SHA3_256.hash(data: $0)) }, label,
            names: [applicationKey, temporaryKeyID])
    }

    /// Activation scope. `sharedInfo2` is the registration's (`ActivationSecret.sharedInfo2`).
    public init(
        secret: SecretBytes, label: EnvelopeLabel, applicationKey: String, applicationSecret: SecretBytes,
        temporaryKeyID: String, activationID: String, sharedInfo2: SecretBytes
    ) throws(PowerAuthRefusal) {
        let bytes = applicationSecret.expose { $0 }
        self.init(
            secret, try KMAC256.mac(key: sharedInfo2, bytes, .sharedInfo2), label,
            names: [applicationKey, activationID, temporaryKeyID])
    }

    private init(_ secret: SecretBytes, _ sharedInfo2: [UInt8], _ label: EnvelopeLabel, names: [String]) {
        self.secret = secret
        self.sharedInfo2 = sharedInfo2
        self.label = label.rawValue
        associated = BigEndian.sized((["4.0"] + names).map { Array($0.utf8) })
    }

    /// The server's side. Next: `SealedRequest.checkTime`, and whether its `replayName` is new.
    public func open(_ request: SealedRequest) throws(PowerAuthRefusal) -> [UInt8] {
        // The envelope's own nonce and the one beside it must be the same, or the keys are another's.
        guard request.nonce.count == 2 * AEAD.nonceCount,
            request.encryptedData.starts(with: request.nonce.prefix(AEAD.nonceCount))
        else { throw .envelopeMalformed }
        return try AEAD.open(
            request.encryptedData, keys: AEAD.Keys(secret, context: context(request.nonce)),
            associated: associatedData(request.nonce, request.timestamp))
    }

    /// The server's answer to `request`.
    public func seal(
        _ plaintext: [UInt8], answering request: SealedRequest, timestamp: Int64
    ) throws(PowerAuthRefusal) -> SealedResponse {
        let nonce = Array(request.nonce.suffix(AEAD.nonceCount))
        return SealedResponse(
            encryptedData: try AEAD.seal(
                plaintext, keys: AEAD.Keys(secret, context: context(request.nonce)), nonce: nonce,
                associated: associatedData(request.nonce, timestamp)), timestamp: timestamp)
    }

    /// The phone's side. `nonce` has 24 bytes that were never used with this temporary key.
    public func request(
        _ plaintext: [UInt8], temporaryKeyID: String, nonce: [UInt8], timestamp: Int64
    ) throws(PowerAuthRefusal) -> SealedRequest {
        guard nonce.count == 2 * AEAD.nonceCount else { throw .envelopeMalformed }
        let sealed = try AEAD.seal(
            plaintext, keys: AEAD.Keys(secret, context: context(nonce)), nonce: Array(nonce.prefix(AEAD.nonceCount)),
            associated: associatedData(nonce, timestamp))
        return SealedRequest(
            temporaryKeyID: temporaryKeyID, encryptedData: sealed, nonce: nonce, timestamp: timestamp)
    }

    /// The phone's side of the answer to `request`. `envelopeMalformed` unless it has the nonce that the request told.
    public func open(_ response: SealedResponse, of request: SealedRequest) throws(PowerAuthRefusal) -> [UInt8] {
        guard response.encryptedData.starts(with: request.nonce.suffix(AEAD.nonceCount)) else {
            throw .envelopeMalformed
        }
        return try AEAD.open(
            response.encryptedData, keys: AEAD.Keys(secret, context: context(request.nonce)),
            associated: associatedData(request.nonce, response.timestamp))
    }

    func context(_ nonce: [UInt8]) -> [UInt8] { Array("4.0\(label)".utf8) + nonce }

    func associatedData(_ nonce: [UInt8], _ timestamp: Int64) -> [UInt8] {
        associated + BigEndian.sized([BigEndian.bytes(timestamp), nonce, sharedInfo2])
    }
}
