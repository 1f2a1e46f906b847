import Foundation
import NIOHTTP1
import Vocabulary

/// An answer of status 200 or 304, or any other that the caller may look at: never a redirect.
struct Answer: Sendable {
    /// After redirects.
    let url: WebURL
    let status: Int
    let headers: HTTPHeaders
    /// Decoded from its content coding. Empty unless the status is 200.
    let body: [UInt8]
    /// The URL to ask next time: a temporary redirect is followed this time only (RFC 9110, 15.4.3, 15.4.4, 15.4.8).
    /// `nil` is `url`.
    var lasting: WebURL?

    var lastingURL: WebURL { lasting ?? url }

    /// The `charset` of the content type, without quotes.
    var charset: String? {
        guard let type = headers.first(name: "Content-Type") else { return nil }
        for parameter in type.split(separator: ";").dropFirst() {
            let parts = parameter.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].trimmingBlanks.lowercased() == "charset" else { continue }
            let value = parts[1].filter { $0 != "\"" && $0 != "'" && !$0.isWhitespace }
            return value.isEmpty ? nil : value
        }
        return nil
    }

    /// Whether content type or name says YAML (RFC 9512; RSD2's `application/x-rsd+yaml`).
    var isYAML: Bool {
        let type = headers.first(name: "Content-Type").map { $0.prefix { $0 != ";" }.trimmingBlanks.lowercased() } ?? ""
        let path = url.path.lowercased()
        return ["application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"].contains(type)
            || type.hasSuffix("+yaml") || path.hasSuffix(".yaml") || path.hasSuffix(".yml")
    }

    /// `max-age` of Cache-Control (RFC 9111, 5.2.2.1), in seconds; no more than counts.
    var maxAge: Int? {
        for directive in headers[canonicalForm: "Cache-Control"] {
            let parts = directive.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].lowercased() == "max-age" else { continue }
            return Int(parts[1].filter { $0 != "\"" }).map { min(max(0, $0), CrawlSchedule.longestTTL) }
        }
        return nil
    }

    /// RFC 9110, 10.2.3: seconds or a date; at most a day.
    static func retryAfter(_ headers: HTTPHeaders, now: Date) -> Duration? {
        guard let text = headers.first(name: "Retry-After") else { return nil }
        let seconds = Int(text) ?? date(text).map { Int(min(max(0, $0.timeIntervalSince(now).rounded(.up)), 86_400)) }
        return seconds.map { .seconds(min(max(0, $0), 86_400)) }
    }

    /// IMF-fixdate (RFC 9110, 5.6.7); the obsolete forms are not read.
    private static func date(_ text: String) -> Date? {
        let format = DateFormatter()
        format.locale = Locale(identifier: "en_US_POSIX")
        format.timeZone = TimeZone(secondsFromGMT: 0)
        format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return format.date(from: text)
    }
}

/// What makes a request conditional (RFC 9110, 13.1).
struct Validators: Sendable, Equatable {
    var etag: String?
    var lastModified: String?
}
