import Base
import HTTPTypes
import Hummingbird
import Keys

/// `/metrics` of a port of its own: OpenMetrics 1.0 for who asks for it, else the text format of Prometheus (0.0.4).
/// Behind a token where there is one (RFC 6750, 2.1).
public struct MetricsPage: Sendable {
    public enum Format: String, Sendable, CaseIterable {
        case prometheus = "text/plain"
        case openMetrics = "application/openmetrics-text"

        var contentType: String {
            switch self {
            case .prometheus: "text/plain; version=0.0.4; charset=utf-8"
            case .openMetrics: "application/openmetrics-text; version=1.0.0; charset=utf-8"
            }
        }
    }

    static let path = "/metrics"

    private let token: SecretBytes?
    private let text: @Sendable (Format) async -> String

    /// `token`: `nil` where whoever reaches the port may read.
    public init(token: SecretBytes?, text: @escaping @Sendable (Format) async -> String) {
        (self.token, self.text) = (token, text)
    }

    func answer(_ request: Request) async -> Response {
        guard isAllowed(request.headers) else {
            return Answer.text(
                "This page is for who shows its token: Authorization: Bearer …\n", type: "text/plain; charset=utf-8",
                status: .unauthorized, store: false, headers: [.wwwAuthenticate: "Bearer realm=\"metrics\""])
        }
        let format = MetricsPage.format(request.headers[values: .accept].joined(separator: ","))
        return Answer.text(await text(format), type: format.contentType, store: false, headers: [.vary: "Accept"])
    }

    private func isAllowed(_ headers: HTTPFields) -> Bool {
        guard let token else { return true }
        let shown = headers[values: .authorization]
        guard shown.count == 1 else { return false }
        let parts = shown[0].split(separator: " ", maxSplits: 1)
        return parts.count == 2 && parts[0].lowercased() == "bearer" && SecretBytes(parts[1].utf8) == token
    }

    /// RFC 9110, 12.5.1. A version of OpenMetrics that is not ours is passed over; among equals Prometheus' own text.
    static func format(_ accept: String) -> Format {
        var best = (format: Format.prometheus, quality: 0.0)
        for range in accept.split(separator: ",") {
            let parts = range.split(separator: ";").map { $0.filter { !$0.isWhitespace }.lowercased() }
            guard let type = parts.first, let format = Format(rawValue: type) else { continue }
            let values = Dictionary(
                parts.dropFirst().map { part in
                    let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
                    return (pair.first ?? "", pair.count == 2 ? pair[1] : "")
                }, uniquingKeysWith: { first, _ in first })
            if format == .openMetrics, let version = values["version"], version != "1.0.0" { continue }
            let quality = values["q"].map { Double($0) ?? 0 } ?? 1
            if (0...1).contains(quality), quality > best.quality { best = (format, quality) }
        }
        return best.format
    }
}
