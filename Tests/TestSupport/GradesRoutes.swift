import HTTP
import HTTPTypes
import Hummingbird
import OAuth
import Registration
import Vocabulary

/// What the test server's own service has besides the attributes viewer: a path that wants another scope, where nothing
/// is found.
enum GradesRoutes {
    static func endpoints(_ service: ServiceRole, scope: String, root: String) -> [Endpoint] {
        let base = String(service.realm.base.dropFirst(root.count)) + "/grades"
        return [base, base + "/**"].map { path in
            Endpoint(.get, path, "\(service.profile.name): wants scope \(scope)") { request, context in
                let proofs = HTTPField.Name("DPoP").map { request.headers[values: $0] } ?? []
                let presented = PresentedRequest(
                    method: request.method.rawValue, url: root + request.uri.path,
                    authorization: request.headers[.authorization], proofs: proofs, origin: context.peer)
                _ = try await service.require(scope: scope, presented)
                throw OAuthError(.notFound, "there is nothing of that name")
            }.telling(EndpointShape(status: nil, errors: [404]))
        }
    }
}
