import PKIX

/// `fido-u2f` (WebAuthn, 8.6).
enum U2FAttestation {
    static func verify(_ statement: AttestationStatement) throws(WebAuthnRefusal) -> AttestationStatement.Finding {
        try statement.expect(["sig", "x5c"])
        let signature = try statement.bytes("sig"), (leaf, chain) = try statement.chain()
        guard chain.count == 1 else { throw .statementMalformed }
        guard case .elliptic(.p256, _, _) = leaf.key else { throw .certificateUnfit }
        guard statement.key.algorithm == .es256, case .elliptic(.p256, let x, let y) = statement.key.numbers else {
            throw .u2fKey
        }
        guard statement.policy.admitsU2FModel || statement.attested.model.allSatisfy({ $0 == 0 }) else {
            throw .u2fModel
        }
        var signed: [UInt8] = [0]
        signed += statement.data.rpIDHash
        signed += statement.clientDataHash
        signed += statement.attested.id
        signed += PublicKeyNumbers.uncompressed(x, y)
        guard SignatureCheck.holds(signature, of: signed, by: leaf.key, .es256) else { throw .statementSignature }
        return AttestationStatement.Finding(type: .basic, chain: chain)
    }
}
