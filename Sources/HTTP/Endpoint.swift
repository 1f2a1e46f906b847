import HTTPTypes
import Hummingbird
import Registration

/// One row of the table: what it is in words, and what runs.
public struct Endpoint: Sendable {
    public typealias Handler = @Sendable (Request, RoutedContext) async throws -> Response

    public let method: HTTPRequest.Method
    /// Hummingbird's spelling: `{name}` for a parameter, `**` for the rest.
    public let path: String
    public let summary: String
    public let handler: Handler
    /// For `/openapi.yaml`, where more is told than method, path and summary.
    let shape: EndpointShape?

    public init(_ method: HTTPRequest.Method, _ path: String, _ summary: String, _ handler: @escaping Handler) {
        self.init(method, path, summary, nil, handler)
    }

    private init(
        _ method: HTTPRequest.Method, _ path: String, _ summary: String, _ shape: EndpointShape?,
        _ handler: @escaping Handler
    ) {
        (self.method, self.path, self.summary, self.shape, self.handler) = (method, path, summary, shape, handler)
    }

    public func telling(_ shape: EndpointShape) -> Endpoint { Endpoint(method, path, summary, shape, handler) }
}
