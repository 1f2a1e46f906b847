/// # OAuth, floor 5
///
/// Owns the flows: the token endpoint and its grants, login in a browser and without one, OpenID Connect, service
/// assertions, introspection, revocation, metadata, what an app may ask about its person, and the kit with which a
/// service joins. Does not own any HTTP (Routes) or any row of another room.
///
/// | endpoint | file |
/// |---|---|
/// | `POST /token` | `RFC6749/TokenEndpoint`, `Grant`, the grants beside it, `RFC8693/TokenExchangeGrant` |
/// | `/authorize`, `/consent` | `Authorize/AuthorizeEndpoint` (the dispatcher), `MissingStep`, `VoluntaryLevel`, `IssueCode` |
/// | `/login` | `Browser/BrowserLogin`; every method ends in an `AuthenticationEvent` and comes back to `/authorize` |
/// | second factors | `SecondFactor` (what stands behind one the composition knows), `FactorDemand` (who asks for one, which would do), `FactorChange` (the last stays), `Browser/FactorHabit` (which comes first) |
/// | `POST /par`, `request=` | `RFC9126/PushedRequests`, `RFC9101/RequestObject` |
/// | `resource` of a web login | `RFC8707/RequestedResources` (what is asked for, which of it a token request means); `Authorize/RequestedScope`, for `scope` |
/// | `/logout`, logout tokens | `OpenID/EndSession`, `LogoutQueue` (in the transaction that revokes), `LogoutSender` |
/// | `/userinfo`, ID tokens | `OpenID/UserInfo`, `IDToken`, `ClaimsRelease`, `PromisedClaims` (for the consent page), `SubjectName` |
/// | `/account` | `People/OwnAccount`; as a tree `People/AccountTree` with `AccountNode` and `Plant`; `People/AccountActivity` |
/// | `/account/decline` | `People/DeclinedOffers` |
/// | `/account/export`, `/account/delete` | `People/OwnData` with `HeldOnPeople`; `DeleteOwnAccount`, which does what `accounts delete` does: `AccountRemoval` |
/// | `/recover…`, mail | `Recovery/AccountRecovery` (forgotten and first passwords), `AddressVerification`, `AccountNotices` (what people are told), `AccountCut` ("that was not me"), `MailQueue` |
/// | recovery codes | `Recovery/RecoveryCodes` |
/// | `resource` that is a part of this server | `RFC8707/OwnResource`: tokens for the administration are for it alone |
/// | `POST /device_authorization`, `/device` | `RFC8628/DeviceAuthorization`, `DeviceCodeGrant` |
/// | logins that were refused, in the audit trail | `RefusedLogins` |
/// | what is counted of token endpoints and logins | `OAuthMetrics` |
/// | what strangers may begin | `AnonymousRateLimit` |
/// | how often tokens of one person may be shown | `Presented/AccountLimit` |
/// | `POST /authorize/challenge` | `FirstParty/LoginChallenge`, with a second factor `FactorChallenge`, `AuthSession` |
/// | `POST /authorization` | `Assertion/IssueAssertion`; `EarlierUses`, what is of before a person at a service was a node |
/// | `POST /introspect`, `/token/validate` | `RFC7662/IntrospectionCaller` (who asks), `IntrospectToken` |
/// | what is told of a row | `RFC9068/AccessTokenWriter` (JWT), `RFC7662/IntrospectToken` (answer), `Assertion/AssertionClaims` (assertion) |
/// | `POST /revoke` | `RFC7009/RevokeToken` |
/// | `/user-profile`, `/userinfo`, `/instances`, `/account/tree` | `People/` |
/// | who may read the listing | `Presented/ListingAccess` |
/// | what a page of another origin may send | `Presented/OriginCheck` |
/// | a service that calls as itself | `Services/ServiceAuthentication` |
/// | `/scim/v2`, `accounts import` | `Directory/DirectoryAccounts`, `DirectoryInstitutions` (what is done), `DirectoryClient` (who may); `DirectoryImport` with `DirectoryMember`, for files |
/// | metadata | `RFC8414/ServerMetadata` |
/// | `BASE/token` of a service | the same `TokenEndpoint`, composed with `ServiceKit/ServiceAssertionGrant`, `AppAuthorizationGrant`, `RefreshTokenGrant` |
/// | the back office of a service | `ServiceKit/ServiceCaller`: a machine's token of the IdP with `resource`, or an app token |
/// | `/services/self` | `Services/ServiceAuthentication` (who calls), `OwnService`; `RefuseAtService`, one person or phone kept out of one service |
/// | `BASE/events` | `ServiceKit/EventReceiver`, `ReceivedEvents` (how far it is), `IssuerFreshness` (503 where nothing is heard) |
/// | a service whose issuer is another server | `ServiceKit/Elsewhere`: `IssuerConnection` asks it as the service's client, `MissedEvents` and `EventFollowing` take what was missed or waits, `IssuerTokenCheck` is of machines' tokens |
/// | who polls for events | `Services/ServiceAuthentication`: a service of the federation, as itself |
/// | an assertion shown in place of a token | `ServiceKit/ShownAssertion`, checked as one that is redeemed: `AssertionCheck` |
///
/// One request to a token endpoint passes these phases, whatever its grant: choose (by `grant_type`), read (the grant's
/// own parameters), authenticate (client, holder of a token, or bare proof), grant (its own checks, then one issue),
/// answer (the route's). A grant fills in its own part and cannot forget a shared one.
///
/// How to add a grant: a file with a struct that conforms to `Grant`, and its line in the list of the role. The
/// metadata follows; tests and documents are in CONTRIBUTING.md, "A grant".
///
/// 2026-11-27: a service elsewhere takes events that it cannot be sure to be the next all the same, and counts itself
/// as not having heard all until the issuer was asked; its own clock says as of when an answer was whole.
///
/// A text that was presented is looked for in one place, `Presented/TokenLookup`, and a row that a request has read is
/// not read by it again.
///
/// 2026-11-21: a caller that holds the right kind of proof but the wrong kind of token gets 403 `insufficient_scope`; a
/// dead or unknown token 401 `invalid_token`. 2026-11-21: a web login hangs below epoch, account, session, password (if
/// one began it), grant, client; with `offline_access` the session is left out, so that it outlives it. Logging out,
/// changing the password, withdrawing consent, suspending are one row each. The third node is what services take for
/// the anchor: session or grant, so never two persons' together. 2026-11-21: `/authorize` keeps no state for what can
/// be answered at once. Else the checked request is a row, bound to the browser's cookie, answered once; it is checked
/// anew at each step, since the client may have changed.
/// 2026-11-21: of web clients a wrong or missing verifier uses the code up (somebody else began it); of instances it
/// does not, as before. 2026-11-21: an ID token's `jti` is its access token's, so that an exchange finds the node
/// behind it. No ID token comes with a refresh (Core, 12.2 leaves it open). 2026-11-21: a request object by reference
/// is refused; `/par` serves everyone who wants its benefits. 2026-11-22: `acr`, `amr` and `auth_time` are one answer
/// of `AuthenticationHistory`: the strongest level with the time at which it was reached, or, where the request asks
/// for something recent, the strongest of what is recent. What an account asks for is looked up by the name of the
/// factor that was shown, since `amr` does not tell it. `passkey` is met by a passkey alone, `tiqr` by whatever a phone
/// shows.
/// 2026-11-22: a wallet's passkey that somebody linked is a factor of its own, `wallet`: wallets write `https://RP-ID`
/// for an origin whatever page they scanned, and say always that their user was verified, so it may have signed for a
/// false page. It is possession alone (`swk`, `user`, no `mfa`). A login by it alone stays possible (decisions.md,
/// liquid 4) and has one factor: where two are due the password is asked for beside it, and without that it changes
/// nobody's factors. It meets `any`, and neither `passkey` nor `tiqr`.
/// 2026-11-22: who takes a factor away ends the account's other sessions that showed one of its name, as whoever stole
/// it may be in there. 2026-11-22: a passkey is `mfa`, `user` and `hwk` or `swk` (RFC 8176): it is held, and was
/// unlocked by its user, who was there. `hwk` only where its maker attests to the hardware and the key cannot be
/// copied. Its level is that of two factors (`https://refeds.org/profile/mfa`); no `acr` of its own is offered.
/// 2026-11-22: who changes what they log in with shows a factor that the account asks for, if they have one; so neither
/// a password nor a phone gets somebody a new passkey where a passkey is asked for. Who has lost the only one asks an
/// operator, who removes it: then the next login leads to enrolling. 2026-11-22: a wished `acr` never keeps a person
/// from a request: it leads to the page of a factor that they have, and is passed over with prompt=none. An essential
/// one that nobody can reach is `unmet_authentication_requirements`.
/// 2026-11-25: a code is used up by the statement that issues, which asks for all that may have changed since it was
/// found, the web client too, which may be remembered. Where that issues nothing, nothing was used up, and the grant
/// goes step by step, the client read anew: it tells what spoke against it, and does what is to be done about it.
/// 2026-11-26: who is kept out of a service is `access_denied`: 403 at `/authorization`, 400 at token endpoints, a
/// redirect at `/authorize`; the same for an app that a service does not take. At a service's own client, and with a
/// service as `resource`, a web login is a use of that service and hangs below it.
/// 2026-11-22: an `auth_session` is a signed note and no row; of one password login one code is issued, which the
/// one-time store settles. 2026-11-21: a refused code, verifier or key does not use a code up; only the one right
/// request does. 2026-11-22: a device's approval opens grant and client when the person decides and keeps their
/// generations in the row; redeeming looks at client, person and consent again under lock. All that grants takes locks
/// in one order: client, person, consent, tree, row. 2026-11-22: withdrawing revokes the grant whether or not a consent
/// row is left. A grant that was never opened, with no row, is `not_found`. 2026-11-22: a changed password ends what
/// the old one opened: sessions, codes, logins under way, PATs, offline tokens. The instance lives, so does what a
/// phone or a passkey began, and the browser in which it is changed; what its applications hold ends all the same. An
/// operator's reset ends every browser session besides.
/// 2026-11-26: an export of one's own data is rows, not prose: every column of a table about people is told or withheld
/// for a reason, so a new one is decided about. Deleting takes person, then tree, then rows, as grants do.
/// 2026-11-26: a service below an instance is no ancestor: ending it revokes the assertions of that instance at that
/// service one by one, under the lock of the instance's generation, so that issuing costs nothing more. The name of a
/// branch is a pseudonym, found again by reading the tree: there is nothing in it to forge.
/// 2026-11-26: an access token has one audience (RFC 8707, 3; RFC 9068, 3), also where a login is for several services,
/// so that none of them can use it at another or at `/userinfo`. What `/userinfo` tells is the client's: with `openid`
/// a token for this server is granted beside, by `resource=ISS`. Of several, none named means that one, since libraries
/// call `/userinfo` with the first token they get. 2026-11-26: a login for one service alone hangs below it as a whole,
/// as before; for several each token hangs below its own, and the family below none. 2026-11-26: of the scopes asked
/// for those that the client may not have are left out; where nothing is left it is `invalid_scope`, not the default,
/// which would be more than was asked for. What waits for its person keeps the scopes of when it was asked. 2026-11-26:
/// `/userinfo` and refreshed ID tokens tell what is released now and was agreed to: a release that grew is no consent.
/// 2026-11-26: who asks for a new password hears the same whoever they name, after the same work: the name is queued,
/// and looked up by the worker that sends mail. 2026-11-26: a reset goes to whatever address the account has. A
/// person's own change of it counts only when a link was followed there; an operator's word is as good as a password
/// that the operator sets. 2026-11-26: who sets a password by a link is not logged in by it, so a mailbox alone shows
/// no second factor. 2026-11-26: a link of a notice takes away only, so it hangs from the epoch alone. 2026-11-26:
/// recovery codes are no factor by themselves: they count neither as the last one nor as a reason to ask, or who has
/// lost a phone that an operator removed could not set up another.
/// 2026-11-27: of several factors that would do, the one comes first that its person shows in this browser, then
/// elsewhere. Before anybody is known the browser alone tells how somebody came last, by the name of a factor and no
/// other: whose name is typed changes nothing on the page.
/// 2026-11-27: a person may go on without a level that is merely wished for: `acr` is a voluntary claim, and the
/// request could have been sent with prompt=none just as well. Who has to have it asks for it as essential.
/// 2026-11-26: ID tokens are RS256 for who registered nothing, since many libraries take nothing else unasked; access
/// tokens stay with the first of `signing-algorithms`: a signature of ES256 is the cheaper one, and they are many.
/// 2026-11-26: a code remembers whether its request had a challenge. One without is for a client that may do without
/// now, not only then, and takes no verifier.
/// 2026-11-27: a login in a browser from which the account was never used is told by mail, as a new phone is. Which
/// browsers are known say the events that keep strangers from locking people out (400 days, by the browser's own
/// cookie), so there is no list of devices besides; who logs in to an account for the first time is told nothing. Its
/// cut ends all, as that of a new factor does: whoever was there knew the password or had a way in.
