import Base

/// What a request and its answers hold, for `/openapi.yaml`; bodies by the names of schemas (`OpenAPISchema`).
public struct EndpointShape: Sendable {
    /// Parameters, spelt as members of a schema (`OpenAPIMember`).
    let query: [String]
    let headers: [String]
    let body: String?
    let answer: String?
    /// Of the answer when all goes well; `nil` where nothing ever does.
    let status: Int?

    /// More than the summary tells.
    let about: String
    /// What parameters mean, by name, those of the path too.
    let meanings: [String: String]
    let bodyType: String
    let isBodyNeeded: Bool
    let answerType: String
    /// Headers of the answer, with what they mean.
    let answerHeaders: [String: String]
    /// Any of these lets in, and of one all parts are needed; an empty one says that nothing need be shown, none at all
    /// that nothing is looked at.
    let security: [[OpenAPISecurity]]
    let others: [OtherAnswer]

    public init(
        query: [String] = [], headers: [String] = [], body: String? = nil, answer: String? = nil, status: Int? = 200,
        about: String = "",
        meanings: [String: String] = [:], bodyType: String = "application/json", isBodyNeeded: Bool = false,
        answerType: String = "application/json", answerHeaders: [String: String] = [:],
        security: [[OpenAPISecurity]] = [[.bearer]],
        others: [OtherAnswer] = []
    ) {
        (self.query, self.headers, self.body, self.answer, self.status) = (query, headers, body, answer, status)
        (self.about, self.meanings, self.bodyType, self.isBodyNeeded) = (about, meanings, bodyType, isBodyNeeded)
        (self.answerType, self.answerHeaders, self.security, self.others) = (
            answerType, answerHeaders, security, others
        )
    }

    /// The schemas that it names.
    var schemas: [String] { [body, answer].compactMap { $0 } + others.compactMap(\.schema) }
}

/// An answer beside the one that was hoped for.
public struct OtherAnswer: Sendable {
    /// A status, or `default` for all that are not told.
    public let status: String
    let about: String
    let schema: String?
    let type: String
    let saysWhenToRetry: Bool

    public init(
        _ status: String, _ about: String, _ schema: String?, type: String = "application/json",
        saysWhenToRetry: Bool = false
    ) {
        (self.status, self.about, self.schema, self.type, self.saysWhenToRetry) = (
            status, about, schema, type, saysWhenToRetry
        )
    }

    public static let oauthError = OtherAnswer("default", "An error", OpenAPISchema.oauthError.name)
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
    public static let browser = OpenAPISecurity(
        cookie: "pando_browser", as: "browser",
        "Which browser it is: a form's token is good in the browser whose page had it, and nowhere else")
    public static let person = OpenAPISecurity(
        cookie: "pando_session", as: "person", "Who is logged in to this IdP in a browser")

    func json(isSecure: Bool) -> JSONValue {
        guard isOfHost, isSecure, var members = scheme.object, let cookie = members["name"]?.string else {
            return scheme
        }
        members["name"] = .string("__Host-" + cookie)
        return .object(members)
    }
}
