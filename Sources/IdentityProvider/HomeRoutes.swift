import HTTP
import HTTPTypes
import OAuth
import Pages
import Vocabulary

/// The home page, and the locked door of the admin API.
enum HomeRoutes {
    static func endpoints(_ idp: AuthorizationServer, _ services: [ServiceProfile]) -> [Endpoint] {
        let home = HomePage(
            issuer: idp.realm.base,
            services: services.map { .init(name: $0.name, base: $0.base, protocols: $0.protocols) })
        let methods: [HTTPRequest.Method] = [.get, .post, .put, .patch, .delete]
        return [
            Endpoint(.get, "/", "Home page") { _, _ in PageAnswer.html(home.html) }
                .telling(EndpointShape(answer: "Page", answerType: "text/html", security: [], others: [])).named("home")
        ].tagged("browser")
            + methods.map { method in
                Endpoint(method, "/admin/api/v1/**", "Administration; until the console comes, by `pando admin`") {
                    request, context in
                    _ = try await idp.person(request.presented(idp.realm.base, context))
                    throw OAuthError(.insufficientScope, "this token has no admin role")
                }.telling(.administration)
            }
    }
}
