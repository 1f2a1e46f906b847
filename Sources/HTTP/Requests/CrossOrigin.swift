import Base
import HTTPTypes
import Hummingbird
import OAuth
import Vocabulary

/// Requests that pages of other origins send (Fetch, 3.2): whether they may, and read the answer, be it a refusal.
///
/// Nothing here speaks of cookies: `Access-Control-Allow-Credentials` is never said. What has no `Origin`, or this
/// server's own, goes by.
struct CrossOrigin: RouterMiddleware {
    static let headers = "Authorization, DPoP, Content-Type"
    static let exposed = "DPoP-Nonce, WWW-Authenticate, Retry-After, RateLimit, RateLimit-Policy, ETag, X-Request-Id"

    /// The URL of this host's root, and its origin.
    let root: String
    /// What is counted before anything is looked up for a page.
    private let limit: AddressLimit?
    private let own: String?
    private let places: [String: Endpoint.Origins]

    init(root: String, endpoints: [Endpoint], limit: AddressLimit?) {
        (self.root, self.limit, own) = (root, limit, WebAddress(root)?.origin)
        var places: [String: Endpoint.Origins] = [:]
        for endpoint in endpoints {
            if case .none = endpoint.origins { continue }
            places["\(endpoint.method.rawValue) \(RouterPath(endpoint.path))"] = endpoint.origins
        }
        self.places = places
    }

    func handle(
        _ request: Request, context: RoutedContext, next: (Request, RoutedContext) async throws -> Response
    ) async throws -> Response {
        guard let origin = request.headers[.origin], origin != own else { return try await next(request, context) }
        let method = request.method == .head ? HTTPRequest.Method.get : request.method
        switch places["\(method.rawValue) \(context.route ?? "")"] ?? Endpoint.Origins.none {
        case .none: return try await next(request, context)
        case .any:
            var answer = try await next(request, context)
            // Errors, too.
            if answer.headers[.accessControlAllowOrigin] == nil { answer.headers[.accessControlAllowOrigin] = "*" }
            return answer
        case .registered(let check): return try await respond(request, context, origin, check, next)
        }
    }

    private func respond(
        _ request: Request, _ context: RoutedContext, _ origin: String, _ check: OriginCheck,
        _ next: (Request, RoutedContext) async throws -> Response
    ) async throws -> Response {
        let sender = context.peer, (asked, isReadable): (Request, Bool)
        var context = context
        do {
            context.left = try limit?.take(from: sender)
            asked = try await BodyReading.whole(request)
            // A body that cannot be read names nobody, and is the endpoint's to refuse.
            let parameters = (try? await BodyReading.parameters(asked)) ?? OAuthParameters([:])
            isReadable = try await check.admits(origin, asked.presented(root, context), parameters)
        } catch {
            let cause = ErrorRendering.refusal(for: error), refusal = context.left.map { cause.beside($0) } ?? cause
            ErrorRendering.log(refusal, context, client: ErrorRendering.named(request))
            return await told(Answer.error(refusal), to: origin, isReadable: false, from: sender, check)
        }
        return await told(try await next(asked, context), to: origin, isReadable: isReadable, from: sender, check)
    }

    /// A refusal is read by the pages of any client, so that these can tell what is wrong: a token that is no more, a
    /// client that is another one.
    private func told(
        _ answer: Response, to origin: String, isReadable: Bool, from sender: String?, _ check: OriginCheck
    ) async -> Response {
        var answer = answer
        var isReadable = isReadable
        if !isReadable, answer.status.code >= 400 {
            isReadable = (try? await check.origins.contains(origin, from: sender)) == true
        }
        if isReadable {
            answer.headers[.accessControlAllowOrigin] = origin
            answer.headers[.accessControlExposeHeaders] = CrossOrigin.exposed
        }
        answer.headers.append(HTTPField(name: .vary, value: "Origin"))
        return answer
    }
}
