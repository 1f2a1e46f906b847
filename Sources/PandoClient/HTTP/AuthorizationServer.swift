import Foundation

/// Metadata that name another issuer than the one that was asked (RFC 8414, 3.3).
public struct AnotherIssuer: Error, Sendable, CustomStringConvertible {
    public let asked: String
    public let says: String

    public var description: String { "the server at \(asked) is called \(says)" }
}

/// An issuer, and where its endpoints are (RFC 8414).
public struct AuthorizationServer: Sendable {
    public let issuer: String
    public let metadata: [String: JSON]
    public let transport: Transport
    let now: @Sendable () -> Date

    /// Reads the metadata of `issuer`.
    /// - Throws: `AnotherIssuer`.
    public static func discover(
        _ issuer: String, transport: Transport, now: @escaping @Sendable () -> Date = { Date() }
    ) async throws -> AuthorizationServer {
        let url = issuer + "/.well-known/oauth-authorization-server"
        let metadata = try await transport.send(.get(url)).json()
        let says = try metadata.text("issuer")
        guard says == issuer else { throw AnotherIssuer(asked: issuer, says: says) }
        return AuthorizationServer(issuer: issuer, metadata: metadata.object ?? [:], transport: transport, now: now)
    }

    /// The URL of a member such as `token_endpoint`.
    /// - Throws: `UnexpectedAnswer` where the server does not say it.
    public func endpoint(_ member: String) throws -> String { try JSON.object(metadata).text(member) }

    /// Whoever shows `key` to this server and to services.
    public func holder(of key: SigningKey) -> KeyHolder { KeyHolder(key: key, transport: transport, now: now) }
}
