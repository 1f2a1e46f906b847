import Hummingbird
import OAuth
import Vocabulary

/// What the IdP and every service serve alike: token endpoint, introspection, revocation.
public struct OAuthRoutes: Sendable {
    /// The URL of this host's root, and the path below it that the endpoints have.
    let root: String
    let path: String
    /// Stands before the summaries: the service's name.
    let name: String
    let tokens: TokenEndpoint
    let callers: IntrospectionAccess
    let introspection: IntrospectToken
    let revocation: RevokeToken
    let origins: OriginCheck

    public init(
        root: String, path: String = "", name: String = "", tokens: TokenEndpoint, callers: IntrospectionAccess,
        introspection: IntrospectToken,
        revocation: RevokeToken, origins: OriginCheck
    ) {
        (self.root, self.path, self.name, self.tokens) = (root, path, name, tokens)
        (self.callers, self.introspection, self.revocation) = (callers, introspection, revocation)
        self.origins = origins
    }

    public var endpoints: [Endpoint] {
        [
            Endpoint(.post, path + "/token", name + "Token endpoint (RFC 6749, 3.2)") { request, context in
                let parameters = try await BodyReading.parameters(request)
                let answer = try await tokens.respond(request.presented(root, context), parameters)
                return Answer.json(answer.json).sent(by: answer.sending)
            }.telling(.token(isService: isService)).named(operation("token")).ofKnown(issuing: true),
            Endpoint(.post, path + "/introspect", name + "Token introspection (RFC 7662; RFC 9701 on request)") {
                request, context in
                let parameters = try await BodyReading.parameters(request)
                return try await callers.using(request.presented(root, context), parameters) {
                    try await introspect(request, parameters, $0)
                }
            }.telling(.introspection(isService: isService)).named(operation("introspect")).ofKnown(),
            Endpoint(.post, path + "/revoke", name + "Token revocation, cascading (RFC 7009)") { request, context in
                let parameters = try await BodyReading.parameters(request)
                let presented = request.presented(root, context)
                // Public clients too, for tokens of their own (RFC 7009, 2.1).
                try await callers.using(presented, parameters, allowingPublic: true) { caller in
                    let hint = try parameters["token_type_hint"]
                    try await revocation.revoke(try parameters.required("token"), hint: hint, by: caller, presented)
                }
                return Answer.empty(.ok)
            }.telling(.revocation(isService: isService)).named(operation("revoke")),
        ].map { $0.forOrigins(.registered(origins)) }
    }

    /// The IdP's are at its base.
    private var isService: Bool { !path.isEmpty }

    /// `token`, and of a service `tiqrToken`.
    private func operation(_ word: String) -> String {
        guard let service = path.split(separator: "/").last else { return word }
        return service + word.prefix(1).uppercased() + word.dropFirst()
    }

    private func introspect(
        _ request: Request, _ parameters: Vocabulary.OAuthParameters, _ caller: IntrospectionCaller
    ) async throws -> Response {
        let token = try parameters.required("token")
        let signed = "application/token-introspection+jwt"
        guard request.headers[.accept]?.lowercased().contains(signed) == true else {
            return Answer.json(try await introspection.answer(token, for: caller))
        }
        return Answer.text(try await introspection.signedAnswer(token, for: caller), type: signed, store: false)
    }
}
