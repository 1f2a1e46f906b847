/// # Pages, floor 3
///
/// Owns how things look to people: view models to escaped HTML, in four languages, and the style sheet. Does not own what is shown, any HTTP, any SQL.
///
/// | page | where | what |
/// |---|---|---|
/// | `LoginPage` | `/login` | username and password, other ways to log in |
/// | `ConsentPage` | `/consent` | who asks for what, with the values that would be told |
/// | `LogoutPage` `LoggedOutPage` | `/logout` | asks first; the way back to the application |
/// | `AccountPage` `AccountSection` | `/account` | passkeys, what linked wallets opened, phones, applications and browsers, each with its way out |
/// | `PasswordPage` | `/account/password` | a new password |
/// | `DevicePage` | `/device` | the code of the device flow, its warning and its consent |
/// | `PhoneWaitPage` `PhoneOfflinePage` | `/login/tiqr/wait`, `/login/approval/wait` | the code to be scanned; what an offline phone shows |
/// | `PhoneEndingPage` | the same | how a login with a phone can end otherwise than well |
/// | `PhoneSetupPage` | `/account/phones/add`, `/account/approvals/add`, `…/wait` | setting up a phone to log in with, by either method (`PhoneMethod`) |
/// | `PasskeyPage` | `/login/passkey` | a passkey, without a name or as second factor, and what went wrong with it |
/// | `PasskeySetupPage` `PasskeyNamePage` | `/account/passkeys/…` | a new passkey, or a wallet's; what it is called |
/// | `LandingPage` | `/tiqrenroll/`, `/tiqrauth/` | opens the app, or shows the link as a QR code |
/// | `ProblemPage` | anywhere | what to do next when nobody can be sent back |
/// | `HomePage` `ServicePage` `AttributesPage` | `/`, services | in English, for makers of apps |
///
/// | folder | what |
/// |---|---|
/// | `Frame` | `Layout`, the frame of every page; `Stylesheet`, `WatchScript`, `PasskeyScript`, `Grove` and `Mark`; `PageText`, how values are escaped; `Language` |
/// | `QRCode` | a QR code as SVG, PNG and terminal text, by libqrencode |
/// | `ViewModels` | what strangers wrote, made fit to be shown: clients, people, scopes, browsers, passkeys, pages, days; forms that allow or deny, or ask for a passkey |
/// | `Strings` | all words of a language in one value; the compiler finds a missing one |
///
/// Rules that the tests hold: no style in a page, and no script but `WatchScript` on pages that wait and `PasskeyScript` on pages that ask for a passkey, by their
/// addresses; nothing from elsewhere
/// (`default-src 'none'; style-src 'self'; img-src 'self' data:`). Every form that changes something has `form_token`, each field has its label, one h1, ids once,
/// problems are `role="alert"` and the field that is meant points to them, contrast is WCAG AA in light and dark.
///
/// 2026-11-21: templates are Swift literals: SwiftPM's `.embedInCode` mangles names, and a template beside its view model is read together.
/// 2026-11-21: templates escape by `PageText`, not by Mustache: its escaping goes by Character and lets `"` with a combining accent through.
/// 2026-11-21: in a part that several pages have, a value that can be absent is written `{{.name}}`, or Mustache would take the one of the page around it.
/// 2026-11-21: what is shown is made fit by the initialisers of the view models, so no caller can forget it; what a form carries is left as it is.
/// 2026-11-21: the picture is in the style sheet, which is asked for by its version: fetched once, and never older than the page.
/// 2026-11-21: libqrencode guards its tables by a mutex, so codes are drawn on any thread. PNG is written without compression: 8 KB, and no library for it.
/// 2026-11-23: a page that waits is loaded again when its state changed; nothing is put together in the browser, since the request that finds a login done
/// completes it and leads on. So nobody types on such a page: the one-time password has a page of its own.
/// 2026-11-22: a passkey is asked for by script, since there is no other way; its answer is a field of a form, so what comes of it is a page, and without script the
/// form leads to a page that says so. The notes that the script shows are in the page already, hidden, in a region that screen readers watch.
