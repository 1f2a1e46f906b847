import HTTPTypes
import Hummingbird
import OAuth
import Vocabulary

/// Protocol paths of a service whose room has not come yet: the token is checked as it will be, and nothing is found there.
public struct GuardedPath: Sendable {
    let path: String
    let scope: String

    public init(_ path: String, scope: String) { (self.path, self.scope) = (path, scope) }

    func endpoints(_ service: ServiceRole, root: String) -> [Endpoint] {
        let base = String(service.realm.base.dropFirst(root.count)) + path
        return [HTTPRequest.Method.get, .post, .put, .delete].flatMap { method in
            [base, base + "/**"].map { path in
                Endpoint(method, path, "\(service.profile.name): wants scope \(scope)") { request, context in
                    _ = try await service.require(scope: scope, request.presented(root, context))
                    throw OAuthError(.notFound, "there is nothing of that name")
                }
            }
        }
    }
}
