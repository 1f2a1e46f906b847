import Crypto
import CryptoExtras
import Foundation
import PKIX

/// Signatures in the forms of WebAuthn, 6.5.5: ECDSA as DER, RSA with PKCS #1 v1.5, Ed25519 as 64 bytes.
enum SignatureCheck {
    /// `false` for a key that is not the algorithm's, and for a signature that has another form.
    static func holds(
        _ signature: [UInt8], of message: [UInt8], by key: PublicKeyNumbers, _ algorithm: COSEAlgorithm
    ) -> Bool {
        switch (algorithm, key) {
        case (.es256, .elliptic(.p256, let x, let y)):
            guard let key = try? P256.Signing.PublicKey(x963Representation: PublicKeyNumbers.uncompressed(x, y)),
                let signature = try? P256.Signing.ECDSASignature(derRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: message)
        case (.es384, .elliptic(.p384, let x, let y)):
            guard let key = try? P384.Signing.PublicKey(x963Representation: PublicKeyNumbers.uncompressed(x, y)),
                let signature = try? P384.Signing.ECDSASignature(derRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: message)
        case (.es512, .elliptic(.p521, let x, let y)):
            guard let key = try? P521.Signing.PublicKey(x963Representation: PublicKeyNumbers.uncompressed(x, y)),
                let signature = try? P521.Signing.ECDSASignature(derRepresentation: signature)
            else { return false }
            return key.isValidSignature(signature, for: message)
        case (.edDSA, .ed25519(let point)):
            guard signature.count == 64, let key = try? Curve25519.Signing.PublicKey(rawRepresentation: point) else {
                return false
            }
            return key.isValidSignature(signature, for: message)
        case (.rs256, .rsa(let n, let e)):
            guard let key = try? _RSA.Signing.PublicKey(n: n, e: e) else { return false }
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: SHA256.hash(data: message),
                padding: .insecurePKCS1v1_5)
        case (.rs1, .rsa(let n, let e)):
            guard let key = try? _RSA.Signing.PublicKey(n: n, e: e) else { return false }
            let digest = Insecure.SHA1.hash(data: message)
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: digest, padding: .insecurePKCS1v1_5)
        default: return false
        }
    }
}
