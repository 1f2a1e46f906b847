import HTTPTypes
import Hummingbird
import OAuth
import Vocabulary

/// What a browser asks before it sends a request of another origin's page (Fetch, 3.2.2), at each path that such pages
/// may call.
///
/// A preflight names an origin and no client. So it is granted where some client registered the origin; whether it is
/// the right one is seen when the request itself comes.
enum Preflight {
    /// Seconds for which browsers remember what was granted, as many as they do at most. What was refused they forget.
    static let remembered = 7_200

    /// For paths that have no `OPTIONS` of their own.
    static func endpoints(_ endpoints: [Endpoint], allowed: AllowedMethods) -> [Endpoint] {
        var places: [(path: String, endpoints: [Endpoint])] = []
        for endpoint in endpoints {
            if let index = places.firstIndex(where: { $0.path == endpoint.path }) {
                places[index].endpoints.append(endpoint)
            } else {
                places.append((endpoint.path, [endpoint]))
            }
        }
        return places.compactMap { path, all in
            let open = all.filter { $0.isOpen }
            guard !open.isEmpty, !all.contains(where: { $0.method == .options }) else { return nil }
            return Endpoint(.options, path, "Which pages may ask here (Fetch, 3.2.2)") { request, context in
                try await answer(request, context, open, allowed)
            }
        }
    }

    private static func answer(
        _ request: Request, _ context: RoutedContext, _ open: [Endpoint], _ allowed: AllowedMethods
    ) async throws -> Response {
        guard let origin = request.headers[.origin], let asked = request.headers[.accessControlRequestMethod] else {
            // No preflight: what the place takes (RFC 9110, 9.3.7).
            return Response(status: .noContent, headers: [.allow: AllowedMethods.text(allowed.at(request.uri.path))])
        }
        let method = asked == HTTPRequest.Method.head.rawValue ? HTTPRequest.Method.get.rawValue : asked
        var reader: String?
        switch open.first(where: { $0.method.rawValue == method })?.origins ?? Endpoint.Origins.none {
        case .none: break
        case .any: reader = "*"
        case .registered(let check):
            reader = try await check.origins.contains(origin, from: context.peer) ? origin : nil
        }
        guard let reader else {
            let refusal = OAuthError(.accessDenied, "no client registered this origin for pages that ask here")
            ErrorRendering.log(refusal, context)
            return varying(Answer.error(refusal))
        }
        let granted = Response(
            status: .noContent,
            headers: [
                .accessControlAllowOrigin: reader,
                .accessControlAllowMethods: open.map(\.method.rawValue).joined(separator: ", "),
                .accessControlAllowHeaders: CrossOrigin.headers, .accessControlMaxAge: String(remembered),
            ])
        return varying(granted)
    }

    private static func varying(_ answer: Response) -> Response {
        var answer = answer
        answer.headers[.vary] = "Origin"
        return answer
    }
}

extension Endpoint {
    fileprivate var isOpen: Bool {
        if case .none = origins { false } else { true }
    }
}
