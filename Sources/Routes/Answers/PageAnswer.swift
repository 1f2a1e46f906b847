import HTTPTypes
import Hummingbird
import NIOCore

/// A page: HTML that nothing may frame, store or extend with script.
enum PageAnswer {
    static let policy = "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

    static func html(_ text: String, status: HTTPResponse.Status = .ok, headers extra: HTTPFields = [:]) -> Response {
        var headers = extra
        headers[.contentType] = "text/html; charset=utf-8"
        headers[.contentSecurityPolicy] = policy
        headers[.cacheControl] = "no-store"
        return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: text)))
    }

    /// Whether the caller would rather read a page than JSON: HTML is named, and before JSON.
    static func isWanted(_ request: Request) -> Bool {
        guard let accept = request.headers[.accept]?.lowercased(), let html = accept.range(of: "text/html") else { return false }
        guard let json = accept.range(of: "application/json") else { return true }
        return html.lowerBound < json.lowerBound
    }
}
