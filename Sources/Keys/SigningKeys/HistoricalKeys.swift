import Base
import Database
import Foundation

extension SigningKeys {
    /// Public keys that signed once and are published no more, newest first, each with `iat`, `exp` and, where it was
    /// revoked, `revoked` (OpenID Federation 1.0, 8.7.2). For checking what was signed in their time; nothing here is
    /// trusted now.
    public nonisolated func historical(_ executor: any SQLExecutor) async throws(DatabaseError) -> [JSONValue] {
        let rows = try await executor.query(
            """
            select kid, public, status, created_at, coalesce(retire_at, created_at) as ended from signing_key
            where status in ('retired', 'revoked') order by created_at desc, kid
            """)
        var keys: [JSONValue] = []
        for row in rows {
            let document: JSONValue = try row("public"), kid: String = try row("kid"),
                status: SigningKeyRow.Status = try row("status")
            let made: Date = try row("created_at"), ended: Date = try row("ended")
            var key = document.object ?? [:]
            key["kid"] = .string(kid)
            key["iat"] = .integer(made.numericDate)
            key["exp"] = .integer(ended.numericDate)
            if status == .revoked {
                key["revoked"] = ["revoked_at": .integer(ended.numericDate), "reason": "compromised"]
            }
            keys.append(.object(key))
        }
        return keys
    }
}
