import Base
import HTTP
import HTTPTypes
import Hummingbird
import OAuth
import Vocabulary

/// What a service sees and sets of itself, as its own client (docs/join-the-federation.md, "Which apps you take").
enum OwnServiceRoutes {
    private static let scopes = ["events"]

    static func endpoints(_ idp: AuthorizationServer) -> [Endpoint] {
        let base = idp.realm.base, root = "/services/self"
        return [
            Endpoint(.get, root, "The calling service, as the federation has it") { request, context in
                let service = try await idp.serviceAuthentication.require(
                    request.presented(base, context), nil, scopes: scopes)
                return Answer.json(try await idp.ownService.show(service))
            }.telling(.ownService),
            Endpoint(.get, root + "/policy", "Which third-party apps the calling service takes") { request, context in
                let service = try await idp.serviceAuthentication.require(
                    request.presented(base, context), nil, scopes: scopes)
                return Answer.json(try await idp.ownService.policy(service))
            }.telling(.appPolicy),
            Endpoint(.patch, root + "/policy", "Change which third-party apps it takes") { request, context in
                guard let members = try await BodyReading.json(request).object else {
                    throw OAuthError(.invalidRequest, "the body must be a JSON object")
                }
                let presented = request.presented(base, context)
                let service = try await idp.serviceAuthentication.require(
                    presented, Vocabulary.OAuthParameters(json: members), scopes: scopes)
                return Answer.json(try await idp.ownService.change(service, members, origin: presented.origin))
            }.telling(.appPolicyChange),
        ]
    }
}

extension EndpointShape {
    fileprivate static let ownService = EndpointShape(
        answer: "OwnService",
        about: "For a service that is active or suspended: by its client, or by a token of it with scope `events`.",
        security: .byService, others: [.oauthError])
    fileprivate static let appPolicy = EndpointShape(answer: "AppPolicy", security: .byService, others: [.oauthError])
    fileprivate static let appPolicyChange = EndpointShape(
        body: "AppPolicyChange", answer: "AppPolicy",
        about: """
            Members that are there replace what was. What apps hold at a service in the house that it does not take \
            any more has ended when this answers; a service outside is told of the policy by an event.
            """,
        isBodyNeeded: true, security: .byService, others: [.oauthError])
}

extension OpenAPISchema {
    static let ownService: [OpenAPISchema] = [
        OpenAPISchema(
            "OwnService", "A service of the federation.",
            [
                "id!": "", "base!": "", "name!": "", "status!:=active|suspended": "", "client_id!": "",
                "auth_method!": "", "token_endpoint!": "", "events_endpoint!": "", "claims!:[string]": "",
                "protocols!:[string]": "", "created_at!": "", "policy!:AppPolicy": "",
            ]),
        OpenAPISchema(
            "AppPolicy", "Which third-party apps a service takes.",
            [
                "default!:=open|closed": "Whether it takes apps that are not named.",
                "allow!:[string]": "Bundle ids that it takes.", "deny!:[string]": "Bundle ids that it does not take.",
            ]),
        OpenAPISchema(
            "AppPolicyChange", "At most 1,000 names in a list, and 40,000 bytes in all; none in both lists.",
            [
                "default:=open|closed": "Whether it takes apps that are not named.",
                "allow:[string]": "In place of those before.", "deny:[string]": "In place of those before.",
            ]),
    ].exemplified(by: IdentityProviderExamples.service)
}
