import Foundation

/// `X-PowerAuth-Token` (protocols/operations.md, 4.9).
public struct TokenHeader: Equatable, Sendable {
    public static let name = "X-PowerAuth-Token"

    public let version: PowerAuthVersion
    public let tokenID: String
    public let digest: [UInt8]
    /// 16 bytes.
    public let nonce: [UInt8]
    /// Milliseconds since the epoch.
    public let timestamp: Int64

    public init(version: PowerAuthVersion, tokenID: String, digest: [UInt8], nonce: [UInt8], timestamp: Int64) {
        self.version = version
        self.tokenID = tokenID
        self.digest = digest
        self.nonce = nonce
        self.timestamp = timestamp
    }

    public init(
        parsing header: String?, versions: Set<PowerAuthVersion> = PowerAuthVersion.ofTokens
    ) throws(PowerAuthRefusal) {
        let members = try HeaderMembers(header)
        version = try members.version("version", versions)
        tokenID = try members.identifier("token_id")
        digest = try members.bytes("token_digest", count: 32)
        nonce = try members.bytes("nonce", count: 16)
        let text = try members.text("timestamp")
        // One spelling per number, as the digest is of the text.
        guard text.utf8.count <= 15, let timestamp = Int64(text), timestamp >= 0, String(timestamp) == text else {
            throw .headerMalformed
        }
        self.timestamp = timestamp
    }

    /// `timestampOld` or `timestampAhead` when it is more than `seconds` from `now`.
    public func checkTime(_ now: Date, within seconds: Int) throws(PowerAuthRefusal) {
        try Milliseconds.check(timestamp, now: now, past: seconds, ahead: seconds)
    }

    /// The header's value.
    public var text: String {
        """
        PowerAuth version=\"\(version.rawValue)\", token_id=\"\(tokenID)\", \
        token_digest=\"\(Base64Text.encode(digest))\", 
        """
            + "nonce=\"\(Base64Text.encode(nonce))\", timestamp=\"\(timestamp)\""
    }
}
