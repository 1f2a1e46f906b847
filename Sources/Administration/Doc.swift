/// # Administration, floor 5
///
/// Owns what every command of `pando admin` shares, whoever brings it: how it is run, what it works on, its options,
/// what it prints, how it fails. Does not own any command (the products have theirs, `pando` those of the server), or
/// how a configuration becomes a server (`pando` hands that in).
/// Contract: docs/design/cli.md.
///
/// | file | what |
/// |---|---|
/// | `AdminCommand` | a command that looks (`AdminQuery`), one that changes (`AdminChange`) |
/// | `AdminRunner` `AdminSession` | how a session is opened; the parts that all work with, the transaction, who does it |
/// | `AdminOptions` `ConfigurationOptions` | options that many share; files and stdin |
/// | `InputPieces` | a large file as it comes |
/// | `AdminResult` | what a command tells |
/// | `Output` | how that is written: `AdminOutput` and `ResultText`, in each `OutputFormat`; `ColumnChoice` and `Table` fit a `Terminal`; `ProgressLine`: how far it is |
/// | `Manual` | `CommandTree`, all commands as they are declared: examples, manual pages, what completes a line |
/// | `Names` | `KnownNames`: what things are called, for completion and "did you mean"; usernames in place of UUIDs |
/// | `Catalog` | every command as the administration API and the console run it: its place, its arguments, its declaration |
/// | `Authority` | what whoever runs a command may do: `AdminAuthority` is who it is, `AdminRules` the table (products bring theirs), `AdminPermissions` asks it, `AdmissionCheck` and `AdminOwner` find whose a thing is |
/// | `NodeName` | a node of the token tree, as commands name it |
/// | `Statistics` | figures over time: `StatisticSources` reads them, `StatisticStore` keeps them, `StatisticSeries` tells them |
/// | `ProductAdministration` | what a product gives: its commands, its part of `accounts delete` and `keys reseal` |
/// | `AdminFailure` | errors with their exit status; `AdminRefusal`: an error that knows its own |
///
/// 2026-11-23: the program hands its runner to the command that was parsed, since ArgumentParser makes commands itself.
/// What a product's commands need beyond the parts that all share, they find by the type of its `HostedService`'s
/// model. 2026-11-23: names of settings, which completion offers, are task-local: ArgumentParser makes options itself
/// too.
/// 2026-11-26: figures are sums, with the number of readings as a figure of its own, so that hours and days are made by
/// adding, and a mean is one through the other. Nothing is counted where it happens: what is issued comes from
/// PostgreSQL's own counters, what lives from a sample of pages, what happened from the audit trail.
/// 2026-11-26: who may what is asked in the transaction of the change, behind a lock of its own on whose the thing is
/// (`InstitutionStore.hold`): nobody who logs in or registers waits for it. What takes time, such as asking a service,
/// a change does before its transaction (`AdminChange.prepare`).
/// 2026-11-26: completion asks the declaration of the commands, not ArgumentParser's scripts: no command has to say
/// what its arguments name, and a script holds for every version.
