import Base
import HTTP
import HTTPTypes
import Hummingbird
import OAuth
import TokenTree
import Vocabulary

/// What an app may ask about its person, with a personal access token.
enum PeopleRoutes {
    static func endpoints(_ idp: AuthorizationServer) -> [Endpoint] {
        let base = idp.realm.base
        let userInfo: Endpoint.Handler = { request, context in
            let holder = try await idp.check.require(
                [.personalAccessToken, .accessToken], request.presented(base, context))
            switch try await idp.web.userInfo.answer(holder) {
            case .plain(let claims): return Answer.json(claims)
            case .signed(let jwt): return Answer.text(jwt, type: "application/jwt", store: false)
            }
        }
        return [
            Endpoint(.get, "/userinfo", "Claims about the person (OpenID Connect Core, 5.3)", userInfo)
                .forOrigins(.registered(idp.origins)),
            Endpoint(.post, "/userinfo", "The same", userInfo).forOrigins(.registered(idp.origins)),
            Endpoint(.get, "/user-profile", "The person's identities, the core one first") { request, context in
                let holder = try await idp.person(request.presented(base, context))
                return Answer.json(try await idp.profile.identities(holder.token))
            }.forOrigins(.registered(idp.origins)),
            Endpoint(.get, "/service-discovery/user", "Base URLs of the services the person used, most recent first") {
                request, context in
                let holder = try await idp.person(request.presented(base, context))
                return Answer.json(try await idp.profile.services(holder.token))
            },
            Endpoint(
                .delete, "/service-discovery/user", "Forget what services the person used, or with service= one of them"
            ) { request, context in
                let holder = try await idp.person(request.presented(base, context))
                try await idp.profile.forgetServices(holder.token, at: try forgotten(request))
                return Answer.empty(.noContent)
            },
            Endpoint(.get, "/instances", "The person's app instances") { request, context in
                Answer.json(try await idp.instances.list(try await owner(idp, request, context)))
            },
            Endpoint(
                .patch, "/instances/{id}", "Change device information; with an instance token, the instance's own"
            ) { request, context in
                let owner = try await owner(idp, request, context, taking: [.personalAccessToken, .instanceToken])
                let body = try await BodyReading.json(request)
                return Answer.json(try await idp.instances.change(context.parameters.get("id") ?? "", body, by: owner))
            },
            Endpoint(.delete, "/instances/{id}", "Disconnect an instance, and all below it") { request, context in
                try await idp.instances.disconnect(
                    context.parameters.get("id") ?? "", by: try await owner(idp, request, context))
                return Answer.empty(.noContent)
            },
        ]
    }

    /// Empty text is not absent: whoever meant one service must not empty the list.
    private static func forgotten(_ request: Request) throws -> String? {
        let named = try QueryItems(request).all("service")
        guard named.count <= 1 else { throw OAuthError(.invalidRequest, "parameter service comes twice") }
        return named.first
    }

    /// An app by its personal access token; a page of our own by the browser's session, and then only from the same
    /// origin.
    static func owner(
        _ idp: AuthorizationServer, _ request: Request, _ context: RoutedContext,
        taking kinds: [TokenKind] = [.personalAccessToken]
    ) async throws -> Owner {
        let presented = request.presented(idp.realm.base, context), cookies = BrowserCookies(issuer: idp.realm.base)
        guard request.headers[.authorization] == nil, let browser = cookies.browser(request),
            let session = try await idp.web.login.session(cookie: cookies.session(request))
        else {
            return Owner(try await idp.check.require(kinds, presented), presented)
        }
        try BrowserRequest.sameOrigin(request, idp.realm.base)
        if request.method != .get, request.headers[.origin] == nil, request.headers[.fetchSite] != "same-origin" {
            throw OAuthError(.forbidden, "a browser that changes something says where the request comes from")
        }
        return Owner(
            session,
            BrowserSessionContext(
                browser: browser, session: session, device: request.headers[.userAgent], origin: context.peer))
    }
}
