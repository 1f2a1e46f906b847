import Metrics

/// The room's counters. Statements are counted singly; durations are those of round trips, as the caller sees them.
struct DatabaseMetrics: Sendable {
    let statements = Counter(label: "pando_db_statements_total")
    let inUse = Gauge(label: "pando_db_connections_in_use")
    let duration = Timer(label: "pando_db_statement_duration_seconds")
    private let waited = Timer(label: "pando_db_wait_duration_seconds")

    /// How long a caller waited who got no connection at once, in vain or not.
    func recordWait(since start: ContinuousClock.Instant) {
        waited.recordNanoseconds(Int64((ContinuousClock.now - start) / .nanoseconds(1)))
    }

    func record(_ work: Request.Work, _ answer: Request.Answer, nanoseconds: UInt64) {
        switch work {
        case .shared(let list), .alone(let list), .within(_, let list): statements.increment(by: list.count)
        case .ending, .script: statements.increment()
        }
        duration.recordNanoseconds(Int64(clamping: nanoseconds))
        if case .failed(let error) = answer {
            Counter(label: "pando_db_errors_total", dimensions: [("sqlstate", error.metricLabel)]).increment()
        }
    }
}
