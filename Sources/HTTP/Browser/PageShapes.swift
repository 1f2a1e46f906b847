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

    static let form = EndpointShape(
        form: ["form_token!"], answer: "Page",
        about: "For the form of a page of ours: no other has its `form_token`.", bodyType: formType,
        isBodyNeeded: true, answerType: "text/html", answerHeaders: cookie,
        security: [[.browser, .person], [.browser]], others: [.onward, .pageError], errors: [404, 429])

    /// A form of somebody else's page, which brings no cookies: it becomes the same request by GET.
    public static let foreignForm = EndpointShape(
        form: ["form_token"], answer: "Page", about: "Becomes the same request by GET.", bodyType: formType,
        isBodyNeeded: true, answerType: "text/html", security: [[.browser, .person], [.browser], []],
        others: [.onward, .pageError])
}
