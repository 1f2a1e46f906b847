import Base
import Federation
import HTTPTypes
import Hummingbird
import OAuth
import Vocabulary

/// The listing of the federation: for operators, mirrors and pages. Shows what discovery shows to apps, and who is in;
/// to everybody, unless the operator says otherwise.
public struct ListingRoutes: Sendable {
    /// What a cache may keep a page for.
    private static let seconds = 30

    /// The URL of this host's root, and the path below it that the endpoints have.
    let root: String
    let path: String
    /// Stands before the summaries: the service's name.
    let name: String
    let query: ProtocolQuery
    let access: ListingAccess

    public init(
        root: String, path: String = "", name: String = "", query: ProtocolQuery, access: ListingAccess
    ) {
        (self.root, self.path, self.name) = (root, path, name)
        (self.query, self.access) = (query, access)
    }

    public var endpoints: [Endpoint] {
        [
            Endpoint(
                .get, path + "/federation/services",
                name + "Services of the federation, by pages: limit, after, protocol, updated_since, documents"
            ) { request, context in
                try await access.require(request.presented(root, context))
                let asked = try ListingRequest(QueryItems(request))
                return answer(try await query.page(asked.query) { asked.page(of: $0) }, to: request)
            }.telling(
                shape(
                    "ListedServices",
                    query: [
                        "limit:integer", "after", "protocol:[string]", "updated_since", "documents:=true|false",
                    ],
                    [
                        "limit": "1 to \(ListingRequest.mostItems), 100 where it is left out.",
                        "after": "`next` of the page before.", "protocol": "All of these are offered.",
                        "updated_since": "RFC 3339: changed then or later, also those that were removed.",
                        "documents": "Whether each has its document.",
                    ])),
            Endpoint(
                .get, path + "/federation/services/{id}", name + "One service of the federation, with its document"
            ) { request, context in
                try await access.require(request.presented(root, context))
                guard let id = context.parameters.get("id"), !id.utf8.contains(0),
                    let service = try await query.service(id)
                else {
                    throw OAuthError(.notFound, "no service of this federation has that id")
                }
                return answer(DiscoveryAnswer(text: service.text(documents: true)), to: request)
            }.telling(shape("ListedService", query: [], [:], errors: [404])),
        ].map { $0.forOrigins(access.policy == .public ? .any : .none) }
    }

    /// Who may read it is the operator's word.
    private func shape(
        _ answer: String, query: [String], _ meanings: [String: String], errors: [Int] = []
    ) -> EndpointShape {
        EndpointShape(
            query: query, headers: ["If-None-Match"], answer: answer, meanings: meanings,
            answerHeaders: ["ETag": "Changes when and only when the answer does"],
            security: access.policy == .public ? [] : [[.dpop], [.bearer]], others: [.unchanged, .oauthError],
            errors: errors)
    }

    private func answer(_ answer: DiscoveryAnswer, to request: Request) -> Response {
        let etag = answer.etag
        var headers = access.headers(seconds: Self.seconds)
        headers[.eTag] = etag
        if access.policy == .public { headers[.accessControlExposeHeaders] = "ETag" }
        if EntityTags.match(request, etag) { return Response(status: .notModified, headers: headers) }
        return Answer.text(answer.text, type: "application/json", headers: headers)
    }
}

extension ListingAccess {
    /// What everybody may read, caches may keep and pages of any origin may show; what only some may, is theirs.
    public func headers(seconds: Int) -> HTTPFields {
        policy == .public
            ? [.cacheControl: "public, max-age=\(seconds)", .accessControlAllowOrigin: "*"]
            : [.cacheControl: "private, max-age=\(seconds)", .vary: "Authorization"]
    }
}
