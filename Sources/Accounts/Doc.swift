/// # Accounts, floor 3
///
/// Owns people, their passwords, attempt limits and authentication events. Does not own tokens, clients, or any page.
///
/// | file | what |
/// |---|---|
/// | `Account` `AccountStore` | rows of `account` |
/// | `PasswordHash` `PasswordHasher` | Argon2id on a bounded pool of its own, so that logins cannot starve token checks |
/// | `AttemptLimit` | guessing is slowed down per account and instance, in SQL |
/// | `PasswordLogin` | username and password to an `AuthenticationEvent` |
///
/// 2026-11-21: an unknown username costs one hash against a fixed one, and counts against the instance, so that nothing tells it
/// from a wrong password.
