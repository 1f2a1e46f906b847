import HTTPTypes
import Base
import Database
import Hummingbird
import OAuth
import Pages
import Vocabulary

/// Health, the printed description, the home page, and the locked door of the admin API.
enum OperationsRoutes {
    static func endpoints(_ idp: IdentityProvider?, database: Database, services: [ServiceRole]) -> [Endpoint] {
        var endpoints = [
            Endpoint(.get, "/healthz", "The process lives") { _, _ in Answer.json(["status": "ok"]) },
            Endpoint(.get, "/readyz", "The process can serve: its database answers") { _, _ in
                _ = try await database.query("select 1 as one")
                return Answer.json(["status": "ok"])
            },
            Endpoint(.get, "/assets/pando.css", "Style of all pages") { _, _ in
                Answer.text(Stylesheet.text, type: "text/css; charset=utf-8", headers: [.cacheControl: "public, max-age=3600"])
            },
            Endpoint(.get, "/assets/watch.js", "Script of pages that wait") { _, _ in
                Answer.text(WatchScript.text, type: "text/javascript; charset=utf-8", headers: [.cacheControl: "public, max-age=3600"])
            },
            Endpoint(.get, "/assets/passkey.js", "Script of pages that ask for a passkey") { _, _ in
                Answer.text(PasskeyScript.text, type: "text/javascript; charset=utf-8", headers: [.cacheControl: "public, max-age=3600"])
            },
        ]
        guard let idp else { return endpoints }
        endpoints += [
            Endpoint(.get, "/", "Home page") { _, _ in
                PageAnswer.html(HomePage(issuer: idp.realm.base, services: services.map { .init(name: $0.profile.name, base: $0.profile.base, protocols: $0.profile.scopes) }).html)
            },
        ]
        for method in [HTTPRequest.Method.get, .post, .put, .patch, .delete] {
            endpoints.append(Endpoint(method, "/admin/api/v1/**", "Administration; until the console comes, by `pando admin`") { request, context in
                _ = try await idp.person(request.presented(idp.realm.base, context))
                throw OAuthError(.insufficientScope, "this token has no admin role")
            })
        }
        return endpoints
    }
}
