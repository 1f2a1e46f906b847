import Keys

/// What a request shows of its sender: everything that authentication and proofs look at, and nothing else of HTTP.
public struct PresentedRequest: Sendable {
    public let method: String
    /// The public URL without query and fragment, made of the role's base URL, never of the Host header.
    public let url: String
    public let authorization: String?
    /// `Authorization` by scheme, any case: (lower-cased scheme, rest). `nil` when absent or without a value.
    public let credentials: (scheme: String, value: String)?
    /// Values of the `DPoP` header; more than one is refused (RFC 9449, 4.3).
    public let proofs: [String]
    /// Address of the peer, for the audit trail.
    public let origin: String?
    /// What the other side showed in TLS, here or at a trusted proxy in front.
    public let certificate: ClientCertificate?

    public init(
        method: String, url: String, authorization: String?, proofs: [String], origin: String?,
        certificate: ClientCertificate? = nil
    ) {
        (self.method, self.url, self.authorization, self.proofs) = (method, url, authorization, proofs)
        (self.origin, self.certificate) = (origin, certificate)
        credentials = authorization.flatMap(PresentedRequest.credentials)
    }

    public static func credentials(_ header: String) -> (scheme: String, value: String)? {
        let letters = header.utf8, blank = UInt8(ascii: " ")
        guard let start = letters.firstIndex(where: { $0 != blank }),
            let end = letters[start...].firstIndex(of: blank),
            let value = letters[end...].firstIndex(where: { $0 != blank })
        else { return nil }
        return (header[start..<end].lowercased(), String(header[value...]))
    }
}
