import Database
import Vocabulary

/// The scope of tokens that may administer. Nobody gets it by registering: the operator gives it to a client on the
/// command line.
public enum AdminScope {
    public static let name = "admin"
    /// Those that no registration gives.
    static let reserved: Set<String> = [name, ProvisioningScope.name]
}

extension WebClientStore {
    /// Whether a client may administer now: made by the operator, able to authenticate, and registered for the scope
    /// and for `client_credentials`.
    public static func administers(_ id: String, in executor: any SQLExecutor) async throws -> Bool {
        let rows = try await executor.query(
            """
            select id from client where id = \(id) and registration_token is null and auth_method <> 'none'
                and \(GrantType.clientCredentials.rawValue) = any (grant_types)
                    and \(AdminScope.name) = any (string_to_array(scope, ' '))
            """)
        return !rows.isEmpty
    }
}
