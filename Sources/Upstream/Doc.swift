/// # Upstream, floor 7
///
/// Owns login at an institution's own identity provider (OpenID Connect Core 1.0, as a relying party): providers, whose
/// person there is which account here, logout from there, and the page on which people find their institution. Does not
/// own institutions and accounts (Accounts), sessions and what a login is enough for (OAuth), or OAuth as this server
/// itself gives it. Contract: docs/upstream.md.
///
/// | endpoint | file |
/// |---|---|
/// | `/login/institution` | `Login/FindingRoutes`: the institution is found, and remembered in a cookie |
/// | `/login/institution/{provider}`, `…/callback` | `Login/UpstreamRoutes`: to the provider and back |
/// | `/account/institutions/…` | `Login/LinkRoutes`: a link is made by who is logged in, and taken away |
/// | `POST /upstream/{provider}/backchannel-logout` | `Login/LogoutRoutes` |
///
/// | file | what |
/// |---|---|
/// | `HostedUpstream` `UpstreamService` | what the server is given, and what the flows share |
/// | `Providers/…` | rows of providers; their metadata, remembered for an hour |
/// | `Protocol/…` | the request, the code's exchange, what ID and logout tokens must say: a file each, no word of HTML |
/// | `People/…` | what a provider says of a person, as members of an account; links, and by which rule they come about |
/// | `Login/UpstreamLogin` | the flow: begin, answer |
/// | `Directory/…` | an LDAP directory that knows passwords (`LDAP`): settings, and whose account somebody is who is right there |
/// | `Administration/…` | `pando admin providers …`, what is held on people |
///
/// 2026-11-27: state, nonce and PKCE verifier are no rows: the state is the reference of a `LoginAttempt`, which is
/// bound to the browser, and the other two are HMACs of it under a key of this server. 2026-11-27: each provider has a
/// redirect URI of its own, so that an answer of one is never taken for another's where neither says `iss` (RFC 9700,
/// 4.4.2.2). 2026-11-27: an ID token has one audience, ours: we trust no other (Core, 3.1.3.7, 3).
/// 2026-11-27: what a provider says of factors goes into `acr` and `amr`; a factor that an account asks for is shown
/// here all the same (`FactorDemand`), since the account's own rule is not the institution's to meet.
/// 2026-11-27: a provider is asked at addresses that the crawler may reach: whoever administers an institution may
/// name it. 2026-11-27: a link is a new way to log in, so its person is told of it, and of its end, as of factors; the
/// cut of the notice takes it away. Who begins with it, in an account that is made for it, is not told. 2026-11-27: an
/// address is written when the account is made and never later: messages about the account go to it.
