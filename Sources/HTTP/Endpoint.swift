import HTTPTypes
import Hummingbird
import OAuth
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
    /// Whose pages may read its answers in a browser.
    public private(set) var origins = Origins.none

    /// Pages of other origins (Fetch, 3.2), without cookies.
    public enum Origins: Sendable {
        /// Of no other origin, or the endpoint sees to it itself.
        case none
        /// Anybody's: what is told here is told to all.
        case any
        /// Of the client that the request is of.
        case registered(OriginCheck)
    }

    public init(_ method: HTTPRequest.Method, _ path: String, _ summary: String, _ handler: @escaping Handler) {
        self.init(method, path, summary, nil, handler)
    }

    private init(
        _ method: HTTPRequest.Method, _ path: String, _ summary: String, _ shape: EndpointShape?,
        _ handler: @escaping Handler
    ) {
        (self.method, self.path, self.summary, self.shape, self.handler) = (method, path, summary, shape, handler)
    }

    public func telling(_ shape: EndpointShape) -> Endpoint {
        Endpoint(method, path, summary, shape, handler).forOrigins(origins)
    }

    public func forOrigins(_ origins: Origins) -> Endpoint {
        var endpoint = self
        endpoint.origins = origins
        return endpoint
    }
}
