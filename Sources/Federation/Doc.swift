/// # Federation, floor 4
///
/// Owns the federation index, what is released to which service, who uses what, the protocol query, and the events that
/// tell services of revokes. Does not own how a document is found and read (Crawler), how an assertion is made (OAuth),
/// or what a service does with an event (OAuth).
///
/// | folder | what |
/// |---|---|
/// | `Index` | services: states `pending → active ⇄ suspended → removed`, every change with who and why; `CrawlHealth`, what a crawler tells of them |
/// | `Release` | pairwise names of people and nodes, released claims, usage |
/// | `Discovery` | which services speak these protocols, documents of services by URL, answers in memory, the list signed; the public listing |
/// | `OpenIDFederation` | the index as OpenID Federation 1.0 has it: trust anchor, hosted entities, fetch, list, resolve |
/// | `Events` | the outbox and what is sent from it: Security Event Tokens (RFC 8417) by push (RFC 8935, `EventSender`) and poll (RFC 8936, `EventPolls`), `EventHeartbeats`, `DeadEvents`, `EventPurge`, `EventMetrics`; `EventSettlement` is how one is settled. `Hearing` says how a service hears, `HearingProbe` finds it out; `RevocationCalls` makes one call for each assertion (RFC 7009) where a service takes no events |
///
/// 2026-11-21: a pseudonym is HMAC-SHA-256 under a key per service, in the shape of a UUID, so it can stand in a
/// lineage. 2026-11-21: the end of a signing key is told twice: as the node that it is in lineages of ours, and as
/// `signer:KID` to every service, for assertions that we never made. Thus a service refuses them on all its replicas at
/// once, whatever key sets these have cached. 2026-11-21: an entity of the bridge is `ISSUER/federation/entity/ID`,
/// hosted here and signed with our keys: services need not know of OpenID Federation. 2026-11-21: discovery asks sets
/// of names, not services: few sets exist among many services, so a popular name costs what a rare one does.
/// 2026-11-21: an answer is remembered only while `pando_federation` is heard, and all are forgotten at every change:
/// simple, and never wrong. 2026-11-21: events of one service leave in order, one at a time; another service never
/// waits for it. 2026-11-26: each event is settled by itself, as polls acknowledge out of order; `delivery.acknowledged`
/// is the low-water mark, counted behind a lock of its row. 2026-11-26: a scope of `ServiceScope` is no matter of
/// registration: whose client is a service's may have it. 2026-11-26: a row of `assertion_reach` is
/// deleted when its assertion was called for: what is left below a node is what is to be done, and no list is made up
/// front.
