import Base
import Foundation

/// What an encrypted response is, and the greater part of a request (protocols/operations.md, 4.5).
public struct SealedData: Equatable, Sendable {
    public let encryptedData: [UInt8]
    /// 32 bytes.
    public let mac: [UInt8]
    /// 16 bytes.
    public let nonce: [UInt8]
    /// Milliseconds since the epoch.
    public let timestamp: Int64

    public init(encryptedData: [UInt8], mac: [UInt8], nonce: [UInt8], timestamp: Int64) {
        self.encryptedData = encryptedData
        self.mac = mac
        self.nonce = nonce
        self.timestamp = timestamp
    }

    /// `envelopeMalformed` unless each member is there in its form; others are not looked at.
    public init(json: JSONValue) throws(PowerAuthRefusal) {
        encryptedData = try Self.bytes(json, "encryptedData")
        mac = try Self.bytes(json, "mac", count: 32)
        nonce = try Self.bytes(json, "nonce", count: 16)
        guard !encryptedData.isEmpty, encryptedData.count.isMultiple(of: BlockCipher.blockSize) else {
            throw .envelopeMalformed
        }
        guard let timestamp = json["timestamp"]?.integer, timestamp >= 0 else { throw .envelopeMalformed }
        self.timestamp = Int64(timestamp)
    }

    /// A response is this and nothing around it.
    public var json: JSONValue { .object(JSONObject(members)) }

    var members: [(String, JSONValue)] {
        [
            ("encryptedData", .string(Base64Text.encode(encryptedData))), ("mac", .string(Base64Text.encode(mac))),
            ("nonce", .string(Base64Text.encode(nonce))), ("timestamp", .integer(Int(timestamp))),
        ]
    }

    static func bytes(_ json: JSONValue, _ name: String, count: Int? = nil) throws(PowerAuthRefusal) -> [UInt8] {
        guard let text = json[name]?.string else { throw .envelopeMalformed }
        let decoded = if let count { Base64Text.decode(text, count: count) } else { Base64Text.decode(text) }
        guard let bytes = decoded else { throw .envelopeMalformed }
        return bytes
    }
}

/// An encrypted request: `{temporaryKeyId, ephemeralPublicKey, encryptedData, mac, nonce, timestamp}`.
public struct Envelope: Equatable, Sendable {
    /// How old a request may be, and how far ahead a clock that was synchronised may run.
    public static let maximumAge = 60
    public static let maximumLead = 10

    public let temporaryKeyID: String
    /// 33 or 65 bytes, in the form in which it was sent: keys and MAC depend on it.
    public let ephemeralPublicKey: [UInt8]
    public let sealed: SealedData

    public init(temporaryKeyID: String, ephemeralPublicKey: [UInt8], sealed: SealedData) {
        self.temporaryKeyID = temporaryKeyID
        self.ephemeralPublicKey = ephemeralPublicKey
        self.sealed = sealed
    }

    /// `envelopeMalformed`, or `publicKeyMalformed` for an ephemeral key that is no point of the curve.
    public init(json: JSONValue) throws(PowerAuthRefusal) {
        guard let id = json["temporaryKeyId"]?.string, HeaderMembers.isIdentifier(id) else { throw .envelopeMalformed }
        temporaryKeyID = id
        ephemeralPublicKey = try SealedData.bytes(json, "ephemeralPublicKey")
        _ = try PublicPoint.check(ephemeralPublicKey)
        sealed = try SealedData(json: json)
    }

    /// From a body as it was received. It is JSON, strictly, or `envelopeMalformed`.
    public init(body: [UInt8]) throws(PowerAuthRefusal) {
        guard let json = try? JSONReader.read(body, depth: 4) else { throw .envelopeMalformed }
        try self.init(json: json)
    }

    public var json: JSONValue {
        let own: [(String, JSONValue)] = [
            ("temporaryKeyId", .string(temporaryKeyID)),
            ("ephemeralPublicKey", .string(Base64Text.encode(ephemeralPublicKey))),
        ]
        return .object(JSONObject(own + sealed.members))
    }

    /// `timestampOld` or `timestampAhead`. Ask after `ECIES.open`, since only then the timestamp is the phone's.
    public func checkTime(_ now: Date) throws(PowerAuthRefusal) {
        try Milliseconds.check(sealed.timestamp, now: now, past: Self.maximumAge, ahead: Self.maximumLead)
    }

    /// Names this request for as long as it would be fresh; a second one with this name is a replay.
    public var replayName: String { "\(Base64Text.encode(ephemeralPublicKey)):\(Base64Text.encode(sealed.nonce))" }
}
