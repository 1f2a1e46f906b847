import Base
import HTTP
import OAuth

/// What `/openapi.yaml` tells of OAuth's endpoints that the IdP alone has (`TokenRoutes`, `AuthorizeRoutes`,
/// `DeviceRoutes`, `PeopleRoutes`, `ClientRoutes`, `MetadataRoutes`).
extension EndpointShape {
    static let serviceAssertion = EndpointShape(
        headers: [proof], body: "AssertionRequest", answer: "ServiceAssertion",
        about: """
            With a personal access token and its proof. `redirect_uri` or `resource` is the base URL of the service; \
            404 `invalid_target` for one that is unknown or suspended.
            """,
        meanings: [proof: proofMeaning], bodyTypes: oauthTypes, isBodyNeeded: true, errors: [404])

    static let validation = EndpointShape(
        headers: [proof], body: "ValidationRequest", answer: "ValidatedAssertion",
        about: "404 unless that assertion was issued to the service that asks.", meanings: [proof: proofMeaning],
        bodyTypes: oauthTypes, isBodyNeeded: true, security: [[.client], [.bearer], [.dpop], []], errors: [404])

    // MARK: Authorization

    static let authorizationQuery = [
        "client_id", "response_type:=code", "redirect_uri", "scope", "state", "code_challenge",
        "code_challenge_method:=S256", "nonce", "prompt", "max_age", "acr_values", "claims", "login_hint",
        "institution", "id_token_hint", "resource:string/[string]", "dpop_jkt", "response_mode:=query", "request",
        "request_uri",
    ]

    static let pushedRequest = EndpointShape(
        headers: [proof], body: "AuthorizationRequest", answer: "PushedRequest", status: 201,
        about: "RFC 9126, 2.1: the parameters of `/authorize`, with the client's authentication.",
        meanings: [proof: "Binds the code to its key (RFC 9449, 10.1)."], bodyTypes: oauthTypes, isBodyNeeded: true,
        security: [[.client], []], errors: [429])

    static let deviceAuthorization = EndpointShape(
        body: "DeviceAuthorizationRequest", answer: "DeviceAuthorization", about: "RFC 8628, 3.1.",
        bodyType: formType, isBodyNeeded: true, security: [[.client], []], errors: [429])

    // MARK: People

    static let userInfo = EndpointShape(
        headers: [proof], answer: "UserInfo",
        about: """
            With a person's access token of scope `openid`, or a personal access token. A signed JWT for clients that \
            registered `userinfo_signed_response_alg`.
            """,
        meanings: [proof: proofMeaning], otherTypes: ["application/jwt": "SignedAnswer"])

    static let userProfile = EndpointShape(headers: [proof], answer: "Identities", meanings: [proof: proofMeaning])

    static let usedServices = EndpointShape(headers: [proof], answer: "UsedServices", meanings: [proof: proofMeaning])

    static let forgottenServices = EndpointShape(
        query: ["service"], headers: [proof], status: 204,
        meanings: ["service": "A base URL as the list has it; all of them where it is left out.", proof: proofMeaning])

    private static let byOwner: [[OpenAPISecurity]] = [[.bearer], [.dpop], [.browser, .person]]

    static let instances = EndpointShape(
        headers: [proof], answer: "Instances", meanings: [proof: proofMeaning], security: byOwner)

    static let instanceChange = EndpointShape(
        headers: [proof], body: "InstanceChange", answer: "Instance",
        meanings: ["id": "Of an instance of the person's.", proof: proofMeaning], isBodyNeeded: true, security: byOwner)

    static let instanceRemoval = EndpointShape(
        headers: [proof], status: 204, meanings: ["id": "Of an instance of the person's.", proof: proofMeaning],
        security: byOwner)

    // MARK: Registration

    static let registration = EndpointShape(
        body: "ClientMetadata", answer: "ClientInformation", status: 201,
        about: "RFC 7591, 3. The secret is told in this answer alone.", isBodyNeeded: true,
        security: [[.initialAccessToken]])

    static let registrationRead = EndpointShape(
        answer: "ClientInformation", about: "RFC 7592, 2.1.", security: [[.registrationAccessToken]])

    static let registrationUpdate = EndpointShape(
        body: "ClientUpdate", answer: "ClientInformation",
        about: "RFC 7592, 2.2: what is left out falls back to its default.", isBodyNeeded: true,
        security: [[.registrationAccessToken]])

    static let registrationRemoval = EndpointShape(
        status: 204, about: "RFC 7592, 2.3.", security: [[.registrationAccessToken]])

    // MARK: Metadata

    static func metadata(_ schema: String) -> EndpointShape { EndpointShape(answer: schema, security: [], others: []) }
}
