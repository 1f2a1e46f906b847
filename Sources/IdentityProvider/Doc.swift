/// # IdentityProvider, floor 7
///
/// Owns the endpoints of the IdP and its own pages; `HostedService.identityProvider` gives them to the server. Does not
/// own a flow (OAuth), how one logs in besides the password (each a `LoginMethod` of its product), or what IdP and
/// services share (HTTP).
///
/// | file | what |
/// |---|---|
/// | `TokenRoutes` `PeopleRoutes` `ClientRoutes` | the login of apps, assertions; people, their instances; RFC 7591 and 7592. `/token`, `/introspect`, `/revoke`: `HTTP/OAuthRoutes` |
/// | `AccountTreeRoutes` | what a person has let in, as a tree, of which any branch can be ended alone |
/// | `MetadataRoutes` `OpenIDFederationRoutes` | what the issuer says of itself |
/// | `IndexRoutes` | who may ask for services by protocol or address, and read the listing: `HTTP/Index` |
/// | `OwnServiceRoutes` | a service as its own client: its entry, which third-party apps it takes |
/// | `SharedSignalsRoutes` `SharedSignalsSchemas` | streams of services (OpenID Shared Signals Framework 1.0) |
/// | `EventRoutes` | events that services fetch (RFC 8936), and those that they missed |
/// | `CrawlHealthRoutes` `HomeRoutes` | crawl health for administrators; home page for people, `/about` for makers of apps |
/// | `CrawlRequestRoutes` | a service asks to be crawled |
/// | `Pages/…` | `LoginPage`, `ConsentPage`, `WithoutLevelPage`, `LogoutPage` `LoggedOutPage`, `AccountPage` with its cards and `AccountTreeSection`, `ActivityPage`, `ToldPage`, `PasswordPage`, `DevicePage`, `HomePage`, `AboutPage`; `DataPage` `ExportPage` `DeletionPage` `DeletedPage`; `ScopesShown`, `ServicesShown` and `DecisionShown` are parts of them; `Strings/…` their words, a file for each language |
/// | `Shapes` | what `/openapi.yaml` tells of OAuth's endpoints, registrations and OpenID Federation; metadata documents are told by what they hold |
/// | `AppLoginSchemas` | what `/openapi.yaml` tells of the login of apps: each login method adds its members |
/// | `Mail/…` | what the queue of mail holds as letters in four languages (`MailLetter`), handed to the mail server (`MailWorker`) |
/// | `Recovery/…` | `/recover…`, where links in mail lead; addresses; recovery codes: pages, words, routes |
/// | `Browser/…` | authorization, login, consent, account page, password, logout, devices; `DataRoutes`: what is held on a person (`PersonalData`), and the end of the account; `LoginWays`: which door comes first; `AccountOfferRoutes`: a better way that somebody is offered |
