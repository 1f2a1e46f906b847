import Base

/// `apple` (WebAuthn, 8.8): no signature, but a certificate made for this one credential. Without Apple's root it says
/// nothing: anybody can make one.
enum AppleAttestation {
    static func verify(_ statement: AttestationStatement) throws(WebAuthnRefusal) -> AttestationStatement.Finding {
        // `alg` stood in early versions.
        try statement.expect(["alg", "x5c"])
        let (leaf, chain) = try statement.chain()
        guard let nonce = leaf.appleNonce, ConstantTime.equal(nonce, Digest.sha256(statement.signed)) else {
            throw .appleNonce
        }
        guard leaf.key == statement.key.numbers else { throw .certificateKeyMismatch }
        return AttestationStatement.Finding(type: .anonymous, chain: chain)
    }
}
