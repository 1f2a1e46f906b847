import Base

/// What a request and its answers hold, for `/openapi.yaml`; bodies by the names of schemas (`OpenAPISchema`).
public struct EndpointShape: Sendable {
    /// Parameters, spelt as members of a schema (`OpenAPIMember`).
    let query: [String]
    let headers: [String]
    let body: String?
    /// Fields of a form that has no schema of its own, spelt as such members.
    let form: [String]
    /// What people or pages put into its fields, by name, for the example of it.
    let formExample: JSONObject
    let answer: String?
    /// Of the answer when all goes well; `nil` where nothing ever does.
    let status: Int?

    /// More than the summary tells.
    let about: String
    /// What parameters mean, by name, those of the path too.
    let meanings: [String: String]
    /// The body's may be any of them.
    let bodyTypes: [String]
    let isBodyNeeded: Bool
    let answerType: String
    /// What else the answer may be, by `Accept`: a schema by media type.
    let otherTypes: [String: String]
    /// Headers of the answer, with what they mean.
    let answerHeaders: [String: String]
    /// Any of these lets in, and of one all parts are needed; an empty one says that nothing need be shown, none at all
    /// that nothing is looked at.
    let security: [[OpenAPISecurity]]
    /// Those of status `default` stand for all errors that its kind of endpoint gives, and `errors` (`ToldErrors`).
    let others: [OtherAnswer]
    /// Statuses of errors besides those that every endpoint of its kind gives.
    let errors: [Int]

    public static let formType = "application/x-www-form-urlencoded"
    /// What apps send (design/api.md), and OAuth's own. That one last: programs that openapi-python-client makes write
    /// both and name the last.
    public static let oauthTypes = ["application/json", formType]

    public init(
        query: [String] = [], headers: [String] = [], body: String? = nil, form: [String] = [],
        formExample: JSONObject = [:], answer: String? = nil, status: Int? = 200, about: String = "",
        meanings: [String: String] = [:], bodyType: String = "application/json",
        bodyTypes: [String]? = nil, isBodyNeeded: Bool = false, answerType: String = "application/json",
        otherTypes: [String: String] = [:], answerHeaders: [String: String] = [:],
        security: [[OpenAPISecurity]] = [[.bearer], [.dpop]], others: [OtherAnswer] = [.oauthError], errors: [Int] = []
    ) {
        (self.query, self.headers, self.body) = (query, headers, body)
        (self.form, self.formExample) = (form, formExample)
        (self.answer, self.status, self.about, self.meanings) = (answer, status, about, meanings)
        (self.bodyTypes, self.isBodyNeeded) = (bodyTypes ?? [bodyType], isBodyNeeded)
        (self.answerType, self.otherTypes, self.answerHeaders) = (answerType, otherTypes, answerHeaders)
        (self.security, self.others, self.errors) = (security, others, errors)
    }

    /// The schemas that it names.
    var schemas: [String] {
        [body, answer].compactMap { $0 } + otherTypes.values + others.flatMap { [$0.schema].compactMap { $0 } }
            + others.flatMap(\.otherTypes.values)
    }

    var takesBody: Bool { body != nil || !form.isEmpty }

    /// With more parameters, or more fields of its form.
    func asking(_ words: [String], isForm: Bool, about: String, example: JSONObject) -> EndpointShape {
        changed(
            query: isForm ? query : query + words, form: isForm ? form + words : form,
            formExample: JSONObject(formExample.map { ($0.name, $0.value) } + example.map { ($0.name, $0.value) }),
            about: about.isEmpty ? self.about : about)
    }

    /// With a stream of events in place of a page.
    var streaming: EndpointShape {
        changed(
            query: query + ["seen"], headers: ["Last-Event-ID"], about: "One event `state` whenever it has changed.",
            answer: "EventStream", answerType: "text/event-stream")
    }

    private func changed(
        query: [String], headers: [String]? = nil, form: [String]? = nil, formExample: JSONObject? = nil,
        about: String, answer: String? = nil, answerType: String? = nil
    ) -> EndpointShape {
        EndpointShape(
            query: query, headers: headers ?? self.headers, body: body, form: form ?? self.form,
            formExample: formExample ?? self.formExample, answer: answer ?? self.answer, status: status, about: about,
            meanings: meanings, bodyTypes: bodyTypes,
            isBodyNeeded: isBodyNeeded, answerType: answerType ?? self.answerType, otherTypes: otherTypes,
            answerHeaders: answerHeaders, security: security, others: others, errors: errors)
    }
}

extension [[OpenAPISecurity]] {
    /// By a service as itself: its client, or a token that it got for itself.
    public static var byService: Self { [[.client], [.bearer], [.dpop]] }
}

/// An answer beside the one that was hoped for.
public struct OtherAnswer: Sendable {
    /// A status, or `default` for all errors of the endpoint that are not told.
    public let status: String
    let about: String
    let schema: String?
    let type: String
    /// What else it may be, by `Accept`: a schema by media type.
    let otherTypes: [String: String]
    let headers: [String: String]
    /// Under which it stands among the document's components, where many endpoints have it.
    let component: String?

    public init(
        _ status: String, _ about: String, _ schema: String?, type: String = "application/json",
        otherTypes: [String: String] = [:], headers: [String: String] = [:], saysWhenToRetry: Bool = false
    ) {
        self.init(
            status, about, schema, type: type, otherTypes: otherTypes,
            headers: saysWhenToRetry ? headers.merging(OtherAnswer.retry) { one, _ in one } : headers, component: nil)
    }

    init(
        _ status: String, _ about: String, _ schema: String?, type: String, otherTypes: [String: String],
        headers: [String: String], component: String?
    ) {
        (self.status, self.about, self.schema, self.type) = (status, about, schema, type)
        (self.otherTypes, self.headers, self.component) = (otherTypes, headers, component)
    }

    static let retry = ["Retry-After": "Seconds after which it is worth another try"]

    static let limits = [
        "RateLimit":
            "What is left of a limit, where it is one of so much in a time (draft-ietf-httpapi-ratelimit-headers)",
        "RateLimit-Policy": "That limit",
    ]

    public static let oauthError = OtherAnswer("default", "An error", OpenAPISchema.oauthError.name)

    /// 303: whatever was asked, a browser goes on with GET.
    public static let onward = OtherAnswer("303", "Leads on", nil, headers: ["Location": "Where to go on."])

    public static let unchanged = OtherAnswer("304", "It has not changed", nil)
}

/// What a caller shows of itself (OpenAPI 3.1, Security Scheme Object).
public struct OpenAPISecurity: Sendable, Hashable {
    let name: String
    private let scheme: JSONValue
    /// The cookie's name has the prefix `__Host-` where connections are secure.
    private let isOfHost: Bool

    public init(_ name: String, _ scheme: JSONValue) { (self.name, self.scheme, isOfHost) = (name, scheme, false) }

    private init(cookie: String, as name: String, _ about: String) {
        let scheme: JSONValue = [
            "type": "apiKey", "in": "cookie", "name": .string(cookie), "description": .string(about),
        ]
        (self.name, self.scheme, isOfHost) = (name, scheme, true)
    }

    public static func == (one: Self, other: Self) -> Bool { one.name == other.name }
    public func hash(into hasher: inout Hasher) { hasher.combine(name) }

    public static let bearer = OpenAPISecurity("bearer", ["type": "http", "scheme": "bearer"])
    public static let dpop = OpenAPISecurity(
        "dpop",
        [
            "type": "http", "scheme": "DPoP",
            "description": "An access token bound to a key, with a proof of that key in the header DPoP (RFC 9449)",
        ])
    /// RFC 6749, 2.3.1; other ways to authenticate stand in the body.
    public static let client = OpenAPISecurity(
        "client",
        [
            "type": "http", "scheme": "basic",
            "description": """
            client_id and client_secret (RFC 6749, 2.3.1). Clients with a key send `client_assertion` in the body, \
            those with a certificate `client_id` alone
            """,
        ])
    public static let initialAccessToken = OpenAPISecurity(
        "initialAccessToken",
        [
            "type": "http", "scheme": "bearer",
            "description": "Of an invitation (`pando admin clients invite`; RFC 7591, 3)",
        ])
    public static let registrationAccessToken = OpenAPISecurity(
        "registrationAccessToken",
        [
            "type": "http", "scheme": "bearer",
            "description": "`registration_access_token` of the client that registered itself (RFC 7592, 3)",
        ])
    public static let browser = OpenAPISecurity(
        cookie: "pando_browser", as: "browser",
        "Which browser it is: a form's token is good in the browser whose page had it, and nowhere else")
    public static let person = OpenAPISecurity(
        cookie: "pando_session", as: "person", "Who is logged in to this IdP in a browser")

    /// Whoever shows none gets a page or a redirect, and no challenge (RFC 9110, 11.6.1).
    var isCookie: Bool { scheme["in"]?.string == "cookie" }

    func json(isSecure: Bool) -> JSONValue {
        guard isOfHost, isSecure, var members = scheme.object, let cookie = members["name"]?.string else {
            return scheme
        }
        members["name"] = .string("__Host-" + cookie)
        return .object(members)
    }
}
