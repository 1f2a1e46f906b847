import Base
import HTTP
import HTTPTypes
import Hummingbird
import OAuth
import Vocabulary

/// Where tokens are made, looked at and ended.
enum TokenRoutes {
    static func endpoints(_ idp: AuthorizationServer) -> [Endpoint] {
        let base = idp.realm.base
        let shared = OAuthRoutes(
            root: base, tokens: idp.tokens, callers: idp.parties, introspection: idp.introspection,
            revocation: idp.revocation, origins: idp.origins)
        return shared.endpoints + [
            Endpoint(.post, "/authorize/challenge", "Login of an app without a browser (first-party apps)") {
                request, context in
                let parameters = try await BodyReading.parameters(request)
                let presented = request.presented(base, context)
                let holder = try await idp.check.require([.instanceToken], presented)
                let wait = WatchedAnswer.preferredWait(request.headers[values: .prefer]) ?? 0
                return Answer.json(
                    try await idp.challenge.respond(holder, parameters, origin: presented.origin, wait: wait))
            }.telling(.appLogin),
            Endpoint(.post, "/authorization", "A service assertion: one service, one use") { request, context in
                let parameters = try await BodyReading.parameters(request)
                let holder = try await idp.person(request.presented(base, context))
                return Answer.json(try await authorization(idp, holder, parameters))
            },
            Endpoint(.post, "/token/validate", "eduID's look at an assertion, for the service it was made for") {
                request, context in
                let parameters = try await BodyReading.parameters(request)
                let party = try await idp.parties.require(request.presented(base, context), parameters)
                return Answer.json(
                    try await idp.introspection.validate(jti: try parameters.required("jti"), for: party))
            },
        ]
    }

    /// api.md, `POST /authorization`. The body's `client_id` may only repeat what the token says.
    private static func authorization(
        _ idp: AuthorizationServer, _ holder: AuthenticatedToken, _ parameters: Vocabulary.OAuthParameters
    ) async throws -> JSONValue {
        let type = if let named = try parameters["response_type"] { named } else { try parameters["request_type"] }
        guard type == "code" else {
            throw OAuthError(type == nil ? .invalidRequest : .unsupportedResponseType, "response_type must be code")
        }
        guard try parameters["client_id"] == nil || parameters["client_id"] == holder.token.body.client else {
            throw OAuthError(.invalidRequest, "client_id is not the instance whose token is shown")
        }
        let target =
            if let resource = try parameters["resource"] { resource } else { try parameters.required("redirect_uri") }
        let granted = try await idp.assertions.issue(holder.token, for: target)
        var answer: JSONObject = ["code": .string(granted.assertion), "redirect_uri": .string(granted.tokenEndpoint)]
        if let state = try parameters["state"] { answer["state"] = .string(state) }
        return .object(answer)
    }
}
