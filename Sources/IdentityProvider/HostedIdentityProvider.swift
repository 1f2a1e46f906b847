import Database
import Federation
import Foundation
import HTTP
import OAuth
import Registration

extension HostedService {
    /// The IdP: `logins` are the methods by which its people log in besides the password, `services` what its home page
    /// names, `purges` what housekeeping forgets besides.
    public static func identityProvider(
        _ idp: AuthorizationServer, logins: [LoginMethod], registrations: RegisterClient, crawler: CrawlHealth?,
        services: [ServiceProfile],
        database: Database, polls: EventPolls, purges: [@Sendable () async throws -> Void] = []
    ) -> HostedService {
        let web = idp.web
        var endpoints = MetadataRoutes.endpoints(idp) + TokenRoutes.endpoints(idp) + PeopleRoutes.endpoints(idp)
        endpoints += DiscoveryRoutes.endpoints(idp) + EventRoutes.endpoints(idp, polls)
        endpoints += AuthorizeRoutes.endpoints(idp, logins) + AccountRoutes.endpoints(idp, logins)
        endpoints += DeviceRoutes.endpoints(idp) + logins.flatMap { $0.pages(web) }
        endpoints +=
            FederationRoutes.endpoints(idp.discovery, database) + OpenIDFederationRoutes.endpoints(idp.federation)
        if let crawler { endpoints += CrawlHealthRoutes.endpoints(idp, crawler) }
        endpoints += ClientRoutes.endpoints(registrations, base: idp.realm.base) + HomeRoutes.endpoints(idp, services)
        return HostedService(
            "idp", endpoints: endpoints, schemas: OpenAPISchema.appLogin(logins.map(\.apps)) + EventRoutes.schemas,
            workers: [Worker(name: "event polls") { await polls.run() }],
            housekeeping: {
                try await web.forget()
                for purge in purges { try await purge() }
            })
    }
}
