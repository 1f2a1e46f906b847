import Foundation
import Keys
import PKIX

/// A certificate as a proxy writes it into a header: RFC 9440, 2.1 (`:base64:`), or what proxies did before it.
///
/// | writer | value |
/// |---|---|
/// | RFC 9440, Caddy, Envoy by hand | `:MIIC…:` |
/// | nginx `$ssl_client_escaped_cert`, AWS | PEM, percent-encoded |
/// | Apache `SSL_CLIENT_CERT` | PEM with spaces for line breaks |
/// | HAProxy `ssl_c_der,base64`, Traefik `passTLSClientCert` | the base64 alone, percent-encoded or not; a chain with commas between |
///
/// Of a chain the first certificate is the client's.
enum CertificateHeader {
    /// The DER; `nil` for what is none of these.
    static func der(_ value: String) -> [UInt8]? {
        let text = value.trimmingCharacters(in: .whitespaces)
        if text.hasPrefix(":") {
            return text.count > 2 && text.hasSuffix(":") ? CertificatePEM.base64(text.dropFirst().dropLast()) : nil
        }
        // A plus sign is one: it is a digit of base64, and forms do not come in headers.
        guard let plain = text.contains("%") ? text.removingPercentEncoding : text else { return nil }
        if plain.contains("-----") { return CertificatePEM.read(plain)?.first }
        return plain.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false).first.flatMap {
            CertificatePEM.base64($0)
        }
    }
}
