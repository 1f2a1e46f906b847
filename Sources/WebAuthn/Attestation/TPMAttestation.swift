import Base
import PKIX

/// `tpm` (WebAuthn, 8.3): a TPM 2.0 certifies that the credential's key is in it.
enum TPMAttestation {
    /// tcg-kp-AIKCertificate.
    private static let identityKeyUse = "2.23.133.8.3"
    /// Manufacturer, model, version (TPM 2.0 EK profile, 3.2.9).
    private static let attributes: Set<String> = ["2.23.133.2.1", "2.23.133.2.2", "2.23.133.2.3"]

    static func verify(_ statement: AttestationStatement) throws(WebAuthnRefusal) -> AttestationStatement.Finding {
        try statement.expect(["ver", "alg", "x5c", "sig", "certInfo", "pubArea"])
        guard let version = statement.members[.text("ver")]?.text else { throw .statementMalformed }
        guard version == "2.0" else { throw .tpmVersion }
        let algorithm = try statement.algorithm(), signature = try statement.bytes("sig")
        let publicBytes = try statement.bytes("pubArea"), certifiedBytes = try statement.bytes("certInfo")

        let publicArea = try TPMPublicArea(publicBytes)
        guard publicArea.key == statement.key.numbers else { throw .tpmPublicArea }
        let certified = try TPMCertified(certifiedBytes)
        guard let hash = algorithm.hash else { throw .statementAlgorithm }
        guard ConstantTime.equal(certified.extraData, hash(statement.signed)) else { throw .tpmExtraData }
        // Part 1, 16: a name is its hash's number and the hash.
        guard publicArea.nameHash != .sha1 || statement.policy.admitsSHA1 else { throw .statementAlgorithm }
        let number = publicArea.nameHash.rawValue
        let prefix: [UInt8] = [UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)]
        let name = prefix + publicArea.nameHash(publicBytes)
        guard ConstantTime.equal(certified.name, name) else { throw .tpmName }

        let (leaf, chain) = try statement.chain()
        guard SignatureCheck.holds(signature, of: certifiedBytes, by: leaf.key, algorithm) else {
            throw .statementSignature
        }
        guard isFit(leaf) else { throw .certificateUnfit }
        try statement.checkModel(leaf)
        return AttestationStatement.Finding(type: .authority, chain: chain)
    }

    /// 8.3.1.
    private static func isFit(_ certificate: AttestationCertificate) -> Bool {
        certificate.isVersion3 && !certificate.hasSubject && certificate.isAuthority == false
            && certificate.extendedKeyUses.contains(identityKeyUse)
            && certificate.alternativeAttributes.isSuperset(of: attributes)
    }
}
