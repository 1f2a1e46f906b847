import Base
import Database
import HTTPTypes
import Hummingbird
import Keys
import Logging
import OAuth
import Pages
import Registration
import TokenTree
import Vocabulary

/// The one boundary where a thrown error becomes an answer. What the caller is told is in `description`; the rest goes
/// to the log.
public struct ErrorRendering: RouterMiddleware {
    /// Of pages that say what went wrong.
    let brand: Brand

    /// Whoever came here by an address that is none, in the wrong way, too often, or while the server cannot: people
    /// get a page, whatever the address is for.
    private static let ofPages: Set<Int> = [404, 405, 429, 500, 503]

    /// Nobody types what they post, or shows a token. There are programs which ask for HTML first with everything that
    /// they send (HttpURLConnection of Java), and an endpoint of a protocol owes them JSON.
    private static func isVisit(_ request: Request) -> Bool {
        [.get, .head].contains(request.method) && request.headers[.authorization] == nil
            && PageAnswer.isWanted(request)
    }

    public func handle(
        _ request: Request, context: RoutedContext, next: (Request, RoutedContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let refused as EventReceiver.Refused {
            ErrorRendering.log(status: refused.status, code: refused.code, cause: refused.description, context)
            return Answer.json(
                ["err": .string(refused.code), "description": .string(refused.description)],
                status: .init(code: refused.status))
        } catch let refused as any ProtocolRefusal {
            ErrorRendering.log(status: refused.status, code: refused.code, cause: refused.description, context)
            return Answer.json(.object(refused.json), status: .init(code: refused.status))
        } catch {
            let refusal = ErrorRendering.refusal(for: error)
            guard ErrorRendering.ofPages.contains(refusal.status), ErrorRendering.isVisit(request) else {
                ErrorRendering.log(refusal, context, client: ErrorRendering.named(request))
                return Answer.error(refusal)
            }
            return try PagePlace.$current.withValue(PagePlace(brand, request)) {
                try BrowserRequest.page(refusal, request, context)
            }
        }
    }

    /// A database that is away is never a refusal that makes a client throw its token away: decisions.md, The server 7.
    public static func refusal(for error: any Error) -> OAuthError {
        switch error {
        case let refusal as OAuthError: refusal
        case let refusal as any ProtocolRefusal where refusal.status == 404: OAuthError(.notFound, refusal.description)
        case let refusal as any ProtocolRefusal:
            OAuthError(.invalidRequest, refusal.description, status: refusal.status)
        case is AncestorRevoked: OAuthError(.invalidToken, "what this request stands on has been revoked")
        case DatabaseError.serialization:
            OAuthError(
                .temporarilyUnavailable, "another request for the same came at the same time; try again in a moment",
                cause: "\(error)", retryAfter: 1)
        case DatabaseError.unavailable, DatabaseError.timeout, DatabaseError.cancelled:
            OAuthError(
                .temporarilyUnavailable, "the server cannot reach its database; try again in a moment",
                cause: "\(error)", retryAfter: 2)
        case DatabaseError.server(sqlState: let state, message: _) where ["55P03", "25006"].contains(state):
            OAuthError(
                .temporarilyUnavailable, "the server's database is busy or read-only; try again in a moment",
                cause: "\(error)", retryAfter: 2)
        case DatabaseError.server(sqlState: let state, message: _) where state.hasPrefix("22") || state.hasPrefix("54"):
            OAuthError(.invalidRequest, "a value is too long, or is not text", cause: "\(error)")
        case is RemoteKeys.Unreachable:
            OAuthError(
                .temporarilyUnavailable, "the keys of the other side cannot be read now; try again", cause: "\(error)",
                retryAfter: 2)
        case let error as HTTPError where error.status == .notFound:
            OAuthError(.notFound, "there is nothing at this address")
        case let error as HTTPError where error.status == .methodNotAllowed:
            OAuthError(.methodNotAllowed, "this address does not take this method")
        case let error as HTTPError where error.status == .contentTooLarge:
            OAuthError(.tooLarge, "the body is too large")
        case let error as HTTPError where error.status.kind == .clientError:
            OAuthError(.invalidRequest, "the request cannot be understood", status: error.status.code)
        default:
            OAuthError(
                .serverError, "something went wrong on this server; it has been logged",
                cause: "\(type(of: error)): \(error)")
        }
    }

    /// Who asks by Basic, or names itself in the address; whether they may is not known.
    static func named(_ request: Request) -> String? {
        let shown = request.headers[.authorization].flatMap(PresentedRequest.credentials)
        if let shown, shown.scheme == "basic" { return (try? BasicCredentials(shown.value))?.id }
        return request.uri.queryParameters["client_id"].map(String.init)
    }

    /// A refusal that is tallied (`RefusalTally`) stands in the log for who looks closely alone.
    ///
    /// The path as it stands in the table, so that no identifier or secret of a URL reaches the log.
    public static func log(_ refusal: OAuthError, _ context: RoutedContext, client: String? = nil) {
        log(
            refusal.isTallied ? .debug : refusal.status >= 500 ? .error : .info, status: refusal.status,
            code: refusal.code.rawValue,
            cause: refusal.cause ?? refusal.description, client: refusal.asked(by: client).client, context)
    }

    /// For refusals in the form of a product's protocol.
    public static func log(
        _ level: Logger.Level = .info, status: Int, code: String, cause: String, client: String? = nil,
        _ context: RoutedContext
    ) {
        var metadata: Logger.Metadata = [
            "endpoint": "\(context.route ?? "unknown")", "status": "\(status)", "error": "\(code)",
            "cause": "\(cause)",
        ]
        metadata["peer"] = context.peer.map { "\($0)" }
        context.metrics?.refused(code)
        metadata["client"] = client.map { "\($0)" }
        context.logger.log(level: level, "\(refused)", metadata: metadata)
    }

    /// The message of each such line: by it `pando dev` shows them.
    public static let refused = "refused"
}

/// Headers that every answer carries. Whoever is told 405 is told what else to use, and an answer to HEAD has no body,
/// errors included (RFC 9110, 9.3.2 and 15.5.6).
struct AnswerGuards: RouterMiddleware {
    let allowed: AllowedMethods

    func handle(
        _ request: Request, context: RoutedContext, next: (Request, RoutedContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        response.headers[.contentTypeOptions] = "nosniff"
        if response.headers[.referrerPolicy] == nil { response.headers[.referrerPolicy] = "no-referrer" }
        if response.status == .methodNotAllowed, response.headers[.allow] == nil {
            // Not the one that was just refused: HEAD is made of GET, but not everywhere.
            let others = allowed.at(request.uri.path).filter { $0 != request.method }
            response.headers[.allow] = AllowedMethods.text(others)
        }
        return request.method == .head ? response.createHeadResponse() : response
    }
}
