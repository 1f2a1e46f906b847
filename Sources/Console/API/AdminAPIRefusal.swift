import Administration
import Base
import Database
import HTTP
import HTTPTypes
import Hummingbird
import Vocabulary

/// What the API refuses besides what commands do.
enum AdminAPIRefusal: Error {
    /// RFC 9110, 15.5.13.
    case preconditionFailed
}

/// Errors in the words of the command line (docs/design/cli.md, "Manners"), with HTTP's status.
enum AdminAPIErrors {
    /// Throws what the server tells of itself: who may not, a database that is away, a fault.
    static func answer(_ error: any Error, _ context: RoutedContext) throws -> Response {
        switch error {
        case AdminAPIRefusal.preconditionFailed:
            let description = "it is not, or not any more, what If-Match says; read it again"
            return refusal(412, "precondition_failed", description, nil, context)
        case let refused as OAuthError where refused.code == .invalidRequest && refused.status == 400:
            return refusal(400, AdminFailure.Code.usage.rawValue, refused.description, nil, context)
        case is OAuthError: throw error
        case DatabaseError.undefinedTable: return try answer(AdminFailure(error), context)
        case is DatabaseError: return try answer(ofDatabase: error, context)
        case is any AdminRefusal, is AdminFailure: return try answer(AdminFailure(error), context)
        default:
            let failure = AdminFailure(error)
            // What no room has words for may tell more than a caller should know: it goes to the log.
            guard failure.code != .failed else { throw error }
            return try answer(failure, context)
        }
    }

    /// One that is away is told as everywhere in this server.
    private static func answer(ofDatabase error: any Error, _ context: RoutedContext) throws -> Response {
        let told = ErrorRendering.refusal(for: error)
        guard told.code == .invalidRequest else { throw error }
        return try answer(AdminFailure(.invalid, told.description), context)
    }

    private static func answer(_ failure: AdminFailure, _ context: RoutedContext) throws -> Response {
        switch failure.code {
        case .usage: refusal(400, failure, context)
        case .notFound: refusal(404, failure, context)
        case .conflict: refusal(409, failure, context)
        case .invalid: refusal(422, failure, context)
        case .forbidden: refusal(403, failure, context)
        case .failed, .partial: refusal(500, failure, context)
        case .unavailable: refusal(503, failure, context)
        case .stepUp:
            throw OAuthError(
                .insufficientAuthentication, failure.description,
                members: failure.maxAge.map { ["max_age": String($0)] } ?? [:])
        }
    }

    private static func refusal(_ status: Int, _ failure: AdminFailure, _ context: RoutedContext) -> Response {
        refusal(status, failure.code.rawValue, failure.description, failure.hint, context)
    }

    private static func refusal(
        _ status: Int, _ code: String, _ description: String, _ hint: String?, _ context: RoutedContext
    ) -> Response {
        // The description may hold what was sent; the code says what the log must know.
        ErrorRendering.log(status >= 500 ? .error : .info, status: status, code: code, cause: code, context)
        var body: JSONObject = ["error": .string(code), "error_description": .string(description)]
        if let hint { body["hint"] = .string(hint) }
        return Answer.json(
            .object(body), status: .init(code: status), headers: status == 503 ? [.retryAfter: "2"] : [:])
    }
}
