import Administration
import HTTP
import OAuth
import TokenTree

/// What endpoints of the administration work with.
struct ConsoleContext: Sendable {
    /// A session for whoever asks, with what they may do.
    typealias Open = @Sendable (AuditActor, AdminAuthority) -> AdminSession

    let catalog: AdminCatalog
    let idp: AuthorizationServer
    let open: Open

    var web: WebSide { idp.web }
}
