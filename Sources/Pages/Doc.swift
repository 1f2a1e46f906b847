/// # Pages, floor 3
///
/// Owns how things look to people: view models to escaped HTML. Does not own what is shown, any HTTP, any SQL.
///
/// | file | what |
/// |---|---|
/// | `Layout` | the frame of every page; every value is escaped by Mustache |
/// | `Stylesheet` | one style sheet, light and dark, phone first, no script |
/// | `HomePage` `ServicePage` `AttributesPage` | the pages |
///
/// 2026-11-21: templates are Swift literals: SwiftPM's `.embedInCode` mangles names, and a template beside its view model is read together.
