import Foundation
@_spi(FixedExpiryValidationTime) import X509

/// A chain in DER, as a peer shows it: its own certificate first (RFC 5280, 6).
public struct CertificateChain: Sendable {
    /// Certificates that are looked at.
    private static let longest = 8

    let leaf: Certificate
    let others: [Certificate]

    /// `nil` for what is empty, too long or no certificate.
    public init?(_ ders: [[UInt8]]) {
        guard ders.count <= CertificateChain.longest,
            let certificates = try? ders.map({ try Certificate(derEncoded: $0) }), let leaf = certificates.first
        else { return nil }
        (self.leaf, others) = (leaf, Array(certificates.dropFirst()))
    }

    /// Each was issued by the next, by name.
    var isOrdered: Bool { zip([leaf] + others, others).allSatisfy { $0.issuer == $1.subject } }

    /// Whether it ends at one of `roots` and was valid at `moment`, and is meant for what `purpose` asks. Revocation is
    /// not looked up.
    public func ends(at roots: CertificateStore, moment: Date, for purpose: some VerifierPolicy) async -> Bool {
        var verifier = Verifier(rootCertificates: roots) {
            RFC5280Policy(fixedExpiryValidationTime: moment)
            purpose
        }
        guard case .validCertificate = await verifier.validate(leaf: leaf, intermediates: CertificateStore(others))
        else { return false }
        return true
    }
}
