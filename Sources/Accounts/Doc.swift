/// # Accounts, floor 3
///
/// Owns people, their passwords, attempt limits, authentication events and browser sessions. Does not own tokens,
/// clients, or any page.
///
/// | file | what |
/// |---|---|
/// | `Account` `AccountStore` | rows of `account` |
/// | `PersonAttribute` | what institutions say of the person: eduPerson, SCHAC and groups, by the names of claims; which values each can have |
/// | `AccountHolding` | rows of a table that are held on a person, and which columns of them their own export tells |
/// | `Username` | the key by which user names are compared, and which names can be given |
/// | `PasswordHash` `PasswordHasher` | Argon2id on a bounded pool of its own, so that logins cannot starve token checks |
/// | `PasswordRule` `CommonPasswords` | what a new password must be: long, not common, not made of names |
/// | `AttemptLimit` | guessing is slowed down per account and instance, in SQL |
/// | `RefusalTally` | refusals that come in floods: a metric, and a line of the log a minute |
/// | `AuthenticationEvents` | what every login method ends in: who, when, and which `amr` values one answer proved |
/// | `PasswordLogin` | username and password to an `AuthenticationEvent` |
/// | `LoginAttempt` `LoginAttemptStore` | a login under way in one browser, by a method that takes its time; completed once |
/// | `Institutions/…` | `InstitutionStore`, `Belonging`, `InstitutionFilter`: what people and things belong to; `RoleGrant`, `RoleStore`: who may administer what |
/// | `Directory/…` | people and institutions as directories know them: `DirectoryRecord` (all that one says of somebody), `DirectoryStore`, `DirectoryInstitutionStore` |
/// | `Recovery/…` | `AccountLink` (what a link lets somebody do, once), `RecoveryCodeStore`, `AccountLanguage` |
/// | `PushAllowance` | whether a login may ring a phone |
/// | `Credentials` | a password as it is now, and its node in the token tree |
/// | `BrowserSession` `SessionStore` | a login in one browser: its cookie's hash, its events, the lineage below which everything of it hangs |
///
/// 2026-11-21: an unknown username costs one hash against a fixed one, and counts against the instance, so that nothing
/// tells it from a wrong password.
/// 2026-11-22: attempts count by the account's id; of a name that nobody has by a digest, since people type passwords
/// there. 2026-11-22: names are compared by `username_key` alone, which `Username` makes. Accounts of before without a
/// key are found by `lower(username)`. 2026-11-21: a session's lineage is made by who may see the tree (OAuth) and kept
/// here; whether it lives is read from it, as with instances. 2026-11-21: a session lasts twelve hours, however busy;
/// its cookie changes at every login, its `sid` does not. 2026-11-22: an event says which factor it showed, since `amr`
/// does not tell a passkey from a phone; a session knows when it last showed each. 2026-11-22: an attempt is deleted by
/// whoever completes it, in the transaction of the login: that is what makes it good for once. It is completed with the
/// subject with which it was found, so an answer to a question that was replaced meanwhile completes nothing.
/// 2026-11-22: the column `account.admin` stays in the table for the console, which is to come: nothing writes or reads
/// it.
/// 2026-11-22: common passwords are a sorted file beside the migrations (passwords/LICENSE.md says whose), read when a
/// password is set; names count only where less than eight characters are left without them, so that a sentence with a
/// name in it stays good. 2026-11-22: an event outlives its session, and tells which clients are no strangers; 400 days
/// after the login it goes. 2026-11-22: what a password began hangs from `password:ACCOUNT` (docs/token-tree.md). Hash
/// and generation are read in one statement and changed in one transaction, so a login that was checked against the old
/// hash can open nothing below the new one. 2026-11-22: how strong and how recent a login is says
/// `AuthenticationHistory` (Vocabulary) alone; the tables only keep events.
/// 2026-11-26: attributes are one column, as nobody is looked for by them, and are checked when they are written.
/// 2026-11-26: roles are read with the account, as a claim may tell them; who gets or loses one changes the account's
/// row too, so that no process tells of roles what it remembers.
