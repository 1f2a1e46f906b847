/// # HTTP, floor 6
///
/// Owns HTTP and no product: endpoints as values and their table, how a request is read, how an answer and an error are
/// written, what the pages of all logins share. Does not own any decision (a route reads, calls one flow, answers), and
/// knows no product by name: each hands in a `HostedService`.
///
/// | folder | what |
/// |---|---|
/// | `Hosting` | `Product` `Setting` `SettingValues`: a product before it is made; `HostedService` `LoginMethod`: what it gives the server, how people log in with it; `HeldData`: what it holds on them; `OutgoingHTTP`: what it may begin, `OutgoingTraces`: in a trace |
/// | `Endpoint` `RouteTable` | the one table; routing, `--print-routes` and `/openapi.yaml` are made of it |
/// | `AllowedMethods` | what each address takes: 405 with `Allow`, OPTIONS, HEAD without a body |
/// | `EndpointShape` `ToldErrors` `OpenAPIDocument` `OpenAPISchema` | what `/openapi.yaml` tells of an endpoint beside its summary: parameters, bodies, answers, errors by status, what is to be shown; `OpenAPIExamples`, what each body is like; `OAuthShapes` `OAuthSchemas` of those that IdP and services share |
/// | `OAuthRoutes` `ServiceRoutes` `HealthRoutes` | what IdP and services share: token endpoint, introspection, revocation; a service's documents and events; health, style, scripts |
/// | `RFC9116` | `SecurityTxt`: whom to tell of a hole, where the operator has said it |
/// | `Index` | what is told of the federation's services, by the IdP and by a service of its own: `DiscoveryRoutes`, who offers a protocol; `ListingRoutes` `ListingRequest`, all of them, for whom the operator says |
/// | `EventLoopExecutor` | a request runs on its connection's event loop |
/// | `MetricsPage` | what the port of the metrics answers, in which of two formats, to whom |
/// | `DirectResponder` | the same answers without a socket, for a measure of the server alone |
/// | `Drain` `NoNewcomers` | that the process is about to stop, at `/readyz` and in each answer; at its end nobody new is let in before the listeners close |
/// | `Listener` `AcceptPause` `TransportSecurity` `RequestDeadline` | a bound address, and where descriptors end; TLS of this process itself, with client certificates; slow heads and bodies |
/// | `Limits` | `AddressLimit` (requests), `ConnectionLimit`, `ConnectionClosures` (what was closed before a request was whole), `LoadLimit` (grants under way), and `RateLimitFields`, what is told of a limit |
/// | `Requests` | context, bodies (form and JSON, 64 KiB), queries, `CookiePairs`, `Accept`, `If-None-Match`, `RequestRecord` around all: address, id and record of a request; `RequestTrace`, its span; what a request shows of its sender: `PeerReading` and `ProxyTrust` (RFC 7239, RFC 9440), nonces; pages of other origins: `Preflight` before the request, `CrossOrigin` with it |
/// | `Answers` | JSON, pages, errors with status and challenges (`ProtocolRefusal`: in the form of a product's protocol), held answers; `AccessLog` `ProcessName` `HTTPMetrics` |
/// | `Browser` | cookies, forms of our own pages, event streams; `ChosenLanguage`: which language somebody chose, `/language`, and what a brand has to load; `LoginRequestContext` `FactorSetup` `LoginPlace`: what all methods of logging in share, and who may change what they log in with |
/// | `WebSocket` | a WebSocket is an ordinary route: `WebSocketSwitch` `WebSocketFraming` on the connection, `WebSocketAnswer` `WebSocketMessage` `WebSocketOutlet` for the route; `DepartureWatch` |
///
/// 2026-11-21: the URL that a proof must name is the role's configured base and the path, never the Host header.
/// 2026-11-21: forms are taken from our own pages alone: same origin where the browser tells it, and a token that only
/// this browser's cookie can make. Forms of applications (`POST /authorize`, `POST /logout`) become GETs, since a form
/// of another site brings no cookies. 2026-11-21: pages say `Referrer-Policy: same-origin`; under `no-referrer`
/// browsers would send `Origin: null` with our own forms. 2026-11-21: `form-action` names where an answer may lead,
/// because browsers hold it against redirects after a form. 2026-11-22: a proxy says who asks and never where; a
/// certificate header from anybody else ends the request. 2026-11-22: TLS takes every client certificate and tells
/// which one is trusted, since a self-signed one is a client's too (RFC 8705, 2.2). Hummingbird's own TLS channel has
/// no place for what the check found, so `ListenerChannel` is ours. HTTP/2 is left to a proxy, though Hummingbird has a
/// module: deadlines, 431, WebSockets and `DepartureWatch` stand in the pipeline of HTTP/1.1, and streams want limits
/// of their own (docs/operate.md, "Limits"). 2026-11-23: logging in
/// with a phone is completed by the GET of the page that waits, once, in the browser whose cookie began it: so it needs
/// no script, and what an event tells is only that there is something to look at. 2026-11-26: `form-action` names
/// schemes, not hosts: a broker, where a person comes back to, leads on to an application that we do not know.
/// 2026-11-23: pages whose links hold keys say `no-referrer` and have no form, since a form would then say `Origin:
/// null`. 2026-11-23: event streams and held answers end at graceful shutdown; ServiceLifecycle tells it to whatever
/// runs below a listener. 2026-11-22: NIOWebSocket reads and writes frames, nothing more of it: its upgraders decide at
/// a connection's first request, and clients and proxies ask on connections that have served others. Masks, reserved
/// bits, UTF-8, fragments and closing are `WebSocketFraming`'s, since the decoder leaves them open. 2026-11-22: NIO's
/// decoder of HTTP reads nothing behind a request with `Upgrade`, whatever is answered; so such an answer says
/// `Connection: close` and means it. 2026-11-22: permessage-deflate is declined: descriptions are small, and a
/// dictionary for each of many idle sockets is not. 2026-11-22: what stands behind a key of `/openapi.yaml` is JSON in
/// one line, so tests read it without a reader of YAML, and hold answers and examples against it. 2026-11-26: each
/// endpoint tells its errors by status, and none `default`: what is not told is found by who asks
/// (`Tests/Interop/test_openapi.py`). Errors that follow from an endpoint's kind are told of it by themselves.
/// 2026-11-26: pages of other origins ask without cookies, so CORS lets nobody do what a server could not; a client's
/// registered origins keep a code, token or key that leaked into another page from being used there. The check stands
/// before the endpoint and reads the body into memory, so nothing is used up by a request that is refused; who sends no
/// `Origin` passes it in one look at the headers.
/// 2026-11-26: brand and address of a page are task-local, set around endpoints whose answer is HTML and nowhere else:
/// no page has to be handed them, and requests of programs pay nothing. The choice of language is a GET, which changes
/// nothing here; its form holds the page's address, but not on pages that refuse, whose address is a stranger's.
/// 2026-11-27: requests are counted behind `PeerReading`, so that each product refuses in its own form. What showed who
/// sends it and succeeded is given back afterwards: whether credentials are good is not known before. Grants are
/// bounded by requests under way and not by the pool's queue, since they gather in commits before they reach it.
/// 2026-11-26: a wrong method is refused next to the endpoints, so that a product tells it in its own form; `Allow` is
/// put on around everything. 2026-11-27: the access log and all series name a request by its pattern in the table: in
/// addresses there are identifiers and keys of links, and who invents addresses shall make no series.
/// 2026-11-27: a trace is gone on with where a trusted proxy says so; a stranger's `traceparent` begins one that points
/// at it, or anybody would decide what is kept. 2026-11-27: schemas that declare no example get one of their members'
/// examples, which stand in a table beside the schemas of a product, so that one thing has one name in all of them.
