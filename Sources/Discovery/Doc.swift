/// # Discovery, floor 7
///
/// Owns the role `discovery`: protocol discovery and the listing apart from the IdP, as a service of the federation
/// (`HostedDiscovery`), and whom it answers (`DiscoveryDoor`). Does not own a question or its answer (Federation), nor
/// how they are asked over HTTP (`HTTP/Index`), which the IdP has too.
///
/// 2026-11-26: it takes what the federation gave for this very service, and no personal access token: whoever runs it
/// gets nothing that is good elsewhere, and knows nobody but by the name that they have here. So `order=used` stays
/// with the IdP. 2026-11-26: a question uses no assertion up, since nothing is issued for it. 2026-11-26: instances
/// hand out no tokens for it: other apps are told of services by the app of the person (protocols/eduid.md, 6).
/// 2026-11-27: at a server whose federation is another's it answers from a copy of that one's list (`IndexCopy`), as
/// old as `list-interval`; a list and not a crawl of its own, so that both say the same of a service.
