import Metrics
import Vocabulary

/// The room's numbers (docs/operate.md, "Health, metrics, logs"): what token endpoints answered, and how logins went.
public struct OAuthMetrics: Sendable {
    /// Made on first use, when the process has chosen its backend.
    public static let shared = OAuthMetrics(MetricsSystem.factory)

    private let factory: any MetricsFactory

    public init(_ factory: any MetricsFactory) { self.factory = factory }

    /// `grant`: `nil` for one that is not offered, which somebody may have invented. `outcome`: `issued`, or why not.
    func answered(_ grant: GrantType?, outcome: String) {
        let name = grant.map { $0.rawValue.split(separator: ":").last.map(String.init) ?? "" } ?? "unsupported"
        count("pando_token_requests_total", [("grant", name), ("outcome", outcome)])
    }

    /// `methods`: what was shown, or asked for. `outcome`: `done`, or a word of ours that says why not.
    public func login(_ methods: [String], outcome: String) {
        count("pando_logins_total", [("method", methods.sorted().joined(separator: "+")), ("outcome", outcome)])
    }

    private func count(_ label: String, _ dimensions: [(String, String)]) {
        Counter(label: label, dimensions: dimensions, factory: factory).increment()
    }
}
