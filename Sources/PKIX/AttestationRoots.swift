import Foundation
import SwiftASN1
import X509

/// The makers of authenticators whose word the operator takes (WebAuthn, 7.1, trust anchors; RFC 5280, 6). The
/// machine's own trust store has no say.
///
/// Checked are the chain and its order, its times, basic and name constraints. Revocation is not, and neither are
/// policies: of TPMs they are critical and name documents.
public struct AttestationRoots: Sendable {
    private let roots: CertificateStore

    /// One or more certificates in PEM.
    public init(pem: String) throws(MalformedCertificate) {
        guard let ders = CertificatePEM.read(pem) else { throw MalformedCertificate("not certificates in PEM") }
        try self.init(ders: ders)
    }

    public init(ders: [[UInt8]]) throws(MalformedCertificate) {
        guard !ders.isEmpty, let certificates = try? ders.map({ try Certificate(derEncoded: $0) }) else {
            throw MalformedCertificate("not certificates in DER")
        }
        roots = CertificateStore(certificates)
    }

    /// Whether a chain in DER, the attestation key's certificate first and each signed by the next, ends at one of
    /// them.
    public func trusts(_ chain: [[UInt8]], at moment: Date) async -> Bool {
        guard let chain = CertificateChain(chain), chain.isOrdered else { return false }
        return await chain.ends(at: roots, moment: moment, for: MeantForAttestation())
    }
}

/// What a certificate is for is checked by the format of the attestation, so critical uses and names are no hindrance
/// here. SHA-1 below a root is.
private struct MeantForAttestation: VerifierPolicy {
    private static let policies: ASN1ObjectIdentifier = [2, 5, 29, 32]

    let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = [
        .X509ExtensionID.extendedKeyUsage, .X509ExtensionID.subjectAlternativeName, MeantForAttestation.policies,
    ]

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) async -> PolicyEvaluationResult {
        for certificate in chain.dropLast() where certificate.signatureAlgorithm == .sha1WithRSAEncryption {
            return .failsToMeetPolicy(reason: "signed with SHA-1")
        }
        return .meetsPolicy
    }
}
