import Foundation
import SwiftASN1
import X509

/// The certificate of an authenticator's attestation key, as WebAuthn (8.2.1, 8.3.1, 8.4, 8.6, 8.8) wants to look at
/// it. Nothing about its issuer is checked here: that is `AttestationRoots`.
public struct AttestationCertificate: Sendable {
    public let der: [UInt8]
    public let key: PublicKeyNumbers
    public let isVersion3: Bool
    /// `nil` without basic constraints (RFC 5280, 4.2.1.9).
    public let isAuthority: Bool?
    /// Dotted (RFC 5280, 4.2.1.12).
    public let extendedKeyUses: [String]
    public let hasSubject: Bool

    let extensions: Certificate.Extensions
    private let name: CertificateSubject

    /// Refuses what is not DER, keys of kinds that are not in use, and the extensions above when they cannot be read.
    public init(der: [UInt8]) throws(MalformedCertificate) {
        try MalformedCertificate.checkSize(der)
        do {
            let certificate = try Certificate(derEncoded: der)
            guard let key = PublicKeyNumbers(certificate.publicKey) else {
                throw MalformedCertificate("a certificate with a key that cannot be used")
            }
            self.key = key
            isAuthority =
                switch try certificate.extensions.basicConstraints {
                case .isCertificateAuthority?: true
                case .notCertificateAuthority?: false
                case nil: nil
                }
            extendedKeyUses =
                try certificate.extensions.extendedKeyUsage.map { uses in
                    uses.map { ASN1ObjectIdentifier($0).description }
                } ?? []
            self.der = der
            isVersion3 = certificate.version == .v3
            hasSubject = !certificate.subject.isEmpty
            extensions = certificate.extensions
            name = CertificateSubject(certificate.subject)
        } catch {
            throw MalformedCertificate("not the DER of an X.509 certificate whose key and constraints can be read")
        }
    }

    /// Every text that the subject has under a dotted type, as `2.5.4.3` for the common name.
    public func subjectTexts(_ type: String) -> [String] {
        name.parts.flatMap { part in
            part.compactMap { attribute -> String? in
                guard attribute.type == type, case .text(let text) = attribute.value else { return nil }
                return text
            }
        }
    }
}
