import Base
import Foundation

/// An encrypted request of protocol 4 (protocols/powerauth4.md): `{temporaryKeyId, encryptedData, nonce, timestamp}`.
public struct SealedRequest: Equatable, Sendable {
    public let temporaryKeyID: String
    /// Nonce, tag and ciphertext.
    public let encryptedData: [UInt8]
    /// 24 bytes: the request's nonce and the one that the response will have.
    public let nonce: [UInt8]
    /// Milliseconds since the epoch.
    public let timestamp: Int64

    public init(temporaryKeyID: String, encryptedData: [UInt8], nonce: [UInt8], timestamp: Int64) {
        self.temporaryKeyID = temporaryKeyID
        self.encryptedData = encryptedData
        self.nonce = nonce
        self.timestamp = timestamp
    }

    /// `envelopeMalformed` unless each member is there in its form and the two nonces of the request are one; others
    /// are not looked at.
    public init(json: JSONValue) throws(PowerAuthRefusal) {
        guard let id = json["temporaryKeyId"]?.string, HeaderMembers.isIdentifier(id) else { throw .envelopeMalformed }
        let data = try SealedResponse.data(json)
        let nonce = try SealedData.bytes(json, "nonce", count: 24)
        // A response that had the request's nonce would be encrypted with the same key stream.
        guard data.starts(with: nonce.prefix(AEAD.nonceCount)),
            nonce.prefix(AEAD.nonceCount) != nonce.suffix(AEAD.nonceCount)
        else { throw .envelopeMalformed }
        self.init(
            temporaryKeyID: id, encryptedData: data, nonce: nonce, timestamp: try SealedResponse.timestamp(json))
    }

    /// From a body as it was received. It is JSON, strictly, or `envelopeMalformed`.
    public init(body: [UInt8]) throws(PowerAuthRefusal) {
        guard let json = try? JSONReader.read(body, depth: 4) else { throw .envelopeMalformed }
        try self.init(json: json)
    }

    public var json: JSONValue {
        [
            "temporaryKeyId": .string(temporaryKeyID), "encryptedData": .string(Base64Text.encode(encryptedData)),
            "nonce": .string(Base64Text.encode(nonce)), "timestamp": .integer(Int(timestamp)),
        ]
    }

    /// `timestampOld` or `timestampAhead`. Ask after `EnvelopeContext.open`, since only then the timestamp is the
    /// phone's.
    public func checkTime(_ now: Date) throws(PowerAuthRefusal) {
        try Milliseconds.check(timestamp, now: now, past: Envelope.maximumAge, ahead: Envelope.maximumLead)
    }

    /// Names this request for as long as it would be fresh; a second one with this name is a replay.
    public var replayName: String { "\(temporaryKeyID):\(Base64Text.encode(nonce))" }
}

/// An encrypted response: `{encryptedData, timestamp}`.
public struct SealedResponse: Equatable, Sendable {
    public let encryptedData: [UInt8]
    public let timestamp: Int64

    public init(encryptedData: [UInt8], timestamp: Int64) {
        self.encryptedData = encryptedData
        self.timestamp = timestamp
    }

    public init(json: JSONValue) throws(PowerAuthRefusal) {
        self.init(encryptedData: try Self.data(json), timestamp: try Self.timestamp(json))
    }

    public var json: JSONValue {
        ["encryptedData": .string(Base64Text.encode(encryptedData)), "timestamp": .integer(Int(timestamp))]
    }

    static func data(_ json: JSONValue) throws(PowerAuthRefusal) -> [UInt8] {
        let data = try SealedData.bytes(json, "encryptedData")
        guard data.count >= AEAD.nonceCount + AEAD.tagCount else { throw .envelopeMalformed }
        return data
    }

    static func timestamp(_ json: JSONValue) throws(PowerAuthRefusal) -> Int64 {
        guard let timestamp = json["timestamp"]?.integer, timestamp >= 0 else { throw .envelopeMalformed }
        return Int64(timestamp)
    }
}
