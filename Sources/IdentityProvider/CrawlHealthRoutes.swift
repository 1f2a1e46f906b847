import Base
import Federation
import HTTP
import HTTPTypes
import Hummingbird
import OAuth
import Vocabulary

/// What `pando admin crawl` tells, by HTTP, for tokens with scope `admin` (docs/operate.md, "What services publish").
enum CrawlHealthRoutes {
    private static let root = "/admin/api/v1/crawl"
    private static let mostItems = 1_000

    static func endpoints(_ idp: AuthorizationServer, _ crawler: CrawlHealth) -> [Endpoint] {
        [
            Endpoint(.get, root, "Health of the services' documents, by pages: limit, after, state") {
                request, context in
                try await administered(idp, request, context)
                let query = try QueryItems(request), most = try limit(query)
                let state = try query.one("state")
                guard state.map(crawler.states.contains) ?? true else {
                    throw OAuthError(.invalidRequest, "state must be one of \(crawler.states.joined(separator: ", "))")
                }
                let rows = try await crawler.status([], state, try text(query.one("after")), most + 1)
                return page(rows, most, cursor: "service")
            }.telling(.crawlHealth),
            Endpoint(.get, root + "/{service}", "Health of one service's document") { request, context in
                try await administered(idp, request, context)
                return Answer.json(try await known(context, crawler).row)
            }.telling(.crawlHealthOfOne),
            Endpoint(
                .post, root + "/{service}/run", "Crawl now; with dry_run=true only read, and tell what Pando would read"
            ) { request, context in
                try await administered(idp, request, context)
                let query = try QueryItems(request), service = try await known(context, crawler).id
                let word = try query.one("dry_run")
                guard word == nil || word == "true" || word == "false" else {
                    throw OAuthError(.invalidRequest, "dry_run must be true or false")
                }
                guard let result = try await crawler.crawl(service, word == "true") else { throw unknown }
                return Answer.json(result)
            }.telling(.crawlRun),
        ]
    }

    private static func administered(
        _ idp: AuthorizationServer, _ request: Request, _ context: RoutedContext
    ) async throws {
        _ = try await idp.administrator(request.presented(idp.realm.base, context))
    }

    private static var unknown: OAuthError { OAuthError(.notFound, "there is no such service, or it was removed") }

    private static func known(
        _ context: RoutedContext, _ crawler: CrawlHealth
    ) async throws -> (id: String, row: JSONValue) {
        guard let id = context.parameters.get("service"), !id.utf8.contains(0),
            let row = try await crawler.status([id], nil, nil, 1).first
        else { throw unknown }
        return (id, row)
    }

    private static func limit(_ query: QueryItems) throws -> Int {
        guard let text = try query.one("limit") else { return 100 }
        guard let limit = Int(text), (1...mostItems).contains(limit) else {
            throw OAuthError(.invalidRequest, "limit must be a number from 1 to \(mostItems)")
        }
        return limit
    }

    /// PostgreSQL takes no NUL in a text.
    private static func text(_ text: String?) throws -> String? {
        guard let text, text.utf8.contains(0) else { return text }
        throw OAuthError(.invalidRequest, "a parameter holds NUL")
    }

    private static func page(_ rows: [JSONValue], _ limit: Int, cursor: String) -> Response {
        let shown = Array(rows.prefix(limit)), next = rows.count > limit ? shown.last?[cursor]?.string : nil
        return Answer.json(["items": .array(shown), "next": JSONValue(next)])
    }
}
