/// What people want to see of a list on a terminal, the most wanted first; `-o wide` shows all.
extension AccountsCommand.List {
    static var columns: [String] { ["username", "name", "email", "status", "institution", "created_at"] }
}

extension AppsCommand.List {
    static var columns: [String] { ["id", "name", "status", "institution", "created_at"] }
}

extension AppsCommand.Versions.List {
    static var columns: [String] { ["version", "status", "kid", "created_at"] }
}

extension InstancesCommand.List {
    static var columns: [String] { ["id", "account", "app", "version", "status", "last_seen", "name"] }
}

extension ServicesCommand.List {
    static var columns: [String] { ["id", "name", "status", "base", "hears", "institution", "created_at"] }
}

extension ClientsCommand.List {
    static var columns: [String] { ["client_id", "client_name", "grant_types", "scope", "token_endpoint_auth_method"] }
}

extension KeysCommand.List {
    static var columns: [String] { ["kid", "alg", "status", "created_at", "not_before", "revoked_at"] }
}

extension AuditCommand.List {
    static var columns: [String] { ["at", "actor", "action", "outcome", "node", "account", "reason", "from"] }
}

extension EventsCommand.Status {
    static var columns: [String] { ["service", "lag_s", "dead", "failures", "hears", "next_try", "last_error"] }
}

extension EventsDeadCommand.List {
    static var columns: [String] { ["seq", "event", "error", "given_up_at", "jti"] }
}
