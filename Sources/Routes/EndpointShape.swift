import Base

/// What a request and its answers hold, for `/openapi.yaml`; bodies by the names of schemas (`OpenAPISchema`).
struct EndpointShape: Sendable {
    /// Parameters, spelt as members of a schema (`OpenAPIMember`).
    var query: [String] = []
    var headers: [String] = []
    var body: String? = nil
    var answer: String? = nil
    /// Of the answer when all goes well; `nil` where nothing ever does.
    var status: Int? = 200

    /// More than the summary tells.
    var about = ""
    /// What parameters mean, by name, those of the path too.
    var meanings: [String: String] = [:]
    var bodyType = "application/json"
    var isBodyNeeded = false
    var answerType = "application/json"
    /// Headers of the answer, with what they mean.
    var answerHeaders: [String: String] = [:]
    /// Any of these lets in, and of one all parts are needed; an empty one says that nothing need be shown, none at all that nothing is looked at.
    var security: [[OpenAPISecurity]] = [[.bearer]]
    var others: [OtherAnswer] = [.ofOperations]

    /// The schemas that it names.
    var schemas: [String] { [body, answer].compactMap { $0 } + others.compactMap(\.schema) }
}

/// An answer beside the one that was hoped for.
struct OtherAnswer: Sendable {
    /// A status, or `default` for all that are not told.
    let status: String
    let about: String
    let schema: String?
    let type: String
    let saysWhenToRetry: Bool

    init(_ status: String, _ about: String, _ schema: String?, type: String = "application/json", saysWhenToRetry: Bool = false) {
        (self.status, self.about, self.schema, self.type, self.saysWhenToRetry) = (status, about, schema, type, saysWhenToRetry)
    }

    static let ofOperations = OtherAnswer("default", "An error; 401 and 403 as RFC 6749, 5.2 has it", OpenAPISchema.error)
}

/// What a caller shows of itself (OpenAPI 3.1, Security Scheme Object).
enum OpenAPISecurity: String, Sendable, CaseIterable {
    case bearer, dpop, wallet, browser, person

    func json(isSecure: Bool) -> JSONValue {
        switch self {
        case .bearer: return ["type": "http", "scheme": "bearer"]
        case .dpop:
            return ["type": "http", "scheme": "DPoP", "description": "An access token bound to a key, with a proof of that key in the header DPoP (RFC 9449)"]
        case .wallet:
            return ["type": "apiKey", "in": "cookie", "name": "connect.sid", "description": """
                The session of a wallet or page. The server sets it with its first answer, and another one after each login: keep it as a cookie jar does.
                """]
        case .browser: return cookie("pando_browser", isSecure, "Which browser it is: a form's token is good in the browser whose page had it, and nowhere else")
        case .person: return cookie("pando_session", isSecure, "Who is logged in to this IdP in a browser")
        }
    }

    private func cookie(_ name: String, _ isSecure: Bool, _ about: String) -> JSONValue {
        ["type": "apiKey", "in": "cookie", "name": .string((isSecure ? "__Host-" : "") + name), "description": .string(about)]
    }
}
