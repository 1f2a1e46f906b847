import Metrics

/// Calls for assertions (docs/operate.md, "Health, metrics, logs"), by what came of them: `taken`, `refused`, `later`,
/// `unanswered`. A counter is made on its first use, when the process has chosen its backend.
struct CallMetrics: Sendable {
    /// `nil` is that of the process.
    let factory: (any MetricsFactory)?

    func record(_ outcome: String) {
        Counter(
            label: "pando_revocation_calls_total", dimensions: [("outcome", outcome)],
            factory: factory ?? MetricsSystem.factory
        ).increment()
    }
}
