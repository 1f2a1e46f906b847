/// # IdentityProvider, floor 7
///
/// Owns the endpoints of the IdP and its own pages; `HostedService.identityProvider` gives them to the server. Does not
/// own a flow (OAuth), how one logs in besides the password (each a `LoginMethod` of its product), or what IdP and
/// services share (HTTP).
///
/// | file | what |
/// |---|---|
/// | `TokenRoutes` `PeopleRoutes` `ClientRoutes` | the login of apps, assertions; people, their instances; RFC 7591 and 7592. `/token`, `/introspect`, `/revoke`: `HTTP/OAuthRoutes` |
/// | `MetadataRoutes` `OpenIDFederationRoutes` | what the issuer says of itself |
/// | `DiscoveryRoutes` `FederationRoutes` `ListingRequest` | who offers a protocol; the public listing |
/// | `EventRoutes` | events that services fetch (RFC 8936), and those that they missed |
/// | `CrawlHealthRoutes` `HomeRoutes` | crawl health for administrators; home page |
/// | `Pages/…` | `LoginPage`, `ConsentPage`, `LogoutPage` `LoggedOutPage`, `AccountPage` with its cards, `PasswordPage`, `DevicePage`, `HomePage`; `ScopesShown` and `DecisionShown` are parts of them; `Strings/…` their words, a file for each language |
/// | `AppLoginSchemas` | what `/openapi.yaml` tells of the login of apps: each login method adds its members |
/// | `Browser/…` | authorization, login, consent, account page, password, logout, devices |
