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
/// | `AdminResult` `AdminOutput` `Table` `TreeDrawing` `PlainText` | what a command tells, as JSON and for people |
/// | `Catalog` | every command as the administration API and the console run it: its place, its arguments, its declaration |
/// | `Authority` | what whoever runs a command may do: `AdminAuthority`, `AdminPermissions` |
/// | `ProgressLine` | how far it is, on a terminal |
/// | `ProductAdministration` | what a product gives: its commands, its part of `accounts delete` and `keys reseal` |
/// | `AdminFailure` | errors with their exit status; `AdminRefusal`: an error that knows its own |
///
/// 2026-11-23: the program hands its runner to the command that was parsed, since ArgumentParser makes commands itself.
/// What a product's commands need beyond the parts that all share, they find by the type of its `HostedService`'s
/// model. 2026-11-23: names of settings, which completion offers, are task-local: ArgumentParser makes options itself
/// too.
