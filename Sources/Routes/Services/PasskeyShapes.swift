/// What `/openapi.yaml` tells of passkeys of people: forms of our own pages, and the login of an app (`PasskeyLoginRoutes`, `AccountPasskeyRoutes`, `TokenRoutes`).
extension EndpointShape {
    private static let form = "application/x-www-form-urlencoded"
    private static let refused = OtherAnswer("default", "An error", "OAuthError")
    private static let pageAgain = OtherAnswer("200", "The page again, which says what was wrong", nil)
    private static let onward = ["Location": "Where to go on."]
    private static let inBrowser: [[OpenAPISecurity]] = [[.browser], [.browser, .person]], ofPerson: [[OpenAPISecurity]] = [[.browser, .person]]

    /// A question for a form; both are our own pages'.
    static func passkeyAsked(_ answer: String, atLogin: Bool) -> EndpointShape {
        EndpointShape(body: "PasskeyAsking", answer: answer, about: "For the script of our own page.", bodyType: form, isBodyNeeded: true,
                      security: atLogin ? inBrowser : ofPerson, others: [refused])
    }

    static func passkeyAnswered(_ body: String, atLogin: Bool) -> EndpointShape {
        EndpointShape(body: body, status: 303, about: "For the form of our own page.", bodyType: form, isBodyNeeded: true, answerHeaders: onward,
                      security: atLogin ? inBrowser : ofPerson, others: [pageAgain, refused])
    }

    static let appLogin = EndpointShape(
        headers: ["Prefer"], body: "AppLogin", answer: "AppCode",
        about: """
            With an instance's token. First name, password and PKCE. Where a second factor is due the answer is `insufficient_authorization` with an `auth_session`: \
            send that and `factor`; then the `auth_session` of that answer with what the factor gave. For `passkey` and `wallet` hand `options` to the system, and \
            send what it gives as text in `credential`.
            """,
        meanings: ["Prefer": "`wait=30`: seconds that the app would wait for the person (RFC 7240)."], isBodyNeeded: true, security: [[.dpop]],
        others: [OtherAnswer("403", "A second factor is due, or refused", "AppLoginStep"), OtherAnswer("default", "An error; 401 with a challenge", "AppLoginStep")])
}
