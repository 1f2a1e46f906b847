import HTTP

/// What `/openapi.yaml` tells of passkeys of people: forms of our own pages, and (`PasskeyLoginRoutes`,
/// `AccountPasskeyRoutes`).
extension EndpointShape {
    private static let pageAgain = OtherAnswer(
        "200", "The page again, which says what was wrong", "Page", type: "text/html")
    private static let onward = ["Location": "Where to go on."]
    private static let inBrowser: [[OpenAPISecurity]] = [[.browser], [.browser, .person]],
        ofPerson: [[OpenAPISecurity]] = [[.browser, .person]]

    /// A question for a form; both are our own pages'.
    static func passkeyAsked(_ answer: String, atLogin: Bool) -> EndpointShape {
        EndpointShape(
            body: "PasskeyAsking", answer: answer, about: "For the script of our own page.", bodyType: formType,
            isBodyNeeded: true,
            security: atLogin ? inBrowser : ofPerson, others: [.oauthError], errors: [404, 429])
    }

    static func passkeyAnswered(_ body: String, atLogin: Bool) -> EndpointShape {
        EndpointShape(
            body: body, status: 303, about: "For the form of our own page.", bodyType: formType, isBodyNeeded: true,
            answerHeaders: onward,
            security: atLogin ? inBrowser : ofPerson, others: [pageAgain, .pageError], errors: [404, 429])
    }
}
