/// # ServiceCheck, floor 6
///
/// Owns what `pando check-service` and `pando admin services check` look at, in which order, and the words of what they
/// find: a service of the federation from outside, as the crawler, an app and the federation meet it. Does not own how
/// documents are read (`Crawler`), how apps speak (`PandoClient`), nor any database: who has one hands in credentials.
///
/// | folder | what |
/// |---|---|
/// | `CheckRun` | the order, and what is left out where nobody is trusted |
/// | `Checks` | one group each: document, refusals, browsers, events, redemption, app tokens, protocols, revocation |
/// | `Assertions` | where good assertions come from: an issuer of its own, or a federation over HTTP; forgeries |
/// | `Report` | findings with their section of the contract, and the report |
///
/// 2026-11-26: the operator's check goes to the federation over HTTP like an app, with a version and a person that were
/// made for it: so assertions are those of `/authorization`, events are those of the worker, and one engine does all.
///
/// 2026-11-26: services trust one issuer, so what can be asked depends on whom: without trust only refusals, with the
/// check's own issuer everything that can be signed wrongly, with a federation what it really sends.
