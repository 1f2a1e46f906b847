import Database
import Federation
import Foundation
import HTTP
import OAuth
import Registration

extension HostedService {
    /// The IdP: `logins` are the methods by which its people log in besides the password, `services` what its home page
    /// names, `purges` what housekeeping forgets besides; `mail` sends what people are told.
    public static func identityProvider(
        _ idp: AuthorizationServer, logins: [LoginMethod], data: PersonalData,
        registrations: RegisterClient, crawler: CrawlHealth?,
        services: [ServiceProfile],
        database: Database, polls: EventPolls, signals: StreamPolls,
        purges: [@Sendable () async throws -> Void] = [], mail: MailWorker? = nil
    ) -> HostedService {
        let web = idp.web
        var endpoints = MetadataRoutes.endpoints(idp) + TokenRoutes.endpoints(idp) + PeopleRoutes.endpoints(idp)
        endpoints += IndexRoutes.endpoints(idp, database) + OwnServiceRoutes.endpoints(idp)
        endpoints += EventRoutes.endpoints(idp, polls)
        let houses = Set(services.map(\.id))
        endpoints += AuthorizeRoutes.endpoints(idp, logins) + AccountRoutes.endpoints(idp, logins, houses)
        endpoints += AccountTreeRoutes.endpoints(idp, houses) + AccountActivityRoutes.endpoints(web, houses)
        endpoints += DataRoutes.endpoints(idp, data)
        endpoints += DeviceRoutes.endpoints(idp) + logins.flatMap { $0.pages(web) }
        endpoints += OpenIDFederationRoutes.endpoints(idp)
        endpoints += CrawlRequestRoutes.endpoints(idp, database)
        endpoints += SharedSignalsRoutes.endpoints(idp, signals.streams, signals)
        if let crawler { endpoints += CrawlHealthRoutes.endpoints(idp, crawler) }
        endpoints += ClientRoutes.endpoints(registrations, base: idp.realm.base) + HomeRoutes.endpoints(idp, services)
        return HostedService(
            "idp", endpoints: endpoints,
            schemas: OpenAPISchema.appLogin(logins.map(\.apps)) + OpenAPISchema.accountTree
                + OpenAPISchema.ownService + EventRoutes.schemas + SharedSignalsSchemas.all,
            workers: [Worker(name: "event polls") { await polls.run() }]
                + (mail.map { mail in [Worker(name: "mail") { await mail.run() }] } ?? []),
            housekeeping: {
                try await web.forget()
                for purge in purges { try await purge() }
            })
    }
}
