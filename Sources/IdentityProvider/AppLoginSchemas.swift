import HTTP

/// What `/openapi.yaml` tells of the login of an app (`POST /authorize/challenge`).
extension EndpointShape {
    static let appLogin = EndpointShape(
        headers: ["Prefer"], body: "AppLogin", answer: "AppCode",
        about: """
            With an instance's token. First name, password and PKCE. Where a second factor is due the answer is \
            `insufficient_authorization` with an `auth_session`: \
            send that and `factor`; then the `auth_session` of that answer with what the factor gave. For `passkey` \
            and `wallet` hand `options` to the system, and \
            send what it gives as text in `credential`.
            """,
        meanings: ["Prefer": "`wait=30`: seconds that the app would wait for the person (RFC 7240)."],
        isBodyNeeded: true, security: [[.dpop]],
        others: [
            OtherAnswer("403", "A second factor is due, or refused", "AppLoginStep"),
            OtherAnswer("default", "An error; 401 with a challenge", "AppLoginStep"),
        ])
}

extension OpenAPISchema {
    /// `methods`: what each way of logging in adds.
    static func appLogin(_ methods: [OpenAPIAppLogin]) -> [OpenAPISchema] {
        [
            OpenAPISchema(
                "AppLogin", "A form does as well as JSON.",
                first: [
                    ("username", "Of the first request."), ("password", "Of the first request."),
                    ("code_challenge", "PKCE (RFC 7636), of the first request."),
                    ("code_challenge_method:=S256", ""), ("client_id", "May repeat the instance."),
                    ("response_type:=code", ""),
                    ("acr_values", "What the app wishes, the most wanted first, with blanks between."),
                    ("auth_session", "From the answer before."),
                    ("factor", "One of the `factors` that were offered."),
                ] + methods.flatMap(\.asked), [:], example: IdentityProviderExamples.appLogin),
            OpenAPISchema(
                "AppCode", "The login is done.",
                ["authorization_code!": "To be redeemed at `/token` by the instance, with its code_verifier."],
                example: IdentityProviderExamples.appCode),
            OpenAPISchema(
                "AppLoginStep", "What is still wanted, or what was wrong.",
                first: [
                    (
                        "error!",
                        """
                        `insufficient_authorization`: go on; `authorization_pending`: ask again; anything else: it \
                        is refused.
                        """
                    ),
                    ("error_description!", "A sentence for people."),
                    ("auth_session", "For the next request; 5 minutes."),
                    ("factors:[string]", "Those that this person can choose from."),
                ] + methods.flatMap(\.shown), [:], example: IdentityProviderExamples.appLoginStep),
        ]
    }
}
