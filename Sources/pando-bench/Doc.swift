/// # pando-bench, floor 12
///
/// Owns measuring: tokens, answers of phones, approvals, sockets and messages of signalling, crawling, discovery, each
/// beside ceilings of the same run. Judges nothing. Does not own what it measures, which is composed by Server as it
/// ships.
///
/// | files | what |
/// |---|---|
/// | `Bench` `BenchRun` `BenchReport` | the commands, the frame in which each runs, tables and JSON |
/// | `Pgbench` `BenchCeilings` | what this machine can do at most |
/// | `BenchOutside…` `BenchGrants` `Wrk` `ServedProcess` | the program as it ships, in a process of its own, under a load generator in C |
/// | `BenchOutsidePhones` `BenchOutsidePasswords` | its rows of phones, and of passwords beside their hash |
/// | `BenchPeers` `BenchSigner` | the same questions to other servers (deploy/bench-peers.sh), assertions of clients |
/// | `BenchGrowth…` | the same program with more tokens, more below what is revoked, more replicas |
/// | `BenchStorm` `WrkByStatus` `MemoryWatch` | the same program under more connections than it serves: what is refused, how fast, and what memory stays |
/// | `BenchCores…` `BenchPinned` | the server alone, on pinned threads: what it does on one core and on two |
/// | `SVG` `BenchPlots` `BenchGrowthPlot` `BenchFlame` | pictures: the report, and where the server's time goes |
/// | `BenchTree` `BenchTokens` `BenchIssue` `BenchCheck` `BenchCheckPlan` `BenchRevocation` | the token tree |
/// | `BenchReach…` `BenchReceiver` | from a revocation to the services, which are listened for here |
/// | `BenchLocal…` | checking in a service's own memory, and from a revocation to its refusal there |
/// | `BenchTiqr` `BenchOperations` `BenchLiquid` | phones and wallets over HTTP and sockets |
/// | `BenchCrawl` `BenchDiscovery` | the crawler and the index |
/// | `BenchSites…` `BenchSockets…` | processes of their own, so that their cost is not counted as the server's |
/// | the other `Bench…` | load, and those who make it |
