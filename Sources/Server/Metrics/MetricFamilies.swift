extension MetricFamily {
    /// All that this server measures; what stands in no line here is on no page. `deploy/monitoring/dashboard.py` reads
    /// this list, too: each line begins with kind, name and unit.
    static let all: [MetricFamily] = ofRequests + ofTokens + ofFederation + ofDatabase + ofProcess

    private static let ofRequests: [MetricFamily] = [
        .counter(
            "pando_http_requests_total", "Requests that were answered, by pattern of the route and class of status.",
            labels: ["route", "method", "status"], most: 2_000),
        .histogram(
            "pando_http_request_duration_seconds", unit: "seconds",
            "Time until the head of an answer was ready, by pattern of the route.", labels: ["route"], most: 120,
            buckets: coarse),
        .gauge("pando_http_requests_in_flight", "Requests that are being answered, streams until they begin."),
        .counter("pando_http_refusals_total", "Answers that refuse, by the word they say why.", labels: ["error"]),
        .counter("pando_refusals_total", "What limits refused, by limit.", labels: ["limit"]),
        .counter(
            "pando_connections_closed_total",
            "Connections that this server closed before a request was whole, by reason.", labels: ["reason"]),
    ]

    private static let ofTokens: [MetricFamily] = [
        .counter(
            "pando_token_requests_total",
            "What token endpoints answered, by grant: issued, or the error. A refresh is of the grant refresh_token.",
            labels: ["grant", "outcome"], most: 200),
        .counter("pando_tokens_issued_total", "Tokens that were written, by kind.", labels: ["kind"]),
        .counter("pando_revocations_total", "Nodes that were revoked: tokens, and what tokens hang below."),
        .counter(
            "pando_logins_total", "Logins by what was shown, and what came of it: done, or a word that says why not.",
            labels: ["method", "outcome"]),
        .gauge(
            "pando_tokens_live", "Tokens that lived five minutes ago at most, by kind, of all processes together.",
            labels: ["kind"]),
        .gauge(
            "pando_tokens_refreshable",
            "Tokens that could be refreshed five minutes ago at most, by kind, of all processes together.",
            labels: ["kind"]),
        .counter(
            "pando_token_lookups_total", "Tokens that were looked for, in memory under a lease or in the database.",
            labels: ["source"]),
        .gauge(
            "pando_lease_age_seconds", unit: "seconds",
            "Age of the lease under which this process answers from memory; 0 where nobody asks."),
        .counter("pando_lease_fallbacks_total", "Answers that memory had and that no lease held for."),
        .gauge(
            "pando_signing_key_age_seconds", unit: "seconds", "For how long the key has signed that signs now.",
            labels: ["algorithm"]),
    ]

    private static let ofFederation: [MetricFamily] = [
        .gauge(
            "pando_events_lag_seconds", unit: "seconds",
            "Age of the first event that waits for a service, of the fifty that wait longest.", labels: ["service"]),
        .gauge(
            "pando_events_waiting",
            "Events that wait for a service, of the fifty that wait longest; _other for the rest together.",
            labels: ["service"]),
        .gauge(
            "pando_events_failures", "Tries in a row that a service did not take, of the fifty that wait longest.",
            labels: ["service"]),
        .gauge("pando_events_services_behind", "Services for which events wait."),
        .gauge("pando_events_dead", "Events that were given up."),
        .counter(
            "pando_revocation_calls_total", "Calls for assertions (RFC 7009), by what came of them.",
            labels: ["outcome"]),
        .counter(
            "pando_crawls_total", "Crawls by outcome, and by reason where there is one.",
            labels: ["outcome", "reason"]),
        .histogram("pando_crawl_duration_seconds", unit: "seconds", "Time that a crawl took."),
        .counter("pando_crawl_requests_total", "Requests that crawls made."),
        .counter("pando_crawl_body_bytes_total", unit: "bytes", "Bytes of bodies that crawls read, decoded."),
        .counter("pando_crawl_parses_total", "Documents that were read; unchanged ones are not."),
        .gauge("pando_crawl_services", "Services by the state of their document.", labels: ["state"]),
        .gauge(
            "pando_crawl_overdue_seconds", unit: "seconds", "How long the service has waited that is due longest."),
        .counter(
            "pando_pushes_total", "Pushes to phones, by product, provider, and what came of them.",
            labels: ["product", "provider", "outcome"]),
        .gauge("pando_liquid_sockets", "Open WebSockets of wallets and pages."),
    ]

    private static let ofDatabase: [MetricFamily] = [
        .counter("pando_db_statements_total", "Statements that were sent."),
        .histogram("pando_db_statement_duration_seconds", unit: "seconds", "Time of a round trip, as callers see it."),
        .histogram(
            "pando_db_wait_duration_seconds", unit: "seconds",
            "Time that callers waited for a connection who got none at once."),
        .counter("pando_db_errors_total", "Errors of the database, by SQLSTATE.", labels: ["sqlstate"]),
        .counter("pando_database_setbacks_total", "Refreshes that proved that the database went back."),
        .gauge(
            "pando_clock_skew_seconds", unit: "seconds",
            "By how much the clock of the database is ahead of the process's, read at the start and hourly."),
        .counter(
            "pando_replica_reads_total", "Reads that a replica may answer, by who did; none where there is no replica.",
            labels: ["source"]),
        .gauge(
            "pando_replica_age_seconds", unit: "seconds",
            "How long ago that was as of which the read replica is known to be; 0 where nobody asks."),
        .gauge("pando_db_connections_in_use", "Connections of the pool that work."),
        .gauge("pando_db_connections_open", "Connections of the pool."),
        .gauge("pando_db_connections_limit", "The most connections of the pool."),
        .gauge("pando_db_callers_waiting", "Callers that wait for a connection."),
        .histogram(
            "pando_group_commit_size", "What was written by one commit, by what it is of.", labels: ["of"],
            buckets: sizes),
    ]

    private static let ofProcess: [MetricFamily] = [
        .gauge("pando_build_info", "Always 1; the version is in the label.", labels: ["version"]),
        .histogram(
            "pando_event_loop_delay_seconds", unit: "seconds",
            "How much later than it was due an event loop did a task, asked every second."),
        .counter("process_cpu_seconds_total", unit: "seconds", "Time of processors that was used."),
        .gauge("process_resident_memory_bytes", unit: "bytes", "Memory that is resident."),
        .gauge("process_virtual_memory_bytes", unit: "bytes", "Memory that is mapped."),
        .gauge("process_open_fds", "Descriptors that are open."),
        .gauge("process_max_fds", "The most descriptors that may be open."),
        .gauge("process_threads", "Threads."),
        .gauge(
            "pando_tls_certificate_end_timestamp_seconds", unit: "seconds",
            "When the certificate of TLS of this process ends, since 1970; none where it speaks no TLS itself."),
        .counter("pando_trace_spans_total", "Spans of traces, by what became of them.", labels: ["outcome"]),
        .gauge("process_start_time_seconds", unit: "seconds", "When the process began, since 1970."),
    ]
}
