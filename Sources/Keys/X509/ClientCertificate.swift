import Base
import Foundation
import PKIX
import SwiftASN1
import X509

/// The certificate with which the other side of the connection proved a private key (RFC 8705, 2 and 3; RFC 5280, 4).
///
/// That the private key is there was checked by TLS, here or at the proxy in front. Nothing else of it has been, unless
/// `isTrusted`.
public struct ClientCertificate: Sendable {
    public let der: [UInt8]
    /// `x5t#S256`: SHA-256 of the DER, base64url (RFC 8705, 3.1).
    public let thumbprint: String
    /// Of its public key (RFC 7638); `nil` for a key that no `JSONWebKey` could be.
    public let publicKeyThumbprint: String?
    /// Whether it chains to an authority that the operator named for clients. A self-signed one does not.
    public let isTrusted: Bool
    /// As RFC 4514 writes it, most specific name first; empty when it has none. To compare, use `isNamed`.
    public var subject: String { name.description }
    /// Of the subject alternative name (RFC 5280, 4.2.1.6), as they stand there; addresses in the spelling of RFC 5952.
    public let dnsNames: [String]
    public let uris: [String]
    public let ips: [String]
    public let emails: [String]
    public let notBefore: Date
    public let notAfter: Date

    private let name: CertificateSubject

    public init(der: [UInt8], isTrusted: Bool) throws(MalformedCertificate) {
        try MalformedCertificate.checkSize(der)
        let certificate: Certificate, alternatives: SubjectAlternativeNames?
        do {
            certificate = try Certificate(derEncoded: der)
            alternatives = try certificate.extensions.subjectAlternativeNames
        } catch {
            throw MalformedCertificate("not the DER of an X.509 certificate with a key that can be used")
        }
        (self.der, self.isTrusted) = (der, isTrusted)
        thumbprint = Base64URL.encode(Digest.sha256(der))
        publicKeyThumbprint = KeyMaterial(certificate.publicKey).map { Base64URL.encode(Digest.sha256($0.bare.text)) }
        name = CertificateSubject(certificate.subject)
        let names = alternatives.map(Array.init) ?? []
        dnsNames = names.compactMap { if case .dnsName(let name) = $0 { name } else { nil } }
        uris = names.compactMap { if case .uniformResourceIdentifier(let uri) = $0 { uri } else { nil } }
        ips = names.compactMap {
            if case .ipAddress(let octets) = $0 {
                [4, 16].contains(octets.bytes.count) ? IPAddress(bytes: Array(octets.bytes)).description : nil
            } else {
                nil
            }
        }
        emails = names.compactMap { if case .rfc822Name(let address) = $0 { address } else { nil } }
        (notBefore, notAfter) = (certificate.notValidBefore, certificate.notValidAfter)
    }

    /// Whether its subject is the name that this text writes (RFC 4514): spaces, case of attribute types and kinds of
    /// escape do not matter; order, values and their case do. A text that is no such name is nobody's, and so is the
    /// empty one.
    public func isNamed(_ text: String) -> Bool {
        CertificateSubject(text).map { !$0.parts.isEmpty && $0 == name } ?? false
    }
}
