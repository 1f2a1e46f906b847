import Database
import Vocabulary

/// Scopes of tokens that may administer. Nobody gets one by registering: the operator gives it to a client on the
/// command line.
public enum AdminScope {
    /// Looks and changes.
    public static let name = "admin"
    /// Looks, and changes nothing.
    public static let read = "admin.read"
    /// Provisions people (RFC 7644).
    public static let provisioning = "scim"

    public static let all = [name, read, provisioning]

    static func isOne(_ scope: String) -> Bool { all.contains(scope) }
}

extension WebClientStore {
    /// Whether a client may administer now: made by the operator, able to authenticate, and registered for the scope
    /// and for `client_credentials`.
    public static func administers(
        _ id: String, scope: String = AdminScope.name, in executor: any SQLExecutor
    ) async throws -> Bool {
        let rows = try await executor.query(
            """
            select id from client where id = \(id) and registration_token is null and auth_method <> 'none'
                and \(GrantType.clientCredentials.rawValue) = any (grant_types)
                    and \(scope) = any (string_to_array(scope, ' '))
            """)
        return !rows.isEmpty
    }
}
