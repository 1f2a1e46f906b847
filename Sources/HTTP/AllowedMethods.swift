import HTTPTypes
import Hummingbird
import Vocabulary

/// Which methods an address takes, by the table that the router is made of (RFC 9110, 9.1 and 10.2.1).
struct AllowedMethods: Sendable {
    private struct Place: Sendable {
        let path: RouterPath
        let methods: Set<HTTPRequest.Method>

        /// How near this path comes to an address, part by part; `nil` for another place's address.
        func nearness(_ parts: [Substring]) -> [Nearness]? {
            var found: [Nearness] = []
            for (index, element) in path.enumerated() {
                guard index < parts.count else { return nil }
                if element == .recursiveWildcard { return found + [.rest] }
                guard element ~= parts[index] else { return nil }
                found.append(element == parts[index] ? .name : element ~= "" ? .parameter : .partly)
            }
            return found.count == parts.count ? found : nil
        }
    }

    /// As the router prefers them: a name goes before what is one in part (`{id}.svg`), that before a parameter.
    private enum Nearness: Int, Comparable {
        case rest, parameter, partly, name

        static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
    }

    private let places: [Place]

    init(_ endpoints: [Endpoint]) {
        places = Dictionary(grouping: endpoints, by: \.path).map { path, endpoints in
            var methods = Set(endpoints.map(\.method))
            // The router makes HEAD of GET, and `WrongMethods` answers OPTIONS.
            if methods.contains(.get) { methods.insert(.head) }
            return Place(path: RouterPath(path), methods: methods.union([.options]))
        }
    }

    /// In the order of the alphabet; none where there is nothing at all.
    func at(_ path: String) -> [HTTPRequest.Method] {
        let parts = path.split(separator: "/")
        let found = places.compactMap { place in
            place.nearness(parts).map { (nearness: $0, methods: place.methods) }
        }
        let nearest = found.max { $0.nearness.lexicographicallyPrecedes($1.nearness) }
        return (nearest?.methods ?? []).sorted { $0.rawValue < $1.rawValue }
    }

    /// As the header `Allow` has it.
    static func text(_ methods: [HTTPRequest.Method]) -> String {
        methods.map(\.rawValue).joined(separator: ", ")
    }
}

/// Next to the endpoints, so that a product's errors keep their form: what stands at an address that takes other
/// methods is 405, and OPTIONS tells which. A page's preflight is answered before it comes here.
struct WrongMethods: RouterMiddleware {
    let allowed: AllowedMethods

    func handle(
        _ request: Request, context: RoutedContext, next: (Request, RoutedContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as HTTPError where error.status == .notFound && context.route == nil {
            let methods = allowed.at(request.uri.path)
            guard !methods.isEmpty else { throw error }
            if request.method == .options {
                return Response(status: .noContent, headers: [.allow: AllowedMethods.text(methods)])
            }
            guard !methods.contains(request.method) else { throw error }
            throw OAuthError(.methodNotAllowed, "this address takes \(AllowedMethods.text(methods))")
        }
    }
}
