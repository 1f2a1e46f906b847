import Base
import HTTPTypes
import Hummingbird
import Keys
import NIOCore
import Vocabulary

/// The shapes of answers.
public enum Answer {
    /// `store: false` for everything that is about somebody (RFC 6749, 5.1).
    public static func json(
        _ value: JSONValue, status: HTTPResponse.Status = .ok, store: Bool = false, headers extra: HTTPFields = [:]
    ) -> Response {
        bytes(ByteBuffer(bytes: value.bytes), type: "application/json", status: status, store: store, headers: extra)
    }

    public static func text(
        _ text: String, type: String, status: HTTPResponse.Status = .ok, store: Bool = true,
        headers extra: HTTPFields = [:]
    ) -> Response {
        bytes(ByteBuffer(string: text), type: type, status: status, store: store, headers: extra)
    }

    private static func bytes(
        _ body: ByteBuffer, type: String, status: HTTPResponse.Status, store: Bool, headers extra: HTTPFields
    ) -> Response {
        var headers = extra
        headers[.contentType] = type
        if !store { headers[.cacheControl] = "no-store" }
        return Response(status: status, headers: headers, body: .init(byteBuffer: body))
    }

    /// Documents that anybody may read, from any page.
    public static func document(_ value: JSONValue, seconds: Int) -> Response {
        document(Written(value), seconds: seconds)
    }

    /// A document that stays the same, written once.
    public struct Written: Sendable {
        fileprivate let body: ByteBuffer

        public init(_ value: JSONValue) { self.init(bytes: value.bytes) }

        /// Of JSON that stands as text already.
        public init(bytes: [UInt8]) { body = ByteBuffer(bytes: bytes) }
    }

    public static func document(_ written: Written, seconds: Int) -> Response {
        bytes(
            written.body, type: "application/json", status: .ok, store: true,
            headers: [.cacheControl: "public, max-age=\(seconds)", .accessControlAllowOrigin: "*"])
    }

    public static func empty(_ status: HTTPResponse.Status) -> Response {
        Response(status: status, headers: [.cacheControl: "no-store"])
    }

    public static func error(_ refusal: OAuthError) -> Response {
        var body: JSONObject = [
            "error": .string(refusal.code.rawValue), "error_description": .string(refusal.description),
        ]
        for (name, value) in refusal.members.sorted(by: { $0.key < $1.key }) { body[name] = .string(value) }
        for (name, value) in refusal.more { body[name] = value }
        var headers = HTTPFields()
        if let seconds = refusal.retryAfter { headers[.retryAfter] = String(seconds) }
        if let limit = refusal.limit { RateLimitFields.add(limit, to: &headers) }
        for challenge in challenges(refusal) { headers.append(HTTPField(name: .wwwAuthenticate, value: challenge)) }
        return json(.object(body), status: .init(code: refusal.status), headers: headers)
    }

    /// RFC 6749, 5.2; RFC 6750, 3; RFC 9449, 7.1. Descriptions hold no quotes or backslashes of the caller's making.
    private static func challenges(_ refusal: OAuthError) -> [String] {
        let description = refusal.description.filter { $0 != "\"" && $0 != "\\" && $0.isASCII }
        let steps = ["acr_values", "max_age"].compactMap { name in refusal.members[name].map { ", \(name)=\"\($0)\"" } }
            .joined()
        let details =
            "error=\"\(refusal.code.rawValue)\", error_description=\"\(description)\""
            + (refusal.members["scope"].map { ", scope=\"\($0)\"" } ?? "") + steps
        let dpop = "DPoP algs=\"\(SigningAlgorithm.allCases.map(\.rawValue).joined(separator: " "))\", \(details)"
        switch refusal.code {
        case .invalidClient: return ["Basic realm=\"pando\", charset=\"UTF-8\""]
        case .invalidToken, .insufficientScope, .insufficientAuthentication: return [dpop, "Bearer \(details)"]
        case .invalidProof, .useNonce: return refusal.status == 401 ? [dpop] : []
        default: return []
        }
    }
}

extension Response {
    /// `sending` is around the writing of its body and end.
    func sent(by sending: TokenResponse.Sending?) -> Response {
        guard let sending else { return self }
        var response = self
        let body = response.body
        response.body = ResponseBody(contentLength: body.contentLength) { writer in
            let own = writer
            try await sending { try await body.write(own) }
        }
        return response
    }
}
