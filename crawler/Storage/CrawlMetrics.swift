import Metrics

/// The room's numbers (docs/operate.md, "What services publish"). Made on first use, when the process has chosen its
/// backend.
struct CrawlMetrics: Sendable {
    static let shared = CrawlMetrics()

    private let duration = Timer(label: "pando_crawl_duration_seconds")
    private let requests = Counter(label: "pando_crawl_requests_total")
    private let bytes = Counter(label: "pando_crawl_body_bytes_total")
    private let parses = Counter(label: "pando_crawl_parses_total")
    private let overdue = Gauge(label: "pando_crawl_overdue_seconds")

    /// Dry runs count too: they ask and read.
    func record(_ result: CrawlResult) {
        Counter(
            label: "pando_crawls_total",
            dimensions: [("outcome", result.outcome.rawValue), ("reason", result.reason?.rawValue ?? "")]
        ).increment()
        duration.recordMilliseconds(result.tookMS)
        requests.increment(by: result.effort.requests)
        bytes.increment(by: result.effort.bytes)
        parses.increment(by: result.effort.parses)
    }

    func record(states: [CrawlState: Int], overdue seconds: Double) {
        for state in CrawlState.allCases {
            Gauge(label: "pando_crawl_services", dimensions: [("state", state.rawValue)]).record(states[state] ?? 0)
        }
        overdue.record(seconds)
    }
}
