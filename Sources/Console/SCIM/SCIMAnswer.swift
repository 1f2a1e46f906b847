import Base
import HTTP
import HTTPTypes
import Hummingbird
import OAuth
import Vocabulary

/// What an operation of SCIM answers, be it alone or within `/Bulk`.
struct SCIMAnswer: Sendable {
    let status: Int
    let json: JSONObject?
    let location: String?
    /// Of the resource.
    let tag: String?

    static let mediaType = "application/scim+json"

    init(_ status: Int, _ json: JSONObject? = nil, location: String? = nil, tag: String? = nil) {
        (self.status, self.json, self.location, self.tag) = (status, json, location, tag)
    }

    var response: Response {
        var headers = HTTPFields()
        if status == 201 { headers[.location] = location }
        headers[.eTag] = tag
        let code = HTTPResponse.Status(code: status)
        guard let json else {
            headers[.cacheControl] = "no-store"
            return Response(status: code, headers: headers)
        }
        return Answer.text(
            JSONValue.object(json).text, type: SCIMAnswer.mediaType, status: code, store: false, headers: headers)
    }

    /// Every error of these endpoints, whoever found it.
    static func refused(_ error: any Error, _ context: RoutedContext) -> Response {
        if let refusal = SCIMRefusal(error) {
            ErrorRendering.log(
                status: refusal.status, code: refusal.kind?.rawValue ?? "scim", cause: refusal.detail, context)
            var response = SCIMAnswer(refusal.status, refusal.json).response
            if refusal.status == 503 { response.headers[.retryAfter] = "2" }
            return response
        }
        let refusal = ErrorRendering.refusal(for: error)
        ErrorRendering.log(refusal, context)
        var response = SCIMAnswer(refusal.status, SCIMRefusal(status: refusal.status, refusal.description).json)
            .response
        // Challenges, and when to come again.
        for field in Answer.error(refusal).headers
        where ![.contentType, .contentLength, .cacheControl].contains(field.name) {
            response.headers.append(field)
        }
        return response
    }
}

/// Under which condition a change is wanted (RFC 7644, 3.14): `If-Match`, or `version` within `/Bulk`.
struct SCIMPrecondition: Sendable {
    /// A list of entity tags; `nil`: whatever is there.
    let tags: String?

    static let none = SCIMPrecondition(tags: nil)

    /// Comparison is weak, as the tags are: what they stand for is told in one form.
    func holds(of tag: String) -> Bool { tags.map { EntityTags.holds($0, of: tag) } ?? true }
}

/// What bodies hold.
enum SCIMBody {
    static func read(_ request: Request) async throws -> JSONValue {
        guard [SCIMAnswer.mediaType, "application/json"].contains(BodyReading.mediaType(request) ?? "") else {
            throw OAuthError(.unsupportedMediaType, "send \(SCIMAnswer.mediaType)")
        }
        let bytes = try await BodyReading.bytes(request, limit: SCIMDiscovery.mostBytes)
        do { return try JSONReader.read(bytes) } catch {
            throw SCIMRefusal(.invalidSyntax, "the body is not JSON as RFC 8259 has it, each member once")
        }
    }
}
