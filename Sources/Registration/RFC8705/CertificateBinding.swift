import Vocabulary

/// Binding of access tokens to client certificates (RFC 8705, 3).
public enum CertificateBinding {
    /// Of `cnf`.
    public static let member = "x5t#S256"

    /// The thumbprint of what the tokens of this request are bound to; `nil` where the client did not ask for it at its
    /// registration (3.4).
    ///
    /// A client that asked gets no unbound token instead: whoever took its secret would get one too.
    public static func of(_ client: WebClient, _ request: PresentedRequest) throws(OAuthError) -> String? {
        guard client.metadata.isCertificateBound else { return nil }
        guard let certificate = request.certificate else {
            throw OAuthError(.invalidRequest, "this client's tokens are bound to its certificate: come over mutual TLS")
        }
        return certificate.thumbprint
    }
}
