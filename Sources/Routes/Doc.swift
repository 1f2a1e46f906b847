/// # Routes, floor 6
///
/// Owns the HTTP surface and nothing else: one table of endpoints, how a request is read, how an answer and an error are written. Does not own any
/// decision: a route reads, calls one flow, answers.
///
/// | folder | what |
/// |---|---|
/// | `Endpoint` `RouteTable` | the one table; routing, `--print-routes` and `/openapi.yaml` are made of it |
/// | `Requests` | context, bodies (form and JSON, 64 KiB), what a request shows of its sender |
/// | `Answers` | JSON, pages, errors with status and challenges |
/// | `IdP` | metadata, tokens, people, discovery, operations |
/// | `Services` | a service of the house: OAuth, RSD2, events, home page; the attributes viewer |
///
/// 2026-11-21: the URL that a proof must name is the role's configured base and the path, never the Host header.
/// 2026-11-21: protocol endpoints of tiqr, operations and liquid are guarded by scope and answer 404 until their rooms come.
