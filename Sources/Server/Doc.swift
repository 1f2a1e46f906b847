/// # Server, floor 9
///
/// Owns what a process of Pando is: settings, the list of products and the composition of all, workers and
/// housekeeping, metrics, HTTP to others. The only room that reads the environment and opens sockets to others. Does
/// not own commands (pando) or measuring (pando-bench), which start it.
///
/// | folder | what |
/// |---|---|
/// | `Configuration` | the server's own settings, and those of the products; defaults < file < `PANDO_*` < flags, each value with its origin; unknown keys stop start-up |
/// | `Composition` | one place that builds everything, the built-in services, the process with its listeners and workers; `Draining` `HangupReading` `SupervisorNotice`: how it stops, what SIGHUP reads again, what systemd is told; `StartCheck`: all of that made without a database, to find what a start would be refused for; `ServerTraces`: spans on their way out; `ElsewhereServices`: services that belong to another server |
/// | `CommandLine` | what every command does before its own work: reading what options name, logging, metrics, errors in words |
/// | `Doctor` | `pando doctor` and `pando status`: what a server stands on, looked at from outside of it |
/// | `Metrics` | `MetricFamily`: the list of all that is measured; `PrometheusRegistry` `MetricSeries` `MetricsText`: swift-metrics to a page in two formats; `ProcessWatch` `ProcessFigures`: what is read when somebody reads the page |
///
/// 2026-11-27: malloc_trim after storms of connections (`ServerProcess.giveBackMemory`): thresholds of malloc changed
/// nothing of what stayed, as measured (docs/operate.md, "Limits").
/// 2026-11-27: `NodeName` and the number of the process name it in logs and traces; metrics have no such label, since
/// Prometheus gives each page an `instance`.
/// 2026-11-27: what stands in no line of the list of families is on no page, and each has so many series at most:
/// labels come from requests, and a page that grows ends whoever reads it. Beyond loopback `/metrics` asks for a token,
/// or no server starts.
/// 2026-11-26: an issuer with a path stops the start: wallets, universal links, `__Host-` cookies and RFC 8414's
/// documents want the root of a host, so not everything could live below it.
/// 2026-11-22: a target of its own, so that benches start what ships, and the binary that ships holds no load
/// generator.
