/// # Crawler, floor 5
///
/// Keeps, for every service of the federation index, one good RSD document and what is known about getting the next one
/// (design/crawler.md). Discovery never waits for it: it reads what was last committed.
/// Does not own the index itself (`Federation`), the words of RSD (`Vocabulary/RSD`), nor any HTTP surface.
///
/// | folder | what |
/// |---|---|
/// | `Address` | URLs by RFC 3986, addresses, which of them may be asked, names to addresses |
/// | `Fetch` | one answer, under the fetch policy: redirects by hand, sizes, times, per-host gate; `HTTPExchange` is the request itself; `OutsideRequest` for what clients and services name |
/// | `Discovery` | where the document may be: Link header, HTML, services.txt, fallback paths, and in which order |
/// | `Parsing` | what a body is, its encoding, the dialects, the repair pass, links and names |
/// | `Storage` | rows, claims and when to make them, schedule, health and its history, removal policy, advice, numbers; `Crawler` is the door |
/// | `DocumentLook` | the same reading for who checks a service that is in no index |
///
/// 2026-11-21: a connection is used for one request. What a server does with its connections never reaches the next
/// request, and every request has its name looked up and its address checked anew.
///
/// 2026-11-21: truncated XML gets its end tags from our own scan and is then parsed strictly. libxml2's recover mode
/// would accept much more than the contract's five repairs.
///
/// 2026-11-21: claims are made one after the other, under an advisory lock: how many services of a host are in flight
/// is counted over rows, and two claims side by side would not see each other's. A claim takes milliseconds and brings
/// many services.
///
/// 2026-11-21: reading and look-ups of names block their threads and cannot be broken off, so they have threads of
/// their own, few of them (`BlockingWork`).
///
/// 2026-11-21: a document speaks for endpoints below its service's base only (`ServiceEndpoints`).
///
/// 2026-11-21: a host waits as a whole only when two different services in a row found nobody there, so one failure
/// still touches no other service.
///
/// 2026-11-21: the host of a service stands in its row by triggers, because services are entered by another room.
///
/// 2026-11-25: claims by name and verdicts that are ready at the same time share a transaction (`GroupCommit`): a
/// commit waits for the disk, and there were two for each service. Rows are locked in the order of their ids, then sets
/// of names, then hosts, each in one order everywhere; after a collision each half goes by itself.
///
/// 2026-11-25: a crawl of many hands its results on and keeps none; only a dry run's result has document and trail.
///
/// 2026-11-25: connections are our own (`HTTPExchange`), by SwiftNIO's parser, TLS and decoding. async-http-client has
/// a checked address for a host name as a setting of a client (`dnsOverride`), not of a request; so each address cost a
/// client, with pools and a shutdown, several times what the request costs. One client for all could not tell two
/// answers of a look-up apart; and a URL with the address in it would have the certificate checked for the address.
///
/// 2026-11-25: a request has one deadline, from the look-up of its name to the last byte of its answer. Whatever comes
/// first, answer, error, deadline or who cancels, completes one promise, and the connection ends with that. Another
/// address of a name is tried only where no connection came about, so that nothing is posted twice; one that is silent
/// leaves half of the time to the others.
///
/// 2026-11-25: a crawl stays on one thread with its connections (`CrawlThreads`). Larger bodies are read elsewhere; up
/// to 8 KiB, which most documents have, a change of threads takes longer than reading. A server makes the threads
/// before it listens: where none of its descriptors is left, SwiftNIO ends the process that wants one more.
///
/// 2026-11-26: YAML is read where content type or name says so, as it has no sign of its own. It is measured before it
/// is parsed: the parser calls itself for each level, copies what aliases repeat, and takes hundreds of bytes a value.
///
/// 2026-11-26: who asked to be crawled while it was being crawled is crawled again: what began before may have read
/// what was there before.
///
/// 2026-11-26: search and verdict are one value (`ServiceVisit`), and the row another's: `pando check-service` reads as
/// a crawl does, with no database.
