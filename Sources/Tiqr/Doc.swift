/// # Tiqr, floor 7
///
/// Owns phone login by QR code and OCRA: service identifiers, enrollments, authentications, identities and their
/// blocks, the push outbox, and the links that the apps read. Does not own the arithmetic of answers (OCRA), tokens or
/// who may call (OAuth), or the frame and style of pages (Pages). Contract: design/backoffice.md (tiqr); wire facts:
/// protocols/tiqr.md.
///
/// | file | what |
/// |---|---|
/// | `TiqrService` `TiqrPictures` | the door: every operation that the routes and the CLI call |
/// | `TiqrLogin` `TiqrPhones` | tiqr for the people of this IdP: owner `house`, `external_id` the account |
/// | `TiqrCaller` `TiqrRefusal` `TiqrSettings` | who calls, what can be refused, how it is set up |
/// | `Links/…` | enrollment and authentication URLs, custom scheme and universal; what landing pages may link to |
/// | `LinkKeys` | the keys in those links, derived from row ids, never stored |
/// | `Identifiers/…` | service identifier, suite, name and logo, which belong together for ever; `AppLinks`: how its app is opened; `TiqrSuites`: what phones compute rightly |
/// | `Enrollment/…` | initialized → retrieved → finalized → validated, settled in SQL; what the phone registers |
/// | `Authentication/…` | pending → authenticated, failed, cancelled; `AnswerChallenge`: counting and comparing; `AnswerGathering`: right ones that come together; `AuthenticationAnswers`: its callers; `PushedNumber`: what a push brings and a browser tells (design/number-matching.md) |
/// | `Identities/…` | what a phone holds, its sealed secret, attempts and block ladder; `TiqrAdministration`: the command line's; `TiqrSecrets`: sealing anew |
/// | `Administration/…` | `pando admin tiqr …`, what goes with an account, what is held on people and with the master key |
/// | `Import/…` | users and secrets of tiqr-server-libphp, as its database's tools export them |
/// | `Import/Live/…` | the same tables read of that database: `LiveSource` the URL, `LiveTables` what is asked, `MySQLTables` `PostgreSQLTables` by whom |
/// | `Texts/…` | what phones are told in words, in the language that each told last (`PhoneLanguage`), with the operator's own |
/// | `Push/…` | outbox and its sender, what goes to APNs and FCM (room Push), token exchange, webhook |
/// | `Housekeeping` | what is long over is deleted by index |
/// | `TiqrProduct` `HostedTiqr` | what the server is given: role, endpoints, login method, workers |
/// | `TiqrSetting` `TiqrValues` | the `tiqr-…` settings |
/// | `Endpoints/…` | `TiqrPhoneRoutes` (metadata, enrollment, authentication, logo; `TiqrDialect` says in which form), the back office (`TiqrEnrollmentRoutes` `TiqrAuthenticationRoutes` `TiqrIdentityRoutes`), pictures, landing pages; `TiqrSchemas`: what `/openapi.yaml` tells |
/// | `Pages/…` | `PhoneNumberPage` (the number of a push), `PhoneOfflinePage` (`/login/tiqr/wait`, what an offline phone shows), `LandingPage` (`/tiqrenroll/`, `/tiqrauth/`: opens the app, or shows the link as a QR code); `LoginPhone` in the account page; `TiqrStrings`, and all languages of them |
/// | `Login/…` | scanning as a factor of the IdP: pages of login and account (`PhoneRequestContext`), and without a browser (`TiqrFactor`) |
///
/// How it holds together:
/// * Keys of links (enrollment key, enrollment secret, session key, key of pictures) are HMACs of the row's id under a
///   key derived from the master key. The database has their SHA-256 only, so nothing in a dump can be used, and a QR
///   code can still be drawn twice.
/// * An answer is compared against what was read, and settled by one statement that locks the challenge, then the
///   identity, and does nothing when the challenge is no longer pending or the identity is blocked by then. So parallel
///   guesses count one after another. Challenges of phones that answer at the same time are read by one statement, and
///   their right answers settled by one; where one of these would have to wait, each goes by itself.
/// * Expiry, and the end of the app token that began something, are read, never written: a state is what the row says
///   at that moment.
///
/// 2026-11-21: service identifiers are the server's, not a client's: whoever names one that is there gets it as it was
/// first made. 2026-11-21: the identity that answers must have been made by the owner of the challenge, otherwise a
/// service would be told of a stranger's person. 2026-11-21: what an app began hangs on the lineage of its token's
/// family as it reads now, or as it was when the family is gone. 2026-11-21: NOTIFY is sent after the commit, in a
/// statement of its own: within it would serialise all commits of the database. A waiting GET looks again every few
/// seconds anyway, so a lost one is a delay.
/// 2026-11-22: an imported identity has the old userid for a name, since its phone sends that; and counts as used at
/// the import, since it was used before. Nothing that is there is changed by an import, so one that stopped can be
/// begun again.
/// 2026-11-22: an operator who removes or blocks a phone of an account ends that account's browser sessions that showed
/// such a one (as `changeFactor` does for its person); clients and apps reach no such phone, and a block by wrong
/// answers ends none.
/// 2026-11-22: of the old server's ciphers AES alone is read. A secret without a type is hexadecimal of less than 64
/// bytes: mcrypt left 64, which would pass for a secret and block every phone.
/// 2026-11-22: what a service, or a person at the account page, begins hangs from the client or the session as what an
/// app begins hangs from its token: a row with no lineage is a login of nobody yet. A service's own token may expire
/// meanwhile, so it is no part of that lineage. 2026-11-22: refusals of the phone's protocol are 200; what is wrong
/// with the server or with HTTP itself (413, 503) is an error of HTTP, so that no phone takes it for a verdict.
/// 2026-11-27: an identifier counts as used when its metadata is read, before the phone registers: iOS has stored name
/// and logo by then. Until then they may change; afterwards the row refuses it, in SQL too. A bare `S` may be asked
/// for, since both apps compute it; `S064` stays the default.
/// 2026-11-27: libmariadb is loaded when an import asks for it, not linked: nobody else needs it. Told to enforce TLS
/// and not to verify, it goes on in plain text with a server that says it has none, so the cipher is looked at before
/// the first statement; told both, it leaves before the login. The old tables are read whole and then imported as
/// files are: a connection held while rows are settled would be one more thing that ends an import in the middle.
