import Database
import Federation
import Foundation
import HTTP
import OAuth
import Registration

extension HostedService {
    /// The IdP: `logins` are the methods by which its people log in besides the password, `services` what its home page
    /// names; `mail` sends what people are told.
    public static func identityProvider(
        _ idp: AuthorizationServer, logins: [LoginMethod], registrations: RegisterClient, crawler: CrawlHealth?,
        services: [ServiceProfile],
        database: Database, mail: MailWorker? = nil
    ) -> HostedService {
        let web = idp.web
        var endpoints = MetadataRoutes.endpoints(idp) + TokenRoutes.endpoints(idp) + PeopleRoutes.endpoints(idp)
        endpoints += DiscoveryRoutes.endpoints(idp)
        endpoints += AuthorizeRoutes.endpoints(idp, logins) + AccountRoutes.endpoints(idp, logins)
        endpoints += DeviceRoutes.endpoints(idp) + logins.flatMap { $0.pages(web) }
        endpoints +=
            FederationRoutes.endpoints(idp.discovery, database) + OpenIDFederationRoutes.endpoints(idp.federation)
        if let crawler { endpoints += CrawlHealthRoutes.endpoints(idp, crawler) }
        endpoints += ClientRoutes.endpoints(registrations, base: idp.realm.base) + HomeRoutes.endpoints(idp, services)
        return HostedService(
            "idp", endpoints: endpoints, schemas: OpenAPISchema.appLogin(logins.map(\.apps)),
            workers: mail.map { mail in [Worker(name: "mail") { await mail.run() }] } ?? [],
            housekeeping: { try await web.forget() })
    }
}
