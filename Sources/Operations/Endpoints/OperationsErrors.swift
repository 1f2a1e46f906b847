import Base
import HTTP
import HTTPTypes
import Hummingbird
import PowerAuth
import Vocabulary

/// Errors below the base of the service operations, in the one envelope that the SDKs and back offices of this protocol
/// read (protocols/operations.md, 1.4 and 6): `{"status":"ERROR","responseObject":{"code","message"}}`, whatever went
/// wrong, HTTP itself and the database included. None of OAuth's for phones; the back office keeps OAuth's 401 and 403,
/// which say how to do better (design/backoffice.md, "Getting in").
struct OperationsErrors: RouterMiddleware {
    private enum Family { case powerAuth, mobileToken, backOffice }

    private struct Envelope {
        let status: Int
        let code: String
        let message: String
        var retryAfter: Int? = nil

        var response: Response {
            let body: JSONValue = [
                "status": "ERROR", "responseObject": ["code": .string(code), "message": .string(message)],
            ]
            var headers = HTTPFields()
            if let retryAfter { headers[.retryAfter] = String(retryAfter) }
            return Answer.json(body, status: .init(code: status), headers: headers)
        }
    }

    private let base: [Substring]

    /// `path` is that of the service's base below this host's root.
    init(path: String) { base = path.split(separator: "/") }

    func handle(
        _ request: Request, context: RoutedContext, next: (Request, RoutedContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            guard let family = family(of: request.uri.path),
                let envelope = OperationsErrors.envelope(error, family, context)
            else { throw error }
            return envelope.response
        }
    }

    /// As the router splits it: of several slashes one counts.
    private func family(of path: String) -> Family? {
        let parts = path.split(separator: "/")
        guard parts.count > base.count, parts.starts(with: base) else { return nil }
        return switch parts[base.count] {
        case "pa": .powerAuth
        case "api": .mobileToken
        case "v2": .backOffice
        default: nil
        }
    }

    /// `nil` for what is told as everywhere.
    private static func envelope(_ error: any Error, _ family: Family, _ context: RoutedContext) -> Envelope? {
        if let refused = error as? OperationsRefusal {
            ErrorRendering.log(
                status: refused.status, code: refused.code, cause: refused.description, context)
            return Envelope(status: refused.status, code: refused.code, message: refused.description)
        }
        if let refused = error as? BackOfficeRefusal {
            ErrorRendering.log(
                status: refused.status, code: refused.code, cause: refused.description, context)
            return Envelope(status: refused.status, code: refused.code, message: refused.description)
        }
        let refusal = ErrorRendering.refusal(for: error)
        if family == .backOffice, [401, 403].contains(refusal.status) { return nil }
        ErrorRendering.log(refusal, context)
        return Envelope(
            status: refusal.status, code: code(refusal.status, family), message: refusal.description,
            retryAfter: refusal.retryAfter)
    }

    /// 503 has the code of a fault of the server: no SDK takes it for a verdict on its activation.
    private static func code(_ status: Int, _ family: Family) -> String {
        switch (family, status) {
        case (.backOffice, 500...): "ERROR_INTERNAL_API"
        case (.backOffice, _): "ERROR_REQUEST"
        case (_, 500...): "ERROR_GENERIC"
        case (_, 404): "ERROR_NOT_FOUND"
        case (_, _): "INVALID_REQUEST"
        }
    }
}
