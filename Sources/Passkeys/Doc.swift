/// # Passkeys, floor 7
///
/// Owns passkeys (WebAuthn Level 3): the one table of credentials and what each browser or wallet was asked last;
/// people's passkeys as factors of the IdP, and wallets' that they linked. Does not own the protocol (WebAuthn), what
/// wallets do with theirs (Liquid), people and their logins (Accounts, OAuth), or the frame and style of pages (Pages).
/// Contract: docs/design/decisions.md (liquid).
///
/// | file | what |
/// |---|---|
/// | `HostedPasskeys` `PasskeySetting` `PasskeyValues` | what the server is given, and of which settings it is made |
/// | `Credentials/PasskeyLogin` `OwnPasskeys` `PasskeyRefusal` | what the routes for people call: registering, logging in, linking a wallet's, naming, removing |
/// | `Credentials/PasskeyOperator` | what the command line calls |
/// | `Administration/…` | `pando admin passkeys …`, what goes with an account, what is held on people |
/// | `Credentials/Passkey` `PasskeyStore` | rows of credentials, whoever has them |
/// | `Ceremonies/ChallengeStore` `SigningDomains` | what was asked last; beginnings that no challenge has, since wallets sign with such for other purposes |
/// | `Login/…` | the factors: `PasskeyLoginRoutes` `AccountPasskeyRoutes` (`PasskeyRequestContext`), without a browser `PasskeyFactor` |
/// | `Pages/…` | `PasskeyPage` (`/login/passkey`), `PasskeySetupPage` `PasskeyNamePage` (`/account/passkeys/…`), `PasskeyForm` and its script `PasskeyScript`; what the account page lists and says; `PasskeyStrings`, and all languages of them |
/// | `Endpoints/PasskeySchemas` `Login/PasskeyShapes` | what `/openapi.yaml` tells |
/// | `PasskeyServices` `PasskeyAudit` | what the flows share, their lines in the audit trail |
///
/// How it holds together:
/// * A challenge is consumed, in a statement of its own, before its answer is looked at; a ceremony is verified against
///   the passkey as it was read; then one transaction holds the passkey's row, finds the same key there, compares the
///   counter, writes it down and lets in.
/// * Anybody can be refused as often as they like, so refusals are in the log by the name of the check, and in the
///   audit trail only where a passkey was really there: a counter that went back.
///
/// 2026-11-22: for people a wallet's passkey shows possession and no more: its app chooses the origin that it signs,
/// and sets every flag. 2026-11-22: what a passkey is asked is fetched by the page's script as JSON, under the token of
/// the form that takes the answer; a refused question sends the form without an answer, whose page says why. A question
/// belongs to cookie and attempt (login) or cookie and session (account), and any answer uses it up. 2026-11-23: a
/// target of its own, below Liquid, which keeps its wallets' passkeys in the same table: the IdP's own make no wallet
/// service and no hub. 2026-11-22: a passkey is asked for by script, since there is no other way; its answer is a field
/// of a form, so what comes of it is a page, and without script the form leads to a page that says so. The notes that
/// the script shows are in the page already, hidden, in a region that screen readers watch.
