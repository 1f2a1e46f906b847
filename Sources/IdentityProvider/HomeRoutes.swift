import Federation
import HTTP
import HTTPTypes
import OAuth
import Pages
import Vocabulary

/// The home page.
enum HomeRoutes {
    /// What people may want to go on to.
    typealias KnownServices = @Sendable () async throws -> [FederationService]

    static func endpoints(
        _ idp: AuthorizationServer, _ services: [ServiceProfile], _ known: @escaping KnownServices
    ) -> [Endpoint] {
        let about = AboutPage(
            issuer: idp.realm.base,
            services: services.map { .init(name: $0.name, base: $0.base, protocols: $0.protocols) })
        let builtIn = services.map { HomePage.Service(name: $0.name, base: $0.base) }, ids = Set(services.map(\.id))
        return [
            Endpoint(.get, "/", "Home page") { request, _ in
                // People may log in whether the list can be read or not.
                let others = (try? await known()) ?? []
                let shown = builtIn + others.filter { !ids.contains($0.id) }.map { .init(name: $0.name, base: $0.base) }
                return PageAnswer.html(HomePage(Language(of: request), services: shown).html)
            }.telling(EndpointShape(answer: "Page", answerType: "text/html", security: [], others: [])).named("home"),
            Endpoint(.get, "/about", "For makers of apps and services") { _, _ in PageAnswer.html(about.html) }
                .telling(EndpointShape(answer: "Page", answerType: "text/html", security: [], others: [])).named(
                    "about"),
        ].tagged("browser")
    }
}
