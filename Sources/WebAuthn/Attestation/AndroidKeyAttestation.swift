import Base

/// `android-key` (WebAuthn, 8.4). The authorizations of software and hardware count together, as 8.4 has it for who
/// does not insist on hardware.
enum AndroidKeyAttestation {
    private static let generated = 0, toSign = 2, toVerify = 3

    static func verify(_ statement: AttestationStatement) throws(WebAuthnRefusal) -> AttestationStatement.Finding {
        try statement.expect(["alg", "sig", "x5c"])
        let algorithm = try statement.algorithm(), signature = try statement.bytes("sig"),
            (leaf, chain) = try statement.chain()
        guard SignatureCheck.holds(signature, of: statement.signed, by: leaf.key, algorithm) else {
            throw .statementSignature
        }
        guard leaf.key == statement.key.numbers else { throw .certificateKeyMismatch }
        guard let key = leaf.androidKey else { throw .certificateMalformed }
        guard ConstantTime.equal(key.challenge, statement.clientDataHash) else { throw .androidChallenge }
        let lists = [key.inSoftware, key.inHardware], origins = lists.compactMap(\.origin)
        let purposes = key.inSoftware.purposes.union(key.inHardware.purposes)
        guard !lists.contains(where: \.hasAllApplications), !origins.isEmpty, origins.allSatisfy({ $0 == generated }),
            purposes.contains(toSign), purposes.isSubset(of: [toSign, toVerify])
        else { throw .androidAuthorizations }
        return AttestationStatement.Finding(type: .basic, chain: chain)
    }
}
