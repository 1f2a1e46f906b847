/// # OAuth, floor 5
///
/// Owns the flows: the token endpoint and its grants, login without a browser, service assertions, introspection, revocation, metadata, what an app may
/// ask about its person, and the kit with which a service joins. Does not own any HTTP (Routes) or any row of another room.
///
/// | endpoint | file |
/// |---|---|
/// | `POST /token` | `RFC6749/TokenEndpoint`, the grants beside it, `RFC8693/TokenExchangeGrant` |
/// | `POST /authorize/challenge` | `FirstParty/LoginChallenge` |
/// | `POST /authorization` | `Assertion/IssueAssertion` |
/// | `POST /introspect`, `/token/validate` | `RFC7662/IntrospectToken` |
/// | `POST /revoke` | `RFC7009/RevokeToken` |
/// | `/user-profile`, `/userinfo`, `/instances` | `People/` |
/// | metadata | `RFC8414/ServerMetadata` |
/// | `BASE/token` of a service | the same `TokenEndpoint`, composed with `ServiceKit/ServiceAssertionGrant`, `AppAuthorizationGrant`, `RefreshTokenGrant` |
/// | `BASE/events` | `ServiceKit/EventReceiver` |
///
/// One request to a token endpoint passes these phases, whatever its grant: read (form or JSON to `TokenRequest`), authenticate (client, holder of a token, or
/// bare proof), grant (its own checks, then one issue), answer (sign, respond). A grant fills in its own part and cannot forget a shared one.
///
/// How to add a grant: a case in `GrantType`, a case in `TokenRequest`, a struct that conforms to `Grant`, one line in the composition, a row in the metadata (made from the
/// composition), a journey test, and one test per refusal.
///
/// 2026-11-21: a caller that holds the right kind of proof but the wrong kind of token gets 403 `insufficient_scope`; a dead or unknown token 401 `invalid_token`.
/// 2026-11-21: a refused code, verifier or key does not use a code up; only the one right request does.
