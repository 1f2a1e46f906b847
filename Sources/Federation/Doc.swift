/// # Federation, floor 4
///
/// Owns the federation index, what is released to which service, whom a service takes, who uses what, the protocol
/// query, and the events that tell services of revokes. Does not own how a document is found and read (Crawler), how an
/// assertion is made (OAuth), or what a service does with an event (OAuth).
///
/// | folder | what |
/// |---|---|
/// | `Index` | services: states `pending → active ⇄ suspended → removed`, every change with who and why; `CrawlHealth`, what a crawler tells of them; `CrawlRequests`, by which they ask for one |
/// | `Proposals` | services that people propose themselves: who controls them is shown, then the federation decides |
/// | `Policy` | which third-party apps a service takes (`AppPolicy`, `AppPolicyStore`), and people and phones that are kept out of one service (`ServiceRefusals`) |
/// | `Release` | pairwise names of people and nodes, released claims, usage, and `Disclosures`: who was told which of them, when, by which login |
/// | `Discovery` | which services speak these protocols, documents of services by URL, answers in memory, the list signed, in the order of use; the listing and who may read it; `PublishedIndex`, what a process has of these; `IndexCopy` keeps another server's list in `copied_service`, and `ListedTables` says which of the two is read |
/// | `OpenIDFederation` | the index as OpenID Federation 1.0 has it: trust anchor, hosted entities, fetch, list, resolve |
/// | `SharedSignals` | streams (OpenID Shared Signals Framework 1.0): `EventStreams` and `StreamOperation` manage them, `SignalDialect` says a row of the outbox in the words of CAEP and RISC, `EventCourse` and `StreamPolls` are how it leaves |
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
/// waits for it. 2026-11-26: web logins count as use, written with the token that they give, by the service's own
/// client or the token's resource. 2026-11-26: an answer in the order of one person's use is read each time, since
/// nobody else could share it. 2026-11-27: what does not take that person, their phone or the app that they name comes
/// last in it and is not left out; the order of ids asks nobody's refusals and stays everybody's.
/// 2026-11-26: a disclosure is written by the statement that issues, at most once a minute where it would say the same;
/// a person can empty the list, and a row stays as long as something hangs below it, since their tree is read from it.
/// waits for it. 2026-11-26: each event is settled by itself, as polls acknowledge out of order;
/// `delivery.acknowledged` is the low-water mark, counted behind a lock of its row. 2026-11-26: a scope of
/// `ServiceScope` is no matter of registration: whose client is a service's may have it. 2026-11-26: a row of
/// `assertion_reach` is deleted when its assertion was called for: what is left below a node is what is to be done, and
/// no list is made up front. 2026-11-26: numbers of events never go back: after a backup was restored, `EventRestart`
/// goes on far above, so that who has heard more than we know of sees a gap, and asks.
/// 2026-11-26: one fact is one row of the outbox, whatever its receiver speaks: the dialect is chosen when it is sent,
/// so a stream may come and go without an event being told twice or not at all. 2026-11-26: facts about accounts are
/// written by triggers, only where a stream asks for them; they name the account as we do, and leave as a stream's
/// alone, under the pairwise name.
/// 2026-11-26: a service that an operator moves keeps its id, and with it its pseudonyms, its policy and its history:
/// none of them is made of an address. The id of one that was removed stays taken for the same reason: pseudonyms are
/// made of it, so another service by that id would know people by the names that the first one knew.
