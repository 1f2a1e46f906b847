import Base
import Foundation

/// A refresh token on the wire: base64url of family (16 bytes), sequence (4) and MAC (32).
///
/// The MAC proves that this server made it, for every rotation of the family, without a row for each: an old one is
/// recognised as old, a made-up one as nothing.
public struct RefreshToken: Sendable, Hashable {
    public let family: NodeID
    public let sequence: Int32

    public init(family: NodeID, sequence: Int32) { (self.family, self.sequence) = (family, sequence) }

    /// `nil` for anything that this server did not make.
    public init?(_ text: String, key: SecretBytes) {
        guard let bytes = Base64URL.decode(text), bytes.count == 52 else { return nil }
        guard ConstantTime.equal(bytes[20...], Digest.hmac(key: key, bytes[..<20])) else { return nil }
        let uuid = bytes[..<16].map { $0 }.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }
        family = NodeID(rawValue: UUID(uuid: uuid))
        sequence = Int32(bitPattern: bytes[16..<20].reduce(0) { $0 << 8 | UInt32($1) })
    }

    public func text(key: SecretBytes) -> String {
        let number = UInt32(bitPattern: sequence)
        let head =
            withUnsafeBytes(of: family.rawValue.uuid) { Array($0) }
            + [UInt8(number >> 24 & 255), UInt8(number >> 16 & 255), UInt8(number >> 8 & 255), UInt8(number & 255)]
        return Base64URL.encode(head + Digest.hmac(key: key, head))
    }
}

/// A refresh token as somebody presents it: newest of its family or not.
public struct PresentedRefreshToken: Sendable {
    let token: RefreshToken
    /// As it stood when the token was looked up, live or not.
    public let family: TokenRow
}
