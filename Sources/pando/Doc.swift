/// # pando, floor 7
///
/// Owns the binary: configuration, composition, the commands. The only room that reads the environment, opens sockets to others, or ends the process. Does not
/// own any rule of the federation: a command calls the flow that the server would call.
///
/// | folder | what |
/// |---|---|
/// | `Pando` | the root command |
/// | `Configuration` | defaults < file < `PANDO_*` < flags, each value with its origin; unknown keys stop start-up |
/// | `Composition` | one place that builds everything, and the services of the house |
/// | `Commands` | `serve`, `migrate`, `dev`, `demo`, `config show` |
/// | `Admin` | `pando admin …`: design/cli.md |
/// | `Demo` | the demo federation's seed, the app that walks the whole path, and the services, phones and wallets of `pando demo tiqr`, `operations` and `liquid` |
/// | `Bench` | `pando bench`: tokens, answers of phones, approvals, sockets and messages of signalling, crawling, discovery, each beside ceilings of the same run |
/// | `Metrics` | swift-metrics to the Prometheus text page |
