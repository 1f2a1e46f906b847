/// # Commands, floor 11
///
/// Owns the commands of `pando admin` that are the server's own, and `pando check-service`: how they are spelled and
/// what they tell. Does not own any rule of the federation: a command calls the flow that the server would call. The
/// products bring theirs by the list of the server. Those of `pando admin` run at the database, and as the
/// administration API and the console, which get them as `AdminCatalog.ofServer`.
/// Contract: docs/design/cli.md.
///
/// | place | what |
/// |---|---|
/// | `Admin` | the root of `pando admin`; the catalog |
/// | `AdminConnection` | what a command on the command line works with |
/// | `AccountsImport` `ImportColumns` `ImportReportFile` | a run of `accounts import`; from afar `Remote/RemoteImport` |
/// | `…Command` | a noun each, or a verb that is long |
/// | `Remote` | `pando login`, `logout`, `whoami`; the same commands by the administration API of a server (docs/admin-api.md) |
/// | `TreeGrowth` | what `tree show` tells: a part of a tree, however large |
/// | `Institutions` | what people and things belong to (`--institution`), and roles |
/// | `Proposals` | services that people propose: `ProposedDocument` reads their document, `ProofOfControl` asks for the proof |
/// | `ListColumns` `CommandExamples` | what of a list people want to see; calls as people type them |
/// | `CompletedNames` | names of the configured database, for completion |
/// | `Check` | `pando check-service`, `pando admin services check`, and what the latter makes and ends; `BriefCheck` makes nothing |
///
/// 2026-11-26: they were a part of the binary; the server runs them too.
