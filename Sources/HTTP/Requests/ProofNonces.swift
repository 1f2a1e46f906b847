import HTTPTypes
import Hummingbird
import Registration

/// Tells the nonce for the next proof to whoever sent one with this request, whatever became of it (RFC 9449, 8.2 and
/// 9).
struct ProofNonces: RouterMiddleware {
    let nonces: ServerNonce

    func handle(
        _ request: Request, context: RoutedContext, next: (Request, RoutedContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        guard request.headers[.dpop] != nil else { return response }
        response.headers[.dpopNonce] = nonces.current
        // 8.2: an answer with a nonce must not come out of a cache.
        response.headers[.cacheControl] = "no-store"
        if response.headers[.accessControlAllowOrigin] != nil {
            response.headers.append(HTTPField(name: .accessControlExposeHeaders, value: "DPoP-Nonce, WWW-Authenticate"))
        }
        return response
    }
}
