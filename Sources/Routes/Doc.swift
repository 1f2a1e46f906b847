/// # Routes, floor 6
///
/// Owns the HTTP surface and nothing else: one table of endpoints, how a request is read, how an answer and an error are written. Does not own any
/// decision: a route reads, calls one flow, answers.
///
/// | folder | what |
/// |---|---|
/// | `Endpoint` `RouteTable` | the one table; routing, `--print-routes` and `/openapi.yaml` are made of it |
/// | `EndpointShape` `OpenAPIDocument` `OpenAPISchema` | what `/openapi.yaml` tells of an endpoint beside its summary: parameters, bodies, answers, what is to be shown |
/// | `Listener` `AcceptPause` `TransportSecurity` `RequestDeadline` | a bound address, and where descriptors end; TLS of this process itself, with client certificates; slow heads and bodies |
/// | `Requests` | context, bodies (form and JSON, 64 KiB), queries, `Accept`, `If-None-Match`, what a request shows of its sender: `PeerReading` and `ProxyTrust` (RFC 7239, RFC 9440), nonces |
/// | `Answers` | JSON, pages, errors with status and challenges |
/// | `IdP` | metadata, tokens, people, discovery, the public listing, clients, operations, crawl health for administrators |
/// | `Web` | the browser's side: cookies, forms of our own pages, authorization, login, consent, account, logout, devices; logging in with a phone or a passkey; `WatchedEvents` `OpenStreams` |
/// | `Services` | a service of the house: OAuth, RSD2, events, home page; the attributes viewer; tiqr; operations; liquid |
/// | `WebSocket` | a WebSocket is an ordinary route: `WebSocketSwitch` `WebSocketFraming` on the connection, `WebSocketAnswer` `WebSocketMessage` `WebSocketOutlet` for the route; `DepartureWatch` |
///
/// Logging in with a phone is `TiqrLoginRoutes` (scanning; `PhoneRequestContext`) or `ApprovalLoginRoutes` (approving in an app; `ApprovalRequestContext`); what both share, and who may
/// change what they log in with, is `LoginRequestContext` (with `FactorSetup`). `IdP/TiqrFactor` and `IdP/OperationsFactor` are the same without a browser.
/// Passkeys are `PasskeyLoginRoutes` and `AccountPasskeyRoutes` (`PasskeyRequestContext`; ending what a linked wallet opened too), without a browser `IdP/PasskeyFactor`.
///
/// tiqr (`TiqrRoutes`): `TiqrPhoneRoutes` (metadata, enrollment, authentication, logo; `TiqrDialect` says in which form), `TiqrEnrollmentRoutes`,
/// `TiqrAuthenticationRoutes` and `TiqrIdentityRoutes` (the back office; `WatchedAnswer` holds an answer), `TiqrPictureRoutes`, `TiqrLandingRoutes`.
///
/// operations (`OperationsServiceRoutes`): `OperationsPhoneRoutes` (`/pa/v3` and `/api`), and `/v2`, the back office: `OperationsApplicationRoutes` (applications,
/// templates), `OperationsRegistrationRoutes`, `OperationsApprovalRoutes` (operations, proximity and offline codes; `OperationsEventStream` tells events),
/// `OperationsNoticeRoutes` (callbacks, inbox). `OperationsPicture` draws a code beside its text. `OperationsErrors` has the envelope of all of them;
/// `OperationsSchemas` names what `/openapi.yaml` tells of `/v2`. (`IdP/OperationsRoutes` is health.)
///
/// liquid, at the host's root (`LiquidRoutes`: attestation, assertion, session, FIDO's conformance calls; `SignallingRoutes`: `/socket.io/`; `LiquidDocuments`:
/// well-known documents). `LiquidRequestContext` lets in by origin, writes the cookie, and has the form of what goes wrong. What `/openapi.yaml` tells of them stands in
/// `LiquidShapes` `LiquidSchemas` `LiquidExamples`, of passkeys of people and of logins by apps in `PasskeyShapes` `PasskeySchemas`.
///
/// 2026-11-21: the URL that a proof must name is the role's configured base and the path, never the Host header.
/// 2026-11-22: refusals of the phone's protocol are 200; what is wrong with the server or with HTTP itself (413, 503) is an error of HTTP, so that no phone
/// takes it for a verdict.
/// 2026-11-22: whatever goes wrong below operations has the envelope of its SDKs, HTTP itself and a database that is away included, but for OAuth's 401 and 403
/// of the back office. A header of a phone that comes twice is refused. A picture of an activation code comes with the code, since no later GET could draw it.
/// 2026-11-21: forms are taken from our own pages alone: same origin where the browser tells it, and a token that only this browser's cookie can make. Forms of
/// applications (`POST /authorize`, `POST /logout`) become GETs, since a form of another site brings no cookies.
/// 2026-11-21: pages say `Referrer-Policy: same-origin`; under `no-referrer` browsers would send `Origin: null` with our own forms.
/// 2026-11-21: `form-action` names where an answer may lead, because browsers hold it against redirects after a form.
/// 2026-11-22: a proxy says who asks and never where; a certificate header from anybody else ends the request.
/// 2026-11-22: TLS takes every client certificate and tells which one is trusted, since a self-signed one is a client's too (RFC 8705, 2.2). Hummingbird's own
/// TLS channel has no place for what the check found, so `ListenerChannel` is ours. HTTP/2 is left to a proxy.
/// 2026-11-23: logging in with a phone is completed by the GET of the page that waits, once, in the browser whose cookie began it: so it needs no script, and what
/// an event tells is only that there is something to look at.
/// 2026-11-23: pages whose links hold keys say `no-referrer` and have no form, since a form would then say `Origin: null`.
/// 2026-11-23: event streams and held answers end at graceful shutdown; ServiceLifecycle tells it to whatever runs below a listener.
/// 2026-11-22: a page with a proximity code is told of each new code as of a change, so it is drawn anew every half minute without script of its own.
/// 2026-11-22: what a passkey is asked is fetched by the page's script as JSON, under the token of the form that takes the answer; a refused question sends the form
/// without an answer, whose page says why. A question belongs to cookie and attempt (login) or cookie and session (account), and any answer uses it up.
/// 2026-11-22: NIOWebSocket reads and writes frames, nothing more of it: its upgraders decide at a connection's first request, and clients and proxies ask on
/// connections that have served others. Masks, reserved bits, UTF-8, fragments and closing are `WebSocketFraming`'s, since the decoder leaves them open.
/// 2026-11-22: NIO's decoder of HTTP reads nothing behind a request with `Upgrade`, whatever is answered; so such an answer says `Connection: close` and means it.
/// 2026-11-22: permessage-deflate is declined: descriptions are small, and a dictionary for each of many idle sockets is not.
/// 2026-11-22: what names an origin that is not listed is refused before anything is read, at `/socket.io/` too: a WebSocket brings cookies and asks for no preflight.
/// 2026-11-22: `connect.sid` has a `Max-Age`, unlike upstream's: apps keep a session over a restart, for as long as the server does.
/// 2026-11-22: what stands behind a key of `/openapi.yaml` is JSON in one line, so tests read it without a reader of YAML, and hold answers and examples against it.
