/// # Console, floor 7
///
/// Owns the administration in HTTP: the API at `/admin/api/v1`, and the pages at `/admin`. Does not own what is done:
/// that is the catalog of `pando admin`'s commands (Administration), or who may (`AdminPermissions`).
/// Contract: docs/design/cli.md, docs/design/roles.md.
///
/// | place | what |
/// |---|---|
/// | `HostedConsole` | what the server is given |
/// | `ConsoleContext` | what endpoints work with |
