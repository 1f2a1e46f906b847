import Base
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
    /// For `/openapi.yaml`: what is asked and answered. One without it fails a test.
    private(set) var shape: EndpointShape?
    /// By which programs that are made of `/openapi.yaml` call it, the only one of its name: declared, or else made of
    /// method and path.
    public private(set) var operationID: String
    /// What it belongs to.
    public private(set) var tags: [String] = []
    /// It issues tokens: a token endpoint.
    private(set) var isGrant = false
    private var isOfKnown = false
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
        (self.method, self.path, self.summary, self.handler) = (method, path, summary, handler)
        operationID = Endpoint.operationID(method, path)
    }

    public func telling(_ shape: EndpointShape) -> Endpoint { changed { $0.shape = shape } }

    public func named(_ operationID: String) -> Endpoint { changed { $0.operationID = operationID } }

    public func forOrigins(_ origins: Origins) -> Endpoint { changed { $0.origins = origins } }

    /// What succeeds here was of somebody who showed who they are, though the shape leaves it open, as credentials may
    /// stand in the body. `issuing`: tokens.
    func ofKnown(issuing: Bool = false) -> Endpoint {
        changed { ($0.isOfKnown, $0.isGrant) = (true, issuing) }
    }

    /// Whether a request that succeeds has shown credentials; a cookie is none, since pages lead on without it.
    var showsSender: Bool {
        if isOfKnown { return true }
        guard let security = shape?.security, !security.isEmpty else { return false }
        return security.allSatisfy { $0.contains { !$0.isCookie } }
    }

    /// Of a page of ours: what its query or its form holds besides what all of them do, spelt as members of a schema.
    public func asking(_ words: String...) -> Endpoint { asking(words) }

    /// `example`: what the fields of a form hold, by name.
    public func asking(_ words: [String], about: String = "", example: JSONObject = [:]) -> Endpoint {
        changed { $0.shape = shape?.asking(words, isForm: method != .get, about: about, example: example) }
    }

    /// Of a page of ours that is no page, but tells a script that there is something to look at (`WatchedEvents`).
    public var streaming: Endpoint { changed { $0.shape = shape?.streaming } }

    private func changed(_ change: (inout Endpoint) -> Void) -> Endpoint {
        var endpoint = self
        change(&endpoint)
        return endpoint
    }

    /// `getInstancesId` of `GET /instances/{id}`.
    private static func operationID(_ method: HTTPRequest.Method, _ path: String) -> String {
        let words = path.replacing("**", with: "rest").split { !$0.isLetter && !$0.isNumber }
        return method.rawValue.lowercased() + words.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    /// What it answers may be looked at by people, in some case at least.
    var isPage: Bool {
        guard let shape else { return false }
        let html = "text/html"
        return shape.answerType == html || shape.otherTypes[html] != nil
            || shape.others.contains { $0.type == html || $0.otherTypes[html] != nil }
    }

    func tagged(_ tag: String) -> Endpoint { changed { if $0.tags.isEmpty { $0.tags = [tag] } } }
}

extension [Endpoint] {
    /// Where they are composed, once for all of them; those that have a tag keep it.
    public func tagged(_ tag: String) -> [Endpoint] { map { $0.tagged(tag) } }
}
