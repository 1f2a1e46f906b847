import Foundation

/// Certificates in PEM (RFC 7468, 5): any width of line, and any text around them, as tools and proxies write it.
public enum CertificatePEM {
    private static let begin = "-----BEGIN CERTIFICATE-----", end = "-----END CERTIFICATE-----"

    /// The DER of each; `nil` when one has no end or is not base64. Other kinds of PEM are passed over.
    public static func read(_ text: some StringProtocol) -> [[UInt8]]? {
        var found: [[UInt8]] = [], rest = Substring(text)
        while let start = rest.range(of: begin) {
            guard let stop = rest[start.upperBound...].range(of: end),
                let der = base64(rest[start.upperBound..<stop.lowerBound])
            else { return nil }
            found.append(der)
            rest = rest[stop.upperBound...]
        }
        return found
    }

    /// Base64 with padding (RFC 4648, 4), white space passed over; `nil` for anything else, and for nothing.
    public static func base64(_ text: some StringProtocol) -> [UInt8]? {
        Data(base64Encoded: String(text.filter { !$0.isWhitespace })).flatMap { $0.isEmpty ? nil : Array($0) }
    }
}
