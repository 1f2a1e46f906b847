import Metrics

/// Calls for assertions (docs/operate.md, "Health, metrics, logs"), by what came of them: `taken`, `refused`, `later`,
/// `unanswered`. Made on first use, when the process has chosen its backend.
struct CallMetrics: Sendable {
    static let shared = CallMetrics()

    func record(_ outcome: String) {
        Counter(label: "pando_revocation_calls_total", dimensions: [("outcome", outcome)]).increment()
    }
}
