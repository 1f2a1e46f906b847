/// # Operations, floor 7
///
/// Owns approving operations on a phone (Wultra Mobile Token API over PowerAuth 3.3 and 4): applications and their
/// keys, registrations of phones, temporary keys, checks of signatures and tokens; templates, operations, offline and
/// proximity codes, inbox, callbacks and push. Does not own the protocol of the phones (PowerAuth), tokens of OAuth or
/// who may call (OAuth), or the frame and style of pages (Pages).
/// Contract: design/backoffice.md (operations); wire facts: protocols/operations.md.
///
/// | file | what |
/// |---|---|
/// | `PowerAuthService` `PowerAuthRequest` `PowerAuthServices` | the door of `/pa` and of the back office of applications and registrations |
/// | `OperationsCaller` `OperationsAudit` | who calls; lines of the audit trail |
/// | `AppQuota` | how much apps begin for one person |
/// | `Applications/…` | an owner's mobile app, its master pairs and versions; what it is pushed to with and how PINs block (`ApplicationSettings`); the server's own, `pando`; `ApplicationKeys`: of protocol 4 |
/// | `Versions/…` | which protocols and algorithms an application takes; what a registration of protocol 4 keeps secret |
/// | `Registrations/…` | `ActivatePhone` (3.3) and `ActivateFour` (4) by one `ActivationAdmission`; `UpgradePhone` from one to the other; one-time passwords, commit, blocks (`BlockEnds`: those that end by themselves), status; `RegistrationEvents`: who is told of changes |
/// | `Administration/…` | `pando admin operations …`, what goes with an account, what is held on people and with the master key |
/// | `Keystore/…` | `SealedColumns`: secrets sealed for their row; `OperationsSecrets`: sealing anew; temporary keys, and how many strangers get (`TemporaryKeyRateLimit`); `EnvelopeOpener`: opened once |
/// | `Signatures/…` | `SignatureCheck`: check and counter in one transaction, by the `SigningState` of either protocol; `ChangeFactors`; `SignedEndpoint`: envelope, then signature; `RefusalTrail`: the step in the audit |
/// | `Tokens/…` | tokens that read, and their replays |
/// | `OperationsService` `MobileToken` `OperationsSettings` | the door of operations: back office, and what phones ask under `/api` |
/// | `BackOfficeRefusal` `OperationsRefusal` | what `/v2` and `/api` refuse, with code and status |
/// | `Templates/…` | templates and their languages, `${parameter}`, the server's own; `CustomProperties` and `OperationAttribute`: what only an app reads |
/// | `Approvals/…` | `PhoneOperation`; `BeginOperation` → `DecideByPhone` (`DecideAtOnce` where nothing speaks against it), cancel or `ExpireOperations` (when: `ExpiryAlarm`); `Decisions`: matching, counting, what follows |
/// | `Rendering/…` | an operation as the phone reads it: languages, amounts, attributes, screens |
/// | `Offline/…` `Inbox/…` | QR codes, by the registration's key or the application's, and typed answers; messages |
/// | `Callbacks/…` `Push/…` | outboxes and their senders, signed callbacks; pushes by the senders of room Push, with credentials of apps (`PushCredentialStore`) or of the settings (`PushValues`), or by a webhook |
/// | `OperationsOperator` | what operators do with everybody's registrations and operations on the command line |
/// | `Login/…` | operations as a factor of the IdP: `ApprovalLogin` (logins), `ApprovalPhones` (setting up, confirming, removing), their codes and states |
/// | `PowerAuthTidying` | writes down what is over, deletes what nobody asks for |
/// | `OperationsServices` `HostedOperations` | what the server is given: role, endpoints, login method, workers |
/// | `OperationsSetting` `OperationsValues` | the `operations-…` settings |
/// | `Endpoints/…` | `OperationsPhoneRoutes` (`/pa/v3` and `/api`), `PowerAuthFourRoutes` (`/pa/v4`); `/v2`, the back office; `OperationsPicture` draws a code beside its text; `OperationsErrors` has the envelope of all of them; `OperationsSchemas`: what `/openapi.yaml` tells of `/v2`, `PhoneSchemas`: of the rest |
/// | `Pages/…` | what the pages of phones say here: `ApprovalStrings`, and all languages of them; `ApprovalRejection`; `ApprovingPhone` in the account page |
/// | `Login/ApprovalLoginRoutes` `AccountApprovalRoutes` `ApprovalRequestContext` | its pages; `OperationsFactor`: without a browser |
///
/// How it holds together:
/// * Versions 3.0 to 3.2 of the envelope are computed for the vectors' sake; the doors offer 3.3 only (decisions.md).
///   Decimal signatures (3.0) are made for offline codes only: eight digits of possession alone, which count no
///   failures, could be guessed.
/// * A phone is checked in this order: header, application version, envelope, registration, signature. A refused
///   envelope moves no counter. What a phone is told is one word per endpoint; the step that refused stands in the
///   audit (of each registration and step one line a minute) or, with no registration, in the log.
/// * A wrong PIN counts when the device's part of the signature is right, so nobody burns the attempts of a phone whose
///   activation id he knows.
/// * An attempt at an operation is looked at in this order: signature, is it there, application, user, registration,
///   flag, state, factor, data, proximity code. From the factor on, a fault counts; a wrong signature counts when
///   everything before the factor is right.
/// * A template's rows never change: an edit makes a new one, and an operation keeps that from which it was begun.
/// * Whoever approves, exchanges keys or commits holds the lineage of the app token that began it (`TokenBoundRow`):
///   nothing of it happens behind a revocation.
/// * An approval or rejection is read without locks and written by one statement, which locks phone and operation and
///   writes only if both are what was read: `xmin` of the phone, `version` of the operation. So whatever changes an
///   operation in a way that a decision may depend upon counts its `version`. The same callbacks have to be there, too.
///   Those that no lineage has to be held for share a commit and pass over what is locked. Whatever was not written
///   goes the way of refusals, from the start.
/// * What a process remembers is only what a row that it has just read was opened to, or computed from: secrets of
///   versions and tokens, keys of registrations, templates.
/// * Audit, callbacks and pushes are written in the transaction of what they tell.
/// * The lock of a registration comes before that of an operation. Replays of envelopes and token headers are in
///   `one_time`, until they are too old anyway.
///
/// 2026-11-22: amounts show at least the currency's digits and all that they have, so nothing is rounded away; blanks
/// that must not break are U+00A0. 2026-11-22: a parameter that data, title or message needs and that is missing
/// refuses the operation; empty it may be. 2026-11-22: with a proximity check and no screen of the template's own, the
/// phone is told to scan; without a check it never is. 2026-11-22: nobody rejects what nobody has claimed. What an app
/// asks is canceled (`TOKEN_ENDED`) when its token ends before it is decided or over. 2026-11-22: a code can be used
/// until its registration expires, and the registration committed until then, at least two minutes after the exchange.
/// 2026-11-22: a one-time password that does not say when it is due is due in the key exchange. It never stands for the
/// commit. 2026-11-22: the vault opens for knowledge only; `activation/detail` and `/rename` of later SDKs are not
/// offered. 2026-11-22: tokens go on reading when the version of the app that made them is switched off (backoffice.md
/// is silent): they approve nothing, and do not know it. 2026-11-22: the flags VERIFICATION_PENDING and
/// VERIFICATION_IN_PROGRESS (protocols/operations.md, 2.1) mean nothing here: they belong to an onboarding that this
/// service does not have. Who wants a registration kept from approving sets a flag on the operation, or commits later.
/// 2026-11-22: a temporary key of application scope is given to whoever asks within a minute: all that asking takes
/// stands in every app's binary, and a row for each would be rows without end. Keys in the scope of a registration are
/// its own.
/// 2026-11-22: activation codes of the server's own phones come from the master key, so that a page can show its code
/// again; the row has the hash, as for all. 2026-11-22: a phone of the server that is blocked counts as a factor that
/// its person has: else a password alone would lead to setting up another. 2026-11-22: an operator who removes or
/// blocks one ends its account's browser sessions that showed such a one; a block by wrong PINs ends none. 2026-11-22:
/// what a service, or a person at the account page, begins hangs from the client or the session as what an app begins
/// hangs from its token: a row with no lineage is a login of nobody yet. A service's own token may expire meanwhile, so
/// it is no part of that lineage. 2026-11-22: whatever goes wrong below operations has the envelope of its SDKs, HTTP
/// itself and a database that is away included, but for OAuth's 401 and 403 of the back office. A header of a phone
/// that comes twice is refused. A picture of an activation code comes with the code, since no later GET could draw it.
/// 2026-11-27: an offline code that the application signed counts wrong answers as any other, at an operation of nobody
/// too: the back office speaks for its users, and else could try one phone after the other. 2026-11-27: what a phone
/// tells of its proximity check (`ProximityReport`) is read leniently and decides nothing; the code is never kept.
/// 2026-11-22: a page with a proximity code is told of each new code as of a change, so it is drawn anew every half
/// minute without script of its own.
/// 2026-11-27: what protocol 4 has of its own stands in files of its own (`…Four`, `Agreement`, `SealedRequestOpener`);
/// counters, failures, locks and replays are those of 3.3, in the same rows. Its secrets are sealed in one column,
/// since they change together. What an upgrade has exchanged is one sealed value too, so that a registration is of 3.3
/// in everything until it is of 4 in everything. 2026-11-27: a registration of protocol 4 that its phone has not
/// confirmed does nothing (the protocol's documents are silent): its PIN has never been shown. 2026-11-27: a temporary
/// key of protocol 4 is agreed upon with one phone, so it cannot be shared and each has a row, of five minutes. Whoever
/// has an app's secret can make them: as many for each application and address, and each application, as
/// `TemporaryKeyRateLimit` says. 2026-11-27: a temporary secret of protocol 4 is sealed as another column than a key of
/// 3.3, in whose table it stands: a server of the release before looks at rows of an application by their age alone,
/// and must find none that opens. 2026-11-27: an upgrade is confirmed by what its application takes then, not by what
/// it took when it began. 2026-11-27: pushes go by room Push with an app's own credentials, those of the settings being
/// the server's app's alone: a topic is of one app, and Apple's word for another's reads as an address that is gone.
/// 2026-11-27: the table of pushes wakes who sends them, within the commit, so that nothing is told where nobody is
/// pushed to. 2026-11-27: blocks that end by themselves are steps that an app's owner chooses, and behind the last one
/// a block is for good: who has a phone has a bounded number of tries. 2026-11-27: an address belongs to one
/// registration of an app, since it is one app on one phone; only who holds a token of a registration can tell one.
