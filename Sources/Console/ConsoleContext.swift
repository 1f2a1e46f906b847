import Administration
import Base
import Database
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
    let keys: IdempotencyKeys
    let limit = AdminAPILimit()
    let database: Database
    let clock: WallClock

    init(_ catalog: AdminCatalog, _ idp: AuthorizationServer, keys: IdempotencyKeys, open: @escaping Open) {
        (self.catalog, self.idp, self.keys, self.open) = (catalog, idp, keys, open)
        let own = open(AuditActor(name: "server"), .operatorOfDatabase)
        (database, clock) = (own.database, own.clock)
    }

    var web: WebSide { idp.web }
}
