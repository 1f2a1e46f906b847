import Base

/// What `/openapi.yaml` tells of pages of our own and of their forms (`BrowserRequest`). The words of a query or a form
/// stand at each (`Endpoint.asking`).
extension EndpointShape {
    private static let cookie = [
        "Set-Cookie": "Which browser it is, or who is logged in, where that has become another."
    ]

    /// Who is not logged in, or not well enough, is led to where that is done.
    static let page = EndpointShape(
        query: ["ui_locales"], answer: "Page",
        meanings: ["ui_locales": "Languages that are wished for, with blanks between."],
        answerType: "text/html", answerHeaders: cookie, security: [[.browser, .person], [.browser], []],
        others: [.onward, .pageError], errors: [404, 429])

    /// What people type into such forms; what only a page knows is made up (`OpenAPIExamples`).
    private static let typed: JSONObject = [
        "username": "grace", "password": "correct horse battery staple", "email": "grace@example.org",
        "user_code": "WDJB-MJHT", "code": "K7QF-2M9X-D4TB", "otp": "123456", "number": "42",
    ]

    /// Who chooses another password.
    public static let newPassword: JSONObject = [
        "current": "correct horse battery staple", "new": "a newer horse battery staple",
        "again": "a newer horse battery staple",
    ]

    static let form = EndpointShape(
        form: ["form_token!"], formExample: typed, answer: "Page",
        about: "For the form of a page of ours: no other has its `form_token`.", bodyType: formType,
        isBodyNeeded: true, answerType: "text/html", answerHeaders: cookie,
        security: [[.browser, .person], [.browser]], others: [.onward, .pageError], errors: [404, 429])

    /// A form of somebody else's page, which brings no cookies: it becomes the same request by GET.
    public static let foreignForm = EndpointShape(
        form: ["form_token"], formExample: foreign, answer: "Page", about: "Becomes the same request by GET.",
        bodyType: formType,
        isBodyNeeded: true, answerType: "text/html", security: [[.browser, .person], [.browser], []],
        others: [.onward, .pageError])

    private static let foreign: JSONObject = [
        "client_id": "Xh2p", "response_type": "code", "redirect_uri": "https://client.example.org/callback",
        "scope": "openid", "state": "af0ifjsldkj",
        "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
        "post_logout_redirect_uri": "https://client.example.org/",
    ]
}
