import Crypto
import Foundation

/// What a wallet has and no server ever sees: its account's Ed25519 key, and the P-256 key of one passkey. For those
/// who act a wallet: the demo and the bench.
public struct WalletKeys: Sendable {
    private let account = Curve25519.Signing.PrivateKey()
    private let passkey = P256.Signing.PrivateKey()

    public init() {}

    /// Of the account.
    public var address: String { AlgorandAddress.text(of: Array(account.publicKey.rawRepresentation)) }

    /// Coordinates of the passkey's public key.
    public var point: (x: [UInt8], y: [UInt8]) {
        let raw = Array(passkey.publicKey.rawRepresentation)
        return (Array(raw[..<32]), Array(raw[32...]))
    }

    /// By the account: 64 bytes (protocols/liquid.md, 1.6).
    public func signedByAccount(_ bytes: [UInt8]) throws -> [UInt8] { Array(try account.signature(for: Data(bytes))) }

    /// By the passkey: DER (WebAuthn, 6.5.5).
    public func signedByPasskey(_ bytes: [UInt8]) throws -> [UInt8] {
        Array(try passkey.signature(for: Data(bytes)).derRepresentation)
    }
}
