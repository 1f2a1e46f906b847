/// # Pages, floor 3
///
/// Owns how things look to people: view models to escaped HTML, in four languages, the style sheet, and what pages of
/// products are made of. Does not own what is shown, any HTTP, any SQL, or the pages and words of the identity
/// provider, tiqr, operations, passkeys and liquid, which have them in their own targets.
///
/// | page | where | what |
/// |---|---|---|
/// | `PhoneWaitPage` `PhoneSetupPage` | `/login/…/wait`, `/account/…/add`, `…/wait` | the code to be scanned; setting up a phone: for each method that logs in with one, in its words |
/// | `PhoneEndingPage` | the same | how a login with a phone, or setting one up, can end otherwise than well |
/// | `ProblemPage` | anywhere | what to do next when nobody can be sent back |
/// | `ServicePage` | services | in English, for makers of apps |
/// | `AccountSection` `AccountNotice` | `/account` | what a way of logging in lists there, and what is said after something was done |
///
/// | folder | what |
/// |---|---|
/// | `Frame` | `Layout`, the templates of a target in the frame of every page, and `PagePart`, what a page takes of another target; `Stylesheet`, `WatchScript`, `Grove` and `Mark`; `PageText`, how values are escaped; `Language`; `Brand` `BrandColours` `PagePlace`: under whose name a page is shown, and where |
/// | `QRCode` | a QR code as SVG, PNG and terminal text, by libqrencode |
/// | `ViewModels` | what strangers wrote, made fit to be shown: clients, people, scopes, browsers, days; links; other ways to log in |
/// | `Strings` | the words of a language in one value; the compiler finds a missing one. `SharedStrings`: each made once, and referred to by pages |
///
/// Rules that the tests hold, for pages of products too (Tests/PageTestSupport): no style in a page, and no script but
/// one, by its address: `WatchScript` on pages that wait, a product's on pages that ask the browser; nothing from
/// elsewhere (`default-src 'none'; style-src 'self'; img-src 'self' data:`). Every form that changes something has
/// `form_token`, each field has its label, one h1, ids once, problems are `role="alert"` and the field that is meant
/// points to them, contrast is WCAG AA in light and dark.
///
/// 2026-11-21: templates are Swift literals: SwiftPM's `.embedInCode` mangles names, and a template beside its view
/// model is read together. 2026-11-21: templates escape by `PageText`, not by Mustache: its escaping goes by Character
/// and lets `"` with a combining accent through. 2026-11-21: in a part that several pages have, a value that can be
/// absent is written `{{.name}}`, or Mustache would take the one of the page around it. 2026-11-21: what is shown is
/// made fit by the initialisers of the view models, so no caller can forget it; what a form carries is left as it is.
/// 2026-11-21: the picture is in the style sheet, which is asked for by its version: fetched once, and never older than
/// the page. 2026-11-21: libqrencode guards its tables by a mutex, so codes are drawn on any thread. PNG is written
/// without compression: 8 KB, and no library for it. 2026-11-23: a page that waits is loaded again when its state
/// changed; nothing is put together in the browser, since the request that finds a login done completes it and leads
/// on. So nobody types on such a page: the one-time password has a page of its own. 2026-11-23: products have pages and
/// words of their own; a `switch` over `Language` in each finds one that lacks a language. What two of them show alike
/// stands here, and is told the words.
