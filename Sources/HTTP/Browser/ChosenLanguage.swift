import HTTPTypes
import Hummingbird
import NIOCore
import Pages

/// The language that somebody chose on a page here, kept by their browser for a year.
extension Language {
    static let cookie = "pando_language"

    /// As chosen here; else as `uiLocales` or the browser ask.
    public init(of request: Request, uiLocales: String? = nil) {
        self =
            Language.chosen(request) ?? Language(accepting: request.headers[.acceptLanguage], uiLocales: uiLocales)
    }

    static func chosen(_ request: Request) -> Language? {
        CookiePairs.values(of: cookie, in: request).lazy.compactMap(Language.init(rawValue:)).first
    }
}

extension PagePlace {
    /// Of the answer to a request: what was asked for by GET can be asked for again.
    init(_ brand: Brand, _ request: Request) {
        let isAsked = request.method == .get || request.method == .head
        let query = request.uri.query.map { "?\($0)" } ?? ""
        self.init(brand, address: isAsked ? request.uri.path + query : nil)
    }

    static func around(_ handler: @escaping Endpoint.Handler, _ brand: Brand) -> Endpoint.Handler {
        { request, context in
            try await PagePlace.$current.withValue(PagePlace(brand, request)) { try await handler(request, context) }
        }
    }
}

/// `/language`, where the form at the foot of each page leads, and what a brand has of its own.
enum BrandRoutes {
    static func endpoints(_ brand: Brand, root: String) -> [Endpoint] {
        [language(root: root)] + assets(brand)
    }

    /// It changes nothing here, so anybody may lead anybody to it; but only back to a page of this server.
    private static func language(root: String) -> Endpoint {
        Endpoint(.get, "/language", "Remember a language, and go back to the page") { request, _ in
            let query = try QueryItems(request), address = try query.one("to") ?? "/"
            var response = PageAnswer.redirect(root + (PagePlace.isOurs(address) ? address : "/"))
            if let language = try query.one("ui_locales").flatMap(Language.init(rawValue:)) {
                let secure = root.hasPrefix("https:") ? "; Secure" : ""
                response.headers.append(
                    HTTPField(
                        name: .setCookie,
                        value: "\(Language.cookie)=\(language.rawValue); Path=/; Max-Age=31536000; HttpOnly; "
                            + "SameSite=Lax\(secure)"))
            }
            return response
        }.telling(
            EndpointShape(
                query: ["ui_locales", "to"], status: 303,
                meanings: ["ui_locales": "en, de, fr or it.", "to": "Path and query of a page of this server."],
                answerHeaders: ["Location": "Where to go on.", "Set-Cookie": "The language."], security: [],
                others: [.oauthError]))
    }

    private static func assets(_ brand: Brand) -> [Endpoint] {
        var endpoints: [Endpoint] = []
        if let colours = brand.colours {
            endpoints.append(HealthRoutes.asset("brand.css", "text/css", "Colours of the brand", colours.style))
        }
        if let logo = brand.logo {
            endpoints.append(
                Endpoint(.get, "/assets/brand-logo", "Logo of the brand") { _, _ in
                    // A picture of somebody else's making: opened by itself, nothing in it runs.
                    Response(
                        status: .ok,
                        headers: [
                            .contentType: logo.type, .cacheControl: "public, max-age=3600",
                            .contentSecurityPolicy: "default-src 'none'; style-src 'unsafe-inline'; sandbox",
                        ], body: .init(byteBuffer: ByteBuffer(bytes: logo.bytes)))
                }.telling(.asset(logo.type)))
        }
        return endpoints
    }
}
