import Base

/// An RSD document as it is written, before links are joined and names judged. Every dialect is read into this.
struct WrittenDocument: Sendable {
    enum Generation: Sendable {
        /// RSD 1.0 and 0.6: relative links by RFC 3986.
        case one
        /// RSD2 and its JSON dialects: links by concatenation.
        case two
    }

    var generation: Generation
    var engineName: String?
    var engineLink: String?
    var homePageLink: String?
    var engineID: String?
    var apis: [WrittenAPI]
    var warnings: [CrawlWarning] = []
}

struct WrittenAPI: Sendable {
    var name: String
    /// `nil` when absent, which is not the same as empty.
    var link: String?
    var version: JSONValue?
    var engineID: String?
    var preferred: Bool = false
    var transport: [String] = []
    var docs: String?
    var description: String?
    var notes: String?
    var settings: JSONObject = [:]

    static func isPreferred(_ word: String?) -> Bool {
        word.map { ["true", "yes", "1"].contains($0.lowercased()) } ?? false
    }
}
