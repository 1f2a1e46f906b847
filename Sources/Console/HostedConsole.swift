import Administration
import HTTP
import OAuth
import TokenTree

extension HostedService {
    /// The administration API and the console.
    public static func console(
        _ catalog: AdminCatalog, _ idp: AuthorizationServer,
        session: @escaping @Sendable (AuditActor, AdminAuthority) -> AdminSession
    ) -> HostedService {
        let context = ConsoleContext(catalog: catalog, idp: idp, open: session)
        return HostedService("console", endpoints: context.endpoints, schemas: OpenAPISchema.scim)
    }
}

extension ConsoleContext {
    var endpoints: [Endpoint] { scimEndpoints }
}
