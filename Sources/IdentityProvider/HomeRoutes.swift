import HTTP
import HTTPTypes
import OAuth
import Pages
import Vocabulary

/// The home page.
enum HomeRoutes {
    static func endpoints(_ idp: AuthorizationServer, _ services: [ServiceProfile]) -> [Endpoint] {
        let home = HomePage(
            issuer: idp.realm.base,
            services: services.map { .init(name: $0.name, base: $0.base, protocols: $0.protocols) })
        return [
            Endpoint(.get, "/", "Home page") { _, _ in PageAnswer.html(home.html) }
                .telling(EndpointShape(answer: "Page", answerType: "text/html", security: [], others: [])).named("home")
        ].tagged("browser")
    }
}
