import Base
import Vocabulary

/// Where a service's tokens are exchanged and revoked, as far as its document may say (design/crawler.md, "What
/// follows").
///
/// Assertions are made for the token endpoint, so a document speaks for places below its service's own base only:
/// whoever gets hold of it claims nobody else's. An endpoint elsewhere is passed over, and
/// ``CrawlWarning/foreignEndpoint`` tells.
struct ServiceEndpoints: Sendable, Equatable {
    /// `BASE/token` unless the document names one of its own.
    let token: String
    let revocation: String?
    /// Whether the document names one that is elsewhere.
    let isForeign: Bool

    init(_ document: ServiceDocument, base: String) {
        let home = WebAddress(base)
        let exchange = document.endpoint(protocol: "org.ietf.oauth2", "token"),
            end = document.api(named: "org.ietf.oauth2.revoke")?.link
        let own = exchange.flatMap { ServiceEndpoints.own($0, below: home) },
            ownEnd = end.flatMap { ServiceEndpoints.own($0, below: home) }
        token = own ?? RSDLink.joined(home?.withoutQuery ?? base, "token")
        revocation = ownEnd
        isForeign = exchange != nil && own == nil || end != nil && ownEnd == nil
    }

    /// In the one spelling by which requests name it; `nil` unless it has the base's origin, a path below the base's,
    /// and no query.
    private static func own(_ link: String, below home: WebAddress?) -> String? {
        guard let home, let address = WebAddress(link), address.query == nil, address.origin == home.origin,
            address.path.hasPrefix(home.path + "/")
        else { return nil }
        return address.withoutQuery
    }
}
