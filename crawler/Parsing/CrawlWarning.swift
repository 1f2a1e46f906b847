import Base
import Vocabulary

/// What was noticed while reading, in the words of design/crawler.md.
enum CrawlWarning: String, Sendable, CaseIterable {
    case leadingBytes = "leading_bytes", trailingBytes = "trailing_bytes", truncated, bareAmpersand = "bare_ampersand",
        encoding
    case mixedBinding = "mixed_binding", severalPreferred = "several_preferred", duplicateAPI = "duplicate_api"
    case noAPIs = "no_apis", noAPILink = "no_api_link", badLink = "bad_link", badName = "bad_name"
    /// Not of the reading: what the document says is kept, and not acted upon. Told with results and in the history,
    /// not in the row.
    case foreignEndpoint = "foreign_endpoint"
    /// Nor is this: the document is good, and leaves out the protocol without which apps can get no token. Told with
    /// results, in the history and in the status, not in the row.
    case hiddenFromApps = "hidden_from_apps"

    /// Told apart from what is wrong with a document: it is good.
    var isNotice: Bool { self == .hiddenFromApps }

    /// As results, the history and the status tell them: `warnings` and `notices`.
    static func json(_ words: [String]) -> (warnings: JSONValue, notices: JSONValue) {
        let notices = words.filter { CrawlWarning(rawValue: $0)?.isNotice == true }
        return (JSONValue(strings: words.filter { !notices.contains($0) }), JSONValue(strings: notices))
    }

    /// Findings of the repair pass make the state `degraded`.
    var isRepair: Bool {
        switch self {
        case .leadingBytes, .trailingBytes, .truncated, .bareAmpersand, .encoding: true
        case .mixedBinding, .severalPreferred, .duplicateAPI, .noAPIs, .noAPILink, .badLink, .badName, .foreignEndpoint,
            .hiddenFromApps:
            false
        }
    }

    /// What the names of a good document leave out. One without any name has `no_apis`, which says more.
    static func missing(in protocols: [String]) -> [CrawlWarning] {
        protocols.isEmpty || ProtocolName.isShownToApps(protocols) ? [] : [.hiddenFromApps]
    }
}
