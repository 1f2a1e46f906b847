import Base
import HTTP
import Hummingbird
import OAuth

/// `GET BASE/greeting`: a sentence for the person whose app token is shown.
enum GreetingRoutes {
    /// The protocol that the service offers, and the scope that reaches it.
    static let scope = "org.example.greeting"

    static func endpoints(_ role: ServiceRole, root: String) -> [Endpoint] {
        let path = String(role.realm.base.dropFirst(root.count)) + "/greeting"
        return [
            Endpoint(.get, path, "Greeting: a sentence for the token's person") { request, context in
                let shown = try await role.require(scope: scope, request.presented(root, context))
                let name = shown.token.body.claims.released["name"]?.string ?? "stranger"
                return Answer.json(["greeting": .string("Hello, \(name)!")])
            }.telling(EndpointShape(answer: "Greeting", about: "With a token of scope `\(scope)`."))
        ]
    }

    /// What `/openapi.yaml` tells of the answer: a member that is always there.
    static let schemas = [OpenAPISchema("Greeting", "greeting!")]
}
