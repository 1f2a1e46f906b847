import Base
import Database
import Foundation

extension WebClientStore {
    /// What a client that got another secret is told, this once.
    public struct Rotated: Sendable {
        public let client: WebClient
        public let secret: String
    }

    /// Gives the client a new secret. That of now is refused from then on, or taken beside the new one until
    /// `keepingOld`; one that was before it is refused at once, so that there are never three. `nil` for a client that
    /// has none to replace. What was issued lives on: whoever fears for it revokes the client's node.
    public func rotateSecret(
        of current: WebClient, keepingOld until: Date? = nil, in transaction: any SQLExecutor
    ) async throws -> Rotated? {
        let secret = randomness.secretText()
        let rows = try await transaction.query(
            """
            update client set secret = \(Digest.sha256(secret)), old_secret_until = \(until),
                old_secret = case when \(until)::timestamptz is null then null else secret end
            where id = \(current.id) and secret is not null
            returning \(WebClient.columns)
            """)
        guard let row = rows.first else { return nil }
        return Rotated(client: try WebClient(row), secret: secret)
    }
}
