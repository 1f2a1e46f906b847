import Base
import HTTP
import HTTPTypes
import Hummingbird
import Registration

/// Web clients that register themselves (RFC 7591) and look after their registration (RFC 7592).
enum ClientRoutes {
    /// `base` is the issuer.
    static func endpoints(_ flow: RegisterClient, base: String) -> [Endpoint] {
        @Sendable func id(_ context: RoutedContext) -> String { context.parameters.get("client_id") ?? "" }
        return [
            Endpoint(.post, "/register", "Registration of a web client (RFC 7591), with an initial access token") {
                request, context in
                Answer.json(
                    try await flow.register(request.presented(base, context)) { try await BodyReading.json(request) },
                    status: .created)
            }.telling(.registration).named("registerClient"),
            Endpoint(.get, "/register/{client_id}", "A client's own registration (RFC 7592)") { request, context in
                Answer.json(try await flow.read(id(context), request.presented(base, context)))
            }.telling(.registrationRead).named("readClient"),
            Endpoint(.put, "/register/{client_id}", "Replace it") { request, context in
                Answer.json(
                    try await flow.update(id(context), request.presented(base, context)) {
                        try await BodyReading.json(request)
                    })
            }.telling(.registrationUpdate).named("updateClient"),
            Endpoint(.delete, "/register/{client_id}", "Delete the client and end its tokens") { request, context in
                try await flow.delete(id(context), request.presented(base, context))
                return Answer.empty(.noContent)
            }.telling(.registrationRemoval).named("deleteClient"),
        ]
    }
}
