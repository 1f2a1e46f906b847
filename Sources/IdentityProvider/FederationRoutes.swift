import Base
import Database
import Federation
import HTTP
import HTTPTypes
import Hummingbird
import Vocabulary

/// The public listing of the federation: for operators, mirrors and pages. Shows what discovery shows to apps, and who
/// is in.
enum FederationRoutes {
    /// What a cache may keep a page for.
    private static let seconds = 30

    static func endpoints(_ discovery: ProtocolQuery, _ database: Database) -> [Endpoint] {
        let listing = FederationListing()
        return [
            Endpoint(
                .get, "/federation/services",
                "Services of the federation, by pages: limit, after, protocol, updated_since, documents"
            ) { request, _ in
                let asked = try ListingRequest(QueryItems(request))
                return answer(try await discovery.page(asked.query) { asked.page(of: $0) }, to: request)
            },
            Endpoint(.get, "/federation/services/{id}", "One service of the federation, with its document") {
                request, context in
                guard let id = context.parameters.get("id"), !id.utf8.contains(0),
                    let service = try await listing.find(id, in: database)
                else {
                    throw OAuthError(.notFound, "no service of this federation has that id")
                }
                return answer(DiscoveryAnswer(text: service.text(documents: true)), to: request)
            },
        ]
    }

    private static func answer(_ answer: DiscoveryAnswer, to request: Request) -> Response {
        let etag = answer.etag
        let headers: HTTPFields = [
            .eTag: etag, .cacheControl: "public, max-age=\(seconds)", .accessControlAllowOrigin: "*",
            .accessControlExposeHeaders: "ETag",
        ]
        if EntityTags.match(request, etag) { return Response(status: .notModified, headers: headers) }
        return Answer.text(answer.text, type: "application/json", headers: headers)
    }
}
