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
/// | `CrawlHealthRoutes` `HomeRoutes` | crawl health for administrators; home page |
/// | `Pages/…` | `LoginPage`, `ConsentPage`, `LogoutPage` `LoggedOutPage`, `AccountPage` with its cards, `PasswordPage`, `DevicePage`, `HomePage`; `ScopesShown` and `DecisionShown` are parts of them; `Strings/…` their words, a file for each language |
/// | `AppLoginSchemas` | what `/openapi.yaml` tells of the login of apps: each login method adds its members |
/// | `Mail/…` | what the queue of mail holds as letters in four languages (`MailLetter`), handed to the mail server (`MailWorker`) |
/// | `Recovery/…` | `/recover…`, where links in mail lead; addresses; recovery codes: pages, words, routes |
/// | `Browser/…` | authorization, login, consent, account page, password, logout, devices |
