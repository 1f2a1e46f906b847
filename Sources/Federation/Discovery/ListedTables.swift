import Database

/// Where the services stand that a process publishes: in its own index, or in its copy of another server's list
/// (`IndexCopy`).
public enum ListedTables: Sendable {
    case index, copy

    /// What is read as `service`.
    var services: SQL {
        switch self {
        case .index: "service"
        case .copy:
            """
            (select c.id, c.name, c.base, c.status, c.base || '/token' as token_endpoint, c.changed_at,
                c.changed_at as created_at, c.changed_at as listed_at from copied_service c)
            """
        }
    }

    /// What is read as `service_document`.
    var documents: SQL {
        switch self {
        case .index: "service_document"
        case .copy:
            """
            (select c.id as service, c.state, c.protocols, c.offered, c.protocol_set, c.document_text, c.warnings,
                c.last_ok from copied_service c)
            """
        }
    }
}
