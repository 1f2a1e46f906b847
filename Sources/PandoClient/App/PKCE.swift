/// A code verifier and its challenge (RFC 7636, S256).
public struct PKCE: Sendable, Redacted {
    public let verifier: String

    public init() { verifier = Identifiers.random(bytes: 32) }

    public var challenge: String { Identifiers.sha256(verifier) }
    public var description: String { "PKCE \(challenge)" }
}
