/// # Accounts, floor 3
///
/// Owns people, their passwords, attempt limits, authentication events and browser sessions. Does not own tokens, clients, or any page.
///
/// | file | what |
/// |---|---|
/// | `Account` `AccountStore` | rows of `account` |
/// | `PasswordHash` `PasswordHasher` | Argon2id on a bounded pool of its own, so that logins cannot starve token checks |
/// | `AttemptLimit` | guessing is slowed down per account and instance, in SQL |
/// | `PasswordLogin` | username and password to an `AuthenticationEvent` |
/// | `BrowserSession` `SessionStore` | a login in one browser: its cookie's hash, its events, the lineage below which everything of it hangs |
///
/// 2026-11-21: an unknown username costs one hash against a fixed one, and counts against the instance, so that nothing tells it
/// from a wrong password.
/// 2026-11-21: a session's lineage is made by who may see the tree (OAuth) and kept here; whether it lives is read from it, as with instances.
/// 2026-11-21: a session lasts twelve hours, however busy; its cookie changes at every login, its `sid` does not.
