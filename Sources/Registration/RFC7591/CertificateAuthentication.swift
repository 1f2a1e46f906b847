import Base
import Foundation
import Keys
import Vocabulary

/// Client authentication by the certificate of the connection (RFC 8705, 2). That the client holds its private key was
/// shown in TLS.
extension ClientAuthentication {
    func isShown(_ certificate: ClientCertificate, by client: WebClient) async throws -> Bool {
        switch client.authMethod {
        case .tls: client.metadata.certificateName.map { CertificateAuthentication.names(certificate, $0) } ?? false
        case .selfSignedTLS: try await isRegistered(certificate, of: client)
        case .basic, .post, .privateKeyJWT, .none: false
        }
    }

    /// 2.2: its very certificate, as the first `x5c` of a registered key, or its key. The chain says nothing here.
    private func isRegistered(_ certificate: ClientCertificate, of client: WebClient) async throws -> Bool {
        if let old = client.oldJWKS(at: clock.now()), try await isListed(certificate, old) { return true }
        if let jwks = client.jwks { return try await isListed(certificate, jwks) }
        guard let uri = client.jwksURI, let thumbprint = certificate.publicKeyThumbprint else { return false }
        return try await !remoteKeys.key(thumbprint: thumbprint, from: uri).isEmpty
    }

    private func isListed(_ certificate: ClientCertificate, _ jwks: JSONValue) async throws -> Bool {
        if CertificateAuthentication.lists(certificate, jwks) { return true }
        guard let thumbprint = certificate.publicKeyThumbprint else { return false }
        return try await JSONWebKey.set(jwks).contains { $0.thumbprint == thumbprint }
    }
}

enum CertificateAuthentication {
    /// 2.1: an authority that the operator trusts has signed it, and it bears exactly the registered name.
    static func names(_ certificate: ClientCertificate, _ name: ClientMetadata.CertificateName) -> Bool {
        guard certificate.isTrusted else { return false }
        switch name {
        case .subject(let subject): return certificate.isNamed(subject)
        // Host names are the same in any case; a wildcard names nobody.
        case .dns(let host):
            return !host.contains("*")
                && certificate.dnsNames.contains { $0.lowercased().utf8.elementsEqual(host.lowercased().utf8) }
        case .uri(let uri): return certificate.uris.contains { $0.utf8.elementsEqual(uri.utf8) }
        case .ip(let address):
            return octets(address).map { wanted in certificate.ips.contains { octets($0) == wanted } } ?? false
        case .email(let address): return certificate.emails.contains { $0.utf8.elementsEqual(address.utf8) }
        }
    }

    /// One address has many spellings.
    static func octets(_ address: String) -> [UInt8]? {
        var (four, sixteen) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, address, &four) == 1 { return withUnsafeBytes(of: four) { Array($0) } }
        if inet_pton(AF_INET6, address, &sixteen) == 1 { return withUnsafeBytes(of: sixteen) { Array($0) } }
        return nil
    }

    /// `x5c` holds base64, not base64url (RFC 7517, 4.7).
    static func lists(_ certificate: ClientCertificate, _ jwks: JSONValue) -> Bool {
        (jwks["keys"]?.array ?? jwks.array ?? []).contains { key in
            guard let text = key["x5c"]?.array?.first?.string, let der = Data(base64Encoded: text) else { return false }
            return Base64URL.encode(Digest.sha256(der)) == certificate.thumbprint
        }
    }
}
