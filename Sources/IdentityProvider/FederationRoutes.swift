import Base
import Database
import Federation
import HTTP
import HTTPTypes
import Hummingbird
import OAuth
import Vocabulary

/// The listing of the federation: for operators, mirrors and pages. Shows what discovery shows to apps, and who is in;
/// to everybody, unless the operator says otherwise.
enum FederationRoutes {
    /// What a cache may keep a page for.
    private static let seconds = 30

    static func endpoints(_ idp: AuthorizationServer, _ database: Database) -> [Endpoint] {
        let listing = FederationListing(), discovery = idp.discovery, access = idp.listing, base = idp.realm.base
        return [
            Endpoint(
                .get, "/federation/services",
                "Services of the federation, by pages: limit, after, protocol, updated_since, documents"
            ) { request, context in
                try await access.require(request.presented(base, context))
                let asked = try ListingRequest(QueryItems(request))
                return answer(try await discovery.page(asked.query) { asked.page(of: $0) }, to: request, access)
            },
            Endpoint(.get, "/federation/services/{id}", "One service of the federation, with its document") {
                request, context in
                try await access.require(request.presented(base, context))
                guard let id = context.parameters.get("id"), !id.utf8.contains(0),
                    let service = try await listing.find(id, in: database)
                else {
                    throw OAuthError(.notFound, "no service of this federation has that id")
                }
                return answer(DiscoveryAnswer(text: service.text(documents: true)), to: request, access)
            },
        ]
    }

    private static func answer(_ answer: DiscoveryAnswer, to request: Request, _ access: ListingAccess) -> Response {
        let etag = answer.etag
        var headers = access.headers(seconds: seconds)
        headers[.eTag] = etag
        if access.policy == .public { headers[.accessControlExposeHeaders] = "ETag" }
        if EntityTags.match(request, etag) { return Response(status: .notModified, headers: headers) }
        return Answer.text(answer.text, type: "application/json", headers: headers)
    }
}

extension ListingAccess {
    /// What everybody may read, caches may keep and pages of any origin may show; what only some may, is theirs.
    func headers(seconds: Int) -> HTTPFields {
        policy == .public
            ? [.cacheControl: "public, max-age=\(seconds)", .accessControlAllowOrigin: "*"]
            : [.cacheControl: "private, max-age=\(seconds)", .vary: "Authorization"]
    }
}
