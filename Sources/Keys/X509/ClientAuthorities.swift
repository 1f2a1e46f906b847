import Base
import Foundation
import PKIX
import SwiftASN1
import X509

/// The authorities whose certificates say who a client is (RFC 8705, 2.1; RFC 5280, 6). The machine's own trust store
/// has no say.
///
/// Checked are the chain, its times, basic and name constraints, and that the certificate is meant for clients.
/// Revocation is not: an authority that must take one back does so by a short life, the operator by deleting the
/// client.
public struct ClientAuthorities: Sendable {
    /// No authority is trusted: every certificate counts as self-signed.
    public static let none = ClientAuthorities(roots: CertificateStore())

    private let roots: CertificateStore

    private init(roots: CertificateStore) { self.roots = roots }

    /// One or more certificates in PEM. Each is trusted by itself, so an intermediate one may stand here without its
    /// root.
    public init(pem: String) throws(MalformedCertificate) {
        guard let ders = CertificatePEM.read(pem),
            let certificates = try? ders.map({ try Certificate(derEncoded: $0) }), !certificates.isEmpty
        else {
            throw MalformedCertificate("not certificates in PEM")
        }
        roots = CertificateStore(certificates)
    }

    /// Whether a chain in DER, the client's certificate first, ends at one of them.
    public func trusts(_ chain: [[UInt8]], at moment: Date) async -> Bool {
        guard roots != ClientAuthorities.none.roots, let chain = CertificateChain(chain) else { return false }
        return await chain.ends(at: roots, moment: moment, for: MeantForClients())
    }
}

/// RFC 5280, 4.2.1.12: a certificate that lists its uses must list clients. One that lists none is for any.
private struct MeantForClients: VerifierPolicy {
    /// Names are compared by whoever asked for the chain, so a critical one is no hindrance (RFC 5280, 4.1.2.6:
    /// critical where the subject is empty).
    let verifyingCriticalExtensions: [ASN1ObjectIdentifier] = [
        .X509ExtensionID.extendedKeyUsage, .X509ExtensionID.subjectAlternativeName,
    ]

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) async -> PolicyEvaluationResult {
        do {
            guard let usages = try chain.leaf.extensions.extendedKeyUsage else { return .meetsPolicy }
            return usages.contains(.clientAuth) || usages.contains(.any)
                ? .meetsPolicy : .failsToMeetPolicy(reason: "not meant for clients")
        } catch {
            return .failsToMeetPolicy(reason: "its uses cannot be read")
        }
    }
}
