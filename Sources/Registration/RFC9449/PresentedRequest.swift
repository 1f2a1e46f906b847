/// What a request shows of its sender: everything that authentication and proofs look at, and nothing else of HTTP.
public struct PresentedRequest: Sendable {
    public let method: String
    /// The public URL without query and fragment, made of the role's base URL, never of the Host header.
    public let url: String
    public let authorization: String?
    /// Values of the `DPoP` header; more than one is refused (RFC 9449, 4.3).
    public let proofs: [String]
    /// Address of the peer, for the audit trail.
    public let origin: String?

    public init(method: String, url: String, authorization: String?, proofs: [String], origin: String?) {
        (self.method, self.url, self.authorization, self.proofs, self.origin) = (method, url, authorization, proofs, origin)
    }

    /// `Authorization` by scheme, any case: (lower-cased scheme, rest). `nil` when absent or without a value.
    public var credentials: (scheme: String, value: String)? {
        guard let parts = authorization?.split(separator: " ", maxSplits: 1), parts.count == 2 else { return nil }
        return (parts[0].lowercased(), parts[1].trimmingPrefix(" ").description)
    }
}
