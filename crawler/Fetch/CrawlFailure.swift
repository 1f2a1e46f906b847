import Vocabulary

/// Why a crawl, or one candidate of its search, failed: the words of design/crawler.md.
public enum CrawlReason: String, Sendable, CaseIterable {
    /// What a body is not, or what is wrong with it.
    case notRSD = "not_rsd", malformed, encoding, doctype, limits
    /// The fetch policy.
    case scheme, port, address, redirects, tooLarge = "too_large"
    /// The network.
    case dns, tls, unreachable, timeout, httpStatus = "http_status"
    /// The whole search.
    case notFound = "not_found"
    /// Asked for by name, but an operator has suspended it.
    case suspended
}

/// A failure of one candidate or of the search.
struct CrawlFailure: Error, Equatable, Sendable {
    let reason: CrawlReason
    /// One line for people; never more than 400 characters, never a control character or one that turns the direction.
    let detail: String
    let status: Int?
    /// What `Retry-After` asked for.
    let retryAfter: Duration?

    init(_ reason: CrawlReason, _ detail: String, status: Int? = nil, retryAfter: Duration? = nil) {
        self.reason = reason
        self.status = status
        self.retryAfter = retryAfter
        self.detail = CrawlFailure.shown(detail, most: 400)
    }

    private static let hidden: Set<Unicode.GeneralCategory> = [.control, .format, .lineSeparator, .paragraphSeparator]

    /// `text` for logs and terminals: what moves the cursor, ends a line or turns its direction is a blank.
    static func shown(_ text: String, most: Int) -> String {
        String(
            text.unicodeScalars.prefix(most).map {
                hidden.contains($0.properties.generalCategory) ? " " : Character($0)
            })
    }

    /// The same, said of `url`.
    func at(_ url: WebURL) -> CrawlFailure {
        CrawlFailure(
            reason, "\(String(url.description.prefix(200))): \(detail)", status: status, retryAfter: retryAfter)
    }
}
