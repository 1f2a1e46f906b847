import Administration
import Base
import HTTP
import HTTPTypes
import OAuth
import TokenTree

extension HostedService {
    /// The administration API and the console. `answers` seals what is answered again (`IdempotencyKeys`), and outlives
    /// a change of the master key.
    public static func console(
        _ catalog: AdminCatalog, _ idp: AuthorizationServer, answers: MasterKey,
        session: @escaping @Sendable (AuditActor, AdminAuthority) -> AdminSession
    ) -> HostedService {
        let context = ConsoleContext(catalog, idp, keys: IdempotencyKeys(key: answers), open: session)
        return HostedService(
            "console", endpoints: context.endpoints, schemas: context.schemas, housekeeping: context.tidy)
    }
}

extension ConsoleContext {
    var endpoints: [Endpoint] { apiEndpoints + pageEndpoints + explorerEndpoints + scimEndpoints }

    var schemas: [OpenAPISchema] { catalog.schemas + OpenAPISchema.scim + [.auditLines] }

    /// Rows that nobody waits for any more.
    @Sendable func tidy() async throws { try await keys.forget(at: clock.now(), in: database) }
}
