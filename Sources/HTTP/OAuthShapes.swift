import Vocabulary

/// What `/openapi.yaml` tells of the endpoints that IdP and services share (`OAuthRoutes`, `ServiceRoutes`).
extension EndpointShape {
    /// A proof that goes with what is asked (RFC 9449, 4.1).
    public static let proof = "DPoP"
    public static let proofMeaning = "A proof of the key, a JWT of typ `dpop+jwt` for this request (RFC 9449, 4.2)."

    static func token(isService: Bool) -> EndpointShape {
        EndpointShape(
            headers: [proof], body: isService ? "ServiceTokenRequest" : "TokenRequest", answer: "TokenResponse",
            about: isService ? serviceGrants : grants, meanings: [proof: proofMeaning],
            bodyTypes: oauthTypes, isBodyNeeded: true, answerHeaders: nonce,
            security: isService ? [[], [.dpop], [.bearer]] : [[.client], [.dpop], [.bearer], []], errors: [429])
    }

    private static let grants = """
        Which parameters there are depends on `grant_type`. A client authenticates by HTTP Basic, by `client_secret` \
        in the body or by `client_assertion`, whichever it is registered with, and a public one names its `client_id`. \
        Where DPoP is used the answer's tokens are bound to the key of the proof. Errors are those of RFC 6749, 5.2; \
        `use_dpop_nonce` asks for the same proof with the nonce of the header DPoP-Nonce.
        """
    private static let serviceGrants = """
        Which parameters there are depends on `grant_type`: an assertion of the IdP becomes this service's own tokens, \
        a refresh token the next pair, and a code that the instance's key signed a token for a third-party app.
        """
    private static let nonce = ["DPoP-Nonce": "For the next proof, where one came with this request (RFC 9449, 8.2)"]

    static func introspection(isService: Bool) -> EndpointShape {
        EndpointShape(
            headers: [proof], body: "IntrospectionRequest", answer: "IntrospectionResponse",
            about: """
                A token that is unknown, expired, revoked or none of who asks is told alike: `{"active":false}`. With \
                `Accept: application/token-introspection+jwt` the answer is a signed JWT with the same members in \
                `token_introspection` (RFC 9701).
                """,
            meanings: [proof: proofMeaning], bodyTypes: oauthTypes, isBodyNeeded: true,
            otherTypes: ["application/token-introspection+jwt": "SignedAnswer"],
            security: isService ? [[.dpop], [.bearer]] : [[.client], [.dpop], [.bearer], []])
    }

    static func revocation(isService: Bool) -> EndpointShape {
        EndpointShape(
            headers: [proof], body: "RevocationRequest",
            about: """
                What is named ends, with everything below it. Of tokens that are unknown, or none of who asks, nothing \
                is told: the answer is the same.
                """,
            meanings: [proof: proofMeaning], bodyTypes: oauthTypes, isBodyNeeded: true,
            security: isService ? [[.dpop], [.bearer]] : [[.client], [.dpop], [.bearer], []])
    }

    // MARK: Services

    static let serviceHome = EndpointShape(
        answer: "RSDDocument", about: "Its `Link` header leads to the RSD2 document as well.",
        otherTypes: ["text/html": OpenAPISchema.page.name], answerHeaders: ["Link": "Where its RSD2 document is"],
        security: [], others: [])

    static let rsd = EndpointShape(
        answer: "RSDDocument", about: "XML for who accepts it.", answerType: "application/x-rsd+json",
        otherTypes: ["application/x-rsd+xml": "RSDText"], security: [], others: [])

    static let serviceEvents = EndpointShape(
        body: "SecurityEventToken", status: 202, about: "For the identity provider; its signature lets it in.",
        bodyType: "application/secevent+jwt", isBodyNeeded: true, security: [],
        others: [
            OtherAnswer("400", "The token cannot be taken: RFC 8935, 2.4", "EventRefusal"),
            OtherAnswer("503", "Not now: send it again", "EventRefusal"), .oauthError(413),
        ])

    static let services = EndpointShape(
        answer: "ServiceList", answerType: "text/plain", security: [], others: [])

    // MARK: The server itself

    static let health = EndpointShape(answer: "Health", security: [], others: [])
    static let readiness = EndpointShape(answer: "Health", security: [], others: [.oauthError(503)])
    static let description = EndpointShape(
        answer: "Description", answerType: "application/yaml", security: [], others: [])

    static let securityTxt = EndpointShape(
        answer: "SecurityTxt", answerType: "text/plain", security: [], others: [])

    static func asset(_ type: String) -> EndpointShape {
        EndpointShape(answer: "Asset", answerType: type, security: [], others: [])
    }
}
