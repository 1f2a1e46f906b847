import Base

/// How the demo's phones keep a secret under a PIN. Another PIN opens it too, to another secret of the same length:
/// nothing on the phone tells which one is right.
enum DemoPIN {
    /// There and back, up to 32 bytes. An app takes a slow derivation, and its phone's key store.
    static func turned(_ bytes: [UInt8], by pin: String) -> [UInt8] {
        zip(bytes, Digest.hmac(key: SecretBytes(pin.utf8), "demo phone".utf8)).map { $0 ^ $1 }
    }
}
