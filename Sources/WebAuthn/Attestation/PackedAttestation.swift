import PKIX

/// `packed` (WebAuthn, 8.2), by a certified key or by the credential's own.
enum PackedAttestation {
    static func verify(_ statement: AttestationStatement) throws(WebAuthnRefusal) -> AttestationStatement.Finding {
        try statement.expect(["alg", "sig", "x5c"])
        let algorithm = try statement.algorithm(), signature = try statement.bytes("sig")
        guard statement.hasChain else {
            guard algorithm == statement.key.algorithm else { throw .statementAlgorithm }
            guard statement.key.verifies(signature, of: statement.signed) else { throw .statementSignature }
            return AttestationStatement.Finding(type: .selfAttested, chain: [])
        }
        let (leaf, chain) = try statement.chain()
        guard SignatureCheck.holds(signature, of: statement.signed, by: leaf.key, algorithm) else {
            throw .statementSignature
        }
        guard isFit(leaf) else { throw .certificateUnfit }
        try statement.checkModel(leaf)
        return AttestationStatement.Finding(type: .basic, chain: chain)
    }

    /// 8.2.1: version 3, no authority, and a subject of country, organisation, the fixed unit and a common name.
    private static func isFit(_ certificate: AttestationCertificate) -> Bool {
        let country = certificate.subjectTexts("2.5.4.6"), organisation = certificate.subjectTexts("2.5.4.10")
        let unit = certificate.subjectTexts("2.5.4.11"), name = certificate.subjectTexts("2.5.4.3")
        return certificate.isVersion3 && certificate.isAuthority == false
            && country.count == 1 && country[0].utf8.count == 2
            && country[0].utf8.allSatisfy { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
            && organisation.contains { !$0.isEmpty } && unit == ["Authenticator Attestation"]
            && name.contains { !$0.isEmpty }
    }
}
