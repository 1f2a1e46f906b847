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
/// | `API` | `/admin/api/v1` (docs/admin-api.md): `AdminAPI` from request to answer, `AdminAPICaller` who asks, `AdminAPIPrecondition` (RFC 9110, 13.1.1), `IdempotencyKeys`, `AdminAPIShapes` what `/openapi.yaml` tells |
/// | `SCIM` | `/scim/v2` (RFC 7643, 7644): `SCIMRoutes`; people and institutions as resources (`SCIMUser`, `SCIMUsers`, `SCIMGroups`), of which `SCIMResourceType` has the attributes; filters (`SCIMFilter`, as SQL `SCIMCondition`, of values in hand `SCIMMatch`); `SCIMPatch`, `SCIMBulk`. What is done is `DirectoryAccounts` (OAuth) |
///
/// 2026-11-26: who asks for a change under the tag of a thing holds an advisory lock of that tag, not of the thing: a
/// thing has several names, and a tag tells the same of it whichever was used. Commands at the database take no such
/// lock; between reading the thing and changing it they may come in, as between the questions of a person.
/// 2026-11-26: SCIM tells every error in its own form, so its endpoints catch them; a directory is a client with scope
/// `scim`, of one institution or of the federation, and what it does not see is not there for it (404).
