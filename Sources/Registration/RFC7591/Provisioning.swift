import Database
import Vocabulary

extension WebClientStore {
    /// Where a client may provision people now, as `administers` has it: `institution` is `nil` for all of the
    /// federation. `nil`: nowhere.
    public static func provisioning(
        _ id: String, in executor: any SQLExecutor
    ) async throws -> (institution: String?, id: String)? {
        try await executor.query(
            """
            select id, institution from client where id = \(id) and registration_token is null
                and auth_method <> 'none' and \(GrantType.clientCredentials.rawValue) = any (grant_types)
                    and \(AdminScope.provisioning) = any (string_to_array(scope, ' '))
            """
        ).first.map { (institution: try $0("institution"), id: try $0("id")) }
    }
}
