import HTTP
import Hummingbird

/// Answers as if requests came from `peer`, which a router without a socket does not know; `nil` leaves that so.
struct PlacedResponder<Inner: HTTPResponder>: HTTPResponder where Inner.Context == RoutedContext {
    let responder: Inner
    let peer: String?

    func respond(to request: Request, context: RoutedContext) async throws -> Response {
        var context = context
        if let peer { context.peer = peer }
        return try await responder.respond(to: request, context: context)
    }
}
