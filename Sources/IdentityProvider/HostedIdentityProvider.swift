import Database
import Federation
import Foundation
import HTTP
import OAuth
import Registration

extension HostedService {
    /// The IdP: `logins` are the methods by which its people log in besides the password, `services` what its home page
    /// names besides `knownServices`, `purges` what housekeeping forgets besides; `mail` sends what people are told.
    public static func identityProvider(
        _ idp: AuthorizationServer, logins: [LoginMethod], data: PersonalData,
        registrations: RegisterClient, crawler: CrawlHealth?,
        services: [ServiceProfile],
        knownServices: @escaping @Sendable () async throws -> [FederationService] = { [] },
        database: Database, polls: EventPolls, signals: StreamPolls,
        purges: [@Sendable () async throws -> Void] = [], mail: MailWorker? = nil
    ) -> HostedService {
        let web = idp.web
        var endpoints = MetadataRoutes.endpoints(idp).tagged("metadata") + TokenRoutes.endpoints(idp).tagged("oauth")
        endpoints += PeopleRoutes.endpoints(idp).tagged("account")
        endpoints += IndexRoutes.endpoints(idp).tagged("discovery")
        endpoints +=
            OwnServiceRoutes.endpoints(idp).tagged("services") + EventRoutes.endpoints(idp, polls).tagged("events")
        let houses = Set(services.map(\.id))
        endpoints += AuthorizeRoutes.endpoints(idp, logins).tagged("oauth")
        endpoints += AccountRoutes.endpoints(idp, logins, houses).tagged("browser")
        endpoints += AccountTreeRoutes.endpoints(idp, houses).tagged("account")
        endpoints += AccountActivityRoutes.endpoints(web, houses).tagged("browser")
        endpoints += DataRoutes.endpoints(idp, data).tagged("account") + DeviceRoutes.endpoints(idp).tagged("oauth")
        endpoints += logins.flatMap { $0.pages(web) }.tagged("browser")
        endpoints += OpenIDFederationRoutes.endpoints(idp).tagged("federation")
        endpoints += CrawlRequestRoutes.endpoints(idp, database).tagged("services")
        endpoints += SharedSignalsRoutes.endpoints(idp, signals.streams, signals).tagged("events")
        if let crawler { endpoints += CrawlHealthRoutes.endpoints(idp, crawler).tagged("administration") }
        endpoints += ClientRoutes.endpoints(registrations, base: idp.realm.base).tagged("registration")
        endpoints += HomeRoutes.endpoints(idp, services, knownServices).tagged("administration")
        return HostedService(
            "idp", endpoints: endpoints,
            schemas: schemas(idp, logins),
            workers: [Worker(name: "event polls") { await polls.run() }]
                + (mail.map { mail in [Worker(name: "mail") { await mail.run() }] } ?? []),
            housekeeping: {
                try await web.forget()
                for purge in purges { try await purge() }
            })
    }

    private static func schemas(_ idp: AuthorizationServer, _ logins: [LoginMethod]) -> [OpenAPISchema] {
        let oauth = OpenAPISchema.tokenRequests(idp.tokens.grantTypes, isService: false) + OpenAPISchema.oauthEndpoints
        let documents = MetadataRoutes.schemas(idp) + [SharedSignalsRoutes.metadataSchema(idp)]
        let own = OpenAPISchema.accountTree + OpenAPISchema.ownData + OpenAPISchema.ownService
        return oauth + OpenAPISchema.registrations + documents + own + OpenAPISchema.federation
            + OpenAPISchema.appLogin(logins.map(\.apps)) + EventRoutes.schemas + SharedSignalsSchemas.all
    }
}
