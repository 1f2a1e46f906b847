import Base
import Vocabulary

extension DeviceAuthorization {
    /// What a device asks for, as the row keeps it: a scope, a resource (RFC 8707), and how old the person's login may
    /// be (`max_age` of OpenID Connect Core, 3.1.2.1), so that what was refused for an old login (RFC 9470) can be had
    /// by a new one.
    struct Wanted: Sendable {
        let scope: Scope
        let resource: OwnResource?
        let maxAge: Int?

        init(_ parameters: OAuthParameters, _ scope: Scope, at issuer: String) throws {
            let resources = try parameters.resources, own = resources.map { OwnResource.named($0, at: issuer) }
            let isIssuer = resources.allSatisfy { WebAddress($0)?.description == WebAddress(issuer)?.description }
            guard isIssuer || own.count == 1 && own[0] != nil else {
                throw OAuthError(
                    .invalidTarget, "what a device gets is for this server alone, not for a service", status: 400)
            }
            maxAge = try parameters["max_age"].map { text in
                guard let seconds = Int(text), seconds >= 0 else {
                    throw OAuthError(.invalidRequest, "max_age is a number of seconds")
                }
                return seconds
            }
            (self.scope, resource) = (scope, own.first ?? nil)
        }

        init(_ json: JSONValue) {
            scope = Scope(json["scope"]?.string ?? "") ?? Scope(names: [])
            resource = json["resource"]?.string.flatMap(OwnResource.init)
            maxAge = json["max_age"]?.integer
        }

        var json: JSONValue {
            var members: JSONObject = ["scope": .string(scope.description)]
            if let resource { members["resource"] = .string(resource.rawValue) }
            if let maxAge { members["max_age"] = .integer(maxAge) }
            return .object(members)
        }
    }
}
