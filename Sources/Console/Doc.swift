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
/// | `Frame` | `ConsoleRequest`: who asks, with their roles; `ConsolePage`: the frame of every page, with the navigation; the style sheet beside that of all pages |
/// | `Strings` | what the console says, in four languages: sentences by language, words of commands and members by row |
/// | `Pages` | a page for each command of the catalog: `ListPage`, `ThingPage`, `ChangePage` with its `ChangeFlow` and `ChangeForm`, `DonePage`; `ConsoleNoun`: columns, and what belongs to a thing; `ShownResult`: what a command tells, as facts and tables |
///
/// A page of the console is `ConsoleRequest.get(path, summary, context) { request in … }`, answered by
/// `ConsolePage(request, title:, active:).answer(template, of: layout, model)`; a form posts to `ConsoleRequest.post`
/// with `request.formToken`. Its place in the navigation is a line of `ConsoleNavigation.groups`.
///
/// 2026-11-26: addresses are the words of commands, with the names of things in the query: a node's name may have any
/// letter. 2026-11-26: helps and refusals of commands stay English, marked so (`lang`), since they have one spelling;
/// words of the console, of things, members and buttons are translated. 2026-11-26: a change that destroys is tried
/// again when yes is said, and what is shown anew is what ends beyond what was seen (`WhatEnds.Seen`): an exact
/// comparison would never come true in a federation that is used. 2026-11-26: step-up is what changing one's own factors
/// asks (`WebSide.before`), so one rule holds for both.
