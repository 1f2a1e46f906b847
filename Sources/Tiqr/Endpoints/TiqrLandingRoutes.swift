import Base
import HTTP
import HTTPTypes
import Hummingbird
import Pages
import Vocabulary

/// Where a universal link leads in a browser: a page with the link that opens the app (design/backoffice.md, "On the
/// phone's side"). With and without the last slash, since the router passes over it. Nothing of an enrollment or a
/// challenge is read or used up.
enum TiqrLandingRoutes {
    static func endpoints(_ tiqr: TiqrService) -> [Endpoint] {
        [
            Endpoint(.get, TiqrLink.enrollmentPath, "tiqr: landing page of enrollment links") { request, context in
                try await answer(request, context, .enrollment) { query in
                    let key = query["metadata"]?.split(separator: "enrollment_key=").last.map(String.init)
                    let app = if let key { try await tiqr.app(enrollmentKey: key) } else { AppLinks?.none }
                    return WebAddress(tiqr.settings.base).flatMap {
                        TiqrLanding.enrollment(
                            query: query, base: $0, scheme: app?.enrollScheme ?? tiqr.settings.enrollScheme)
                    }
                }
            }.telling(.tiqrLanding),
            Endpoint(.get, TiqrLink.authenticationPath, "tiqr: landing page of authentication links") {
                request, context in
                try await answer(request, context, .authentication) { query in
                    let own = try await tiqr.identifier(query["i"] ?? "")
                    return TiqrLanding.authentication(
                        query: query, scheme: own?.app.authScheme ?? tiqr.settings.authScheme
                    ) { $0 == own?.identifier }
                }
            }.telling(.tiqrLanding),
        ]
    }

    /// `make` gives `nil` for what does not lead to this server: the page lends its name to nobody else.
    private static func answer(
        _ request: Request, _ context: RoutedContext, _ purpose: LandingPage.Purpose,
        make: @Sendable ([String: String]) async throws -> String?
    ) async throws -> Response {
        var response: Response
        do {
            guard let query = try? FormCodec.read((request.uri.query ?? "").utf8), let link = try await make(query)
            else {
                throw OAuthError(.invalidRequest, "this is no tiqr link of this server")
            }
            let isAndroid = request.headers[.userAgent]?.contains("Android") == true
            response = PageAnswer.html(
                LandingPage(Language(of: request), purpose, link: link, isAndroid: isAndroid).html)
        } catch {
            response = try BrowserRequest.page(ErrorRendering.refusal(for: error), request, context)
        }
        // The address holds a key; there is no form here that would miss its origin.
        response.headers[.referrerPolicy] = "no-referrer"
        return response
    }
}
