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
/// | `Frame` | `ConsoleRequest`: who asks, with their roles; `ConsolePage`: the frame of every page, with the navigation; the style sheet beside that of all pages |
/// | `Explorer` | `/admin/tree`: `TreePage` with its `TreePicture`, `TreeLinks` who is led there; `/admin/why`; `/admin/audit`; their words and their style |
/// | `Statistics` | `/admin`: `OverviewPage`, and `Plot`, a figure over time as SVG without script |
/// | `Strings` | what the console says, in four languages: sentences by language, words of commands and members by row |
/// | `Pages` | a page for each command of the catalog: `ListPage`, `ThingPage`, `ChangePage` with its `ChangeFlow` and `ChangeForm`, `DonePage`; `ConsoleNoun`: columns, and what belongs to a thing; `ShownResult`: what a command tells, as facts and tables |
///
/// 2026-11-26: who asks for a change under the tag of a thing holds an advisory lock of that tag, not of the thing: a
/// thing has several names, and a tag tells the same of it whichever was used. Commands at the database take no such
/// lock; between reading the thing and changing it they may come in, as between the questions of a person.
/// A page of the console is `ConsoleRequest.get(path, summary, context) { request in … }`, answered by
/// `ConsolePage(request, title:, active:).answer(template, of: layout, model)`; a form posts to `ConsoleRequest.post`
/// with `request.formToken`. Its place in the navigation is a line of `ConsoleNavigation.groups`.
/// 2026-11-26: addresses are the words of commands, with the names of things in the query: a node's name may have any
/// letter. 2026-11-26: helps and refusals of commands stay English, marked so (`lang`), since they have one spelling;
/// words of the console, of things, members and buttons are translated. 2026-11-26: a change that destroys is tried
/// again when yes is said, and what is shown anew is what ends beyond what was seen (`WhatEnds.Seen`): an exact
/// comparison would never come true in a federation that is used. 2026-11-26: step-up is `admin-step-up`, and
/// for who has a second factor what changing it asks (`WebSide.before`).
/// 2026-11-26: SCIM tells every error in its own form, so its endpoints catch them; a directory is a client with scope
/// `scim`, of one institution or of the federation, and what it does not see is not there for it (404).
