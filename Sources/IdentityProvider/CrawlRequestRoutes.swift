import Base
import Database
import Federation
import HTTP
import HTTPTypes
import Hummingbird
import OAuth
import Vocabulary

/// Where a service asks that its document be read now (docs/join-the-federation.md, "When it changes").
enum CrawlRequestRoutes {
    private static let scopes = ["events"]

    static func endpoints(_ idp: AuthorizationServer, _ database: Database) -> [Endpoint] {
        let requests = idp.crawlRequests
        return [
            Endpoint(.post, "/services/self/crawl", "A service asks that its document be read now") {
                request, context in
                let parameters = try await BodyReading.parameters(request)
                let service = try await idp.serviceAuthentication.require(
                    request.presented(idp.realm.base, context), parameters, scopes: scopes)
                switch try await requests.ask(for: service.id, in: database) {
                case .taken: return Answer.empty(.accepted)
                case .tooSoon(let seconds):
                    throw OAuthError(
                        .tooManyAttempts, "a service is heard once a minute: ask again in \(seconds) seconds",
                        retryAfter: seconds)
                case .notCrawled:
                    throw OAuthError(.forbidden, "a service that is suspended is not crawled: ask its operator why")
                }
            }.telling(
                EndpointShape(
                    form: ["client_id", "client_assertion", "client_assertion_type"],
                    formExample: OpenAPISchema.keyHolder, status: 202,
                    about: """
                        For the service as itself: its client by `client_secret_basic`, by the members of \
                        `private_key_jwt` in the body, or by an access token of its own with scope `events`. The \
                        crawler reads the document as soon as it has a place. Once a minute at most.
                        """,
                    bodyType: EndpointShape.formType, security: .byService,
                    others: [
                        OtherAnswer(
                            "429", "Asked less than a minute ago", "OAuthError",
                            saysWhenToRetry: true),
                        .oauthError,
                    ]))
        ]
    }
}
