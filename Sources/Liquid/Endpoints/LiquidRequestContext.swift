import Base
import Foundation
import HTTP
import HTTPTypes
import Hummingbird
import OAuth
import Vocabulary

/// liquid as it is served here: the room, and what this host says of itself and of the apps that belong to it.
public struct LiquidEndpoints: Sendable {
    let liquid: LiquidService
    let links: AppLinks
    /// `SameSite=None`: wallets and pages of other sites bring the cookie, those of the room's origins (decisions.md,
    /// liquid 8).
    let isCrossSite: Bool
    /// `nil` where FIDO's conformance test has no business.
    let conformance: ConformanceService?
    /// Whose tokens open sockets; `nil`: none does.
    let role: ServiceRole?

    public init(
        _ liquid: LiquidService, links: AppLinks, isCrossSite: Bool = false, conformance: ConformanceService? = nil,
        role: ServiceRole? = nil
    ) {
        (self.liquid, self.links, self.isCrossSite, self.conformance) = (liquid, links, isCrossSite, conformance)
        self.role = role
    }
}

/// Where wallets are let in: who may ask from which page, the cookie, and the form of what goes wrong
/// (protocols/liquid.md, 1).
///
/// A page says its origin with all that could change something, and wallets that are apps say none. What another origin
/// asks is refused before anything is read: with `SameSite=None` its requests would bring the cookie. So would those
/// that name no origin (pictures, frames): where such a request does something, what the browser says of its site
/// counts.
struct LiquidRequestContext: Sendable {
    typealias Handler = @Sendable (LiquidAsked) async throws -> LiquidAnswer

    let doors: LiquidEndpoints
    /// The URL of this host's root.
    let root: String
    private let origins: Set<String>
    private let isSecure: Bool

    var liquid: LiquidService { doors.liquid }

    init(_ doors: LiquidEndpoints, root: String) {
        (self.doors, self.root) = (doors, root)
        origins = doors.liquid.settings.wallets.origins.filter { $0.hasPrefix("http") }
        isSecure = root.hasPrefix("https:")
    }

    /// Endpoint and preflight. Errors of every kind have a string `error`, by which alone iOS sees them.
    func endpoint(
        _ method: HTTPRequest.Method, _ path: String, _ summary: String, _ handler: @escaping Handler
    ) -> Endpoint {
        Endpoint(method, path, "liquid: \(summary)") { request, context in
            guard admits(request) else { return LiquidRequestContext.refusal(.forbidden) }
            let response: Response
            var cookie: String?, isStranger = true
            do {
                let presented = try await presented(request, context, renewing: true)
                (cookie, isStranger) = (presented.newCookie, presented.session == nil)
                let answer = try await handler(
                    LiquidAsked(
                        request: request, presented: presented,
                        named: context.parameters.get("credential") ?? context.parameters.get("pairing")))
                cookie = answer.cookie ?? cookie
                response = answer.response
            } catch let refusal as LiquidRefusal {
                // Whoever wants a passkey of another kind has begun nothing here that a cookie could stand for.
                if refusal == .extensionRequired, isStranger { cookie = nil }
                ErrorRendering.log(
                    status: refusal.status, code: "liquid", cause: refusal.cause, context)
                response = LiquidRequestContext.refusal(refusal)
            } catch {
                response = LiquidRequestContext.envelope(error, context)
            }
            return withPolicy(response, for: request, cookie: cookie)
        }
    }

    /// Browsers ask before a page of another origin may (Fetch, 3.3.2).
    func preflight(_ path: String) -> Endpoint {
        Endpoint(.options, path, "liquid: which pages may ask here") { request, _ in
            guard admits(request) else { return LiquidRequestContext.refusal(.forbidden) }
            let headers: HTTPFields = [
                .accessControlAllowMethods: "GET, POST, DELETE",
                .accessControlAllowHeaders: "Authorization, Content-Type, DPoP, X-Pairing-Role",
                .accessControlMaxAge: "600",
            ]
            return withPolicy(Response(status: .noContent, headers: headers), for: request, cookie: nil)
        }.telling(.preflight)
    }

    // MARK: Who asks

    /// Of no page, or of one of ours.
    func admits(_ request: Request) -> Bool {
        request.headers[.origin] == nil || page(request) != nil
    }

    /// The page of ours that asks, as a web origin; `nil` for none and for those of others. Sockets of iOS name the
    /// server itself, with the scheme of a socket (Starscream: `wss://HOST`).
    func page(_ request: Request) -> String? {
        let named = request.headers[values: .origin]
        guard named.count == 1, let origin = named.first.map(LiquidRequestContext.web), origins.contains(origin) else {
            return nil
        }
        return origin
    }

    private static func web(_ origin: String) -> String {
        guard origin.hasPrefix("ws://") || origin.hasPrefix("wss://") else { return origin }
        let text = "http" + origin.dropFirst(2)
        return WebAddress(text)?.origin ?? text
    }

    /// Of a page of another site, which did not say its origin (Fetch Metadata).
    func isForeign(_ request: Request) -> Bool { request.headers[.fetchSite] == "cross-site" && page(request) == nil }

    /// What other sites' pages load themselves goes nowhere; where a person follows a link from there, that is theirs.
    func isVisit(_ request: Request) -> Bool {
        let place = request.headers[.fetchDestination]
        return !isForeign(request)
            || (request.headers[.fetchMode] == "navigate" && (place == nil || place == "document"))
    }

    /// `renewing` not where a socket opens: clients keep no cookie of such an answer.
    func presented(
        _ request: Request, _ context: RoutedContext, renewing: Bool = false
    ) async throws -> PresentedSession {
        try await liquid.presented(
            cookie: cookie(request), device: request.headers[.userAgent], origin: context.peer, renewing: renewing)
    }

    /// Of two that this server wrote somebody else set one. Others have that name from an application on a sibling
    /// host: Express calls its cookie so.
    private func cookie(_ request: Request) -> String? {
        let values = CookiePairs.values(of: LiquidService.cookieName, in: request)
        let ours = Set(values.filter { liquid.wrote(cookie: $0) })
        return ours.count == 1 ? ours.first : nil
    }

    // MARK: Answers

    /// With the cookie, and with leave to read for the page that asked.
    func withPolicy(_ response: Response, for request: Request, cookie: String?) -> Response {
        var response = response
        response.headers.append(HTTPField(name: .vary, value: "Origin"))
        if let origin = request.headers[.origin], page(request) != nil {
            response.headers[.accessControlAllowOrigin] = origin
            response.headers[.accessControlAllowCredentials] = "true"
        }
        if let cookie { response.headers.append(HTTPField(name: .setCookie, value: line(cookie))) }
        return response
    }

    /// Its name and the shape of its value are the SDKs'; the value comes percent-encoded. Browsers take `None` with
    /// `Secure` only.
    private func line(_ value: String) -> String {
        let site = doors.isCrossSite && isSecure ? "None" : "Lax"
        return
            """
            \(LiquidService.cookieName)=\(value); Path=/; Max-Age=\(Int(liquid.settings.sessionLifetime)); HttpOnly; \
            SameSite=\(site)\(isSecure ? "; Secure" : "")
            """
    }

    static func refusal(_ refusal: LiquidRefusal) -> Response {
        var headers = HTTPFields()
        if let seconds = refusal.retryAfter { headers[.retryAfter] = String(seconds) }
        return Answer.json(refusal.json, status: .init(code: refusal.status), headers: headers)
    }

    /// What HTTP itself refuses, and what is the server's fault, in the form that upstream's framework gives it.
    static func envelope(_ error: any Error, _ context: RoutedContext) -> Response {
        let refusal = ErrorRendering.refusal(for: error)
        ErrorRendering.log(refusal, context)
        let name =
            switch refusal.status {
            case 400: "Bad Request"
            case 408: "Request Timeout"
            case 413: "Payload Too Large"
            case 503: "Service Unavailable"
            default: "Internal Server Error"
            }
        var headers = HTTPFields()
        if let seconds = refusal.retryAfter { headers[.retryAfter] = String(seconds) }
        let body: JSONValue = [
            "message": .string(refusal.description), "error": .string(name), "statusCode": .integer(refusal.status),
        ]
        return Answer.json(body, status: .init(code: refusal.status), headers: headers)
    }
}

/// What a wallet asks.
struct LiquidAsked: Sendable {
    let request: Request
    let presented: PresentedSession
    /// The id in the path, as it came.
    let named: String?

    /// `nil` where none was sent, as some SDKs do.
    func body() async throws -> JSONValue? { try await BodyReading.anyJSON(request) }

    /// An object, where one was sent, whose names are text.
    func registration() async throws -> JSONValue? {
        guard let body = try await body() else { return nil }
        guard let members = body.object else { throw OAuthError(.invalidRequest, "the body must be a JSON object") }
        for name in ["username", "displayName"] {
            guard let value = members[name], value != .null, value.string == nil else { continue }
            throw OAuthError(.invalidRequest, "\(name) must be a string")
        }
        return body
    }

    /// One that must be there.
    func neededBody() async throws -> JSONValue {
        guard let body = try await body() else { throw OAuthError(.invalidRequest, "the body is not JSON") }
        return body
    }

    /// base64url needs no encoding in a path, padding that somebody puts behind it does.
    var credential: String { named?.removingPercentEncoding ?? "" }
}

/// What a wallet is answered.
struct LiquidAnswer: Sendable {
    let response: Response
    /// What `connect.sid` is to be from now on, where it changes.
    var cookie: String?

    /// 201 of a POST, as the SDKs expect it.
    static func created(_ json: JSONValue, cookie: String? = nil) -> LiquidAnswer {
        LiquidAnswer(response: Answer.json(json, status: .created), cookie: cookie)
    }
    static func found(_ json: JSONValue) -> LiquidAnswer { LiquidAnswer(response: Answer.json(json)) }
}

extension HTTPField.Name {
    fileprivate static let fetchMode = named("Sec-Fetch-Mode")
    fileprivate static let fetchDestination = named("Sec-Fetch-Dest")
}
