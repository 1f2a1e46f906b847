/// # Registration, floor 4
///
/// Owns who may speak: apps and their versions, app instances, web and service clients, how each authenticates, and how
/// one shows that one holds a key. Does not own grants, people's passwords or services.
///
/// | folder | what |
/// |---|---|
/// | `Apps` | apps, version keys, refusing and allowing a version or the whole app, and what of a person an app is told; `DeleteApp` |
/// | `Instances` | registration and upgrade of an instance, device information, blocks; `InstanceBranches`: pages for who goes through the tree; `InstancePurge`: which of them end and are forgotten by themselves |
/// | `RFC7523` | client assertions: of an instance by its version key, of a web client by its own |
/// | `RFC7591` | web clients: made by an operator or by themselves, the rules for both, how they authenticate (secret, key, certificate), also as they are remembered; `RotateSecret`: another secret; `ChangeClient`, `ClientLifetimes`: what operators say anew; `ClientLimits`: how often they may ask and be wrong; `RegisteredOrigins`: which of them registered the origin of a page |
/// | `RFC7592` | a self-registered client reads, replaces, deletes its registration; `UnusedClients` |
/// | `RFC8705` | what the tokens of a client with a certificate are bound to |
/// | `RFC9449` | DPoP proofs, the server's nonces for them, eduID's JWT made for one request; all that a request shows of its sender |
///
/// 2026-11-27: wrong secrets count for the address that sends them, never for the client. Beyond the limit they are
/// compared with what is remembered, and a right one is taken: what the limit spares is the database, as 256 bits of
/// ours cannot be guessed, and a client must not be locked out by whoever sits behind the same address.
/// 2026-11-26: who authenticates in vain is told one thing, the log which: unknown client, wrong secret, wrong method.
/// What an assertion of an app lacks is told, as ids of versions and keys are public.
/// 2026-11-21: whether an instance lives is read from its lineage, never written at it, so that revoking a version
/// stays one row. 2026-11-21: the order inside a registration is: open generations, then read the version's status and
/// the blocks, then issue. Refusing writes the status and then revokes, so one of the two always sees the other.
/// 2026-11-25: a key that nobody holds is registered by one statement, with others that come at that time; it asks for
/// status and blocks behind locks that who refuses or blocks holds exclusively before they write. The version's own
/// node would not do: where it is closed meanwhile, both go on.
/// 2026-11-26: the status of an app is read and held with that of the version, in the same statements: a version that
/// is added to a refused app is refused with it.
/// 2026-11-22: `RegistrationDocument` reads what strangers send, `DraftRules` holds what operators and strangers make
/// to the same rules. 2026-11-22: one host among the redirect URIs is the sector of pairwise subjects; loopback
/// addresses and private-use schemes are nobody's, so a client with such alone is its own sector, and one with such
/// beside a host needs the host's `sector_identifier_uri`. 2026-11-22: a client with the device grant is a sector of
/// its own, unless a `sector_identifier_uri` lists the `jwks_uri` whose keys it authenticates by. Sectors stand in the
/// row, so clients that were there before keep theirs, through updates too, and with it the subjects that they have
/// given out. 2026-11-22: a client keeps the policy of the invitation it registered with: an update (RFC 7592) cannot
/// ask for more than the registration could. 2026-11-22: what deletes a client takes its row first and then revokes it,
/// in the order of those who issue to it. 2026-11-22: an invitation hangs from the epoch of its time. Whoever restores
/// a backup and bumps the epoch gives out new ones. 2026-11-26: a device says what it is when it registers, and an
/// upgrade may leave that out: what was said stays. Marking an app `legacy` touches the rows of its versions, by which
/// every process sees that what it remembers is old.
/// 2026-11-26: `assertion_audience` is a client's own to choose: whoever lets its assertions name an endpoint risks
/// that client alone (docs/security.md, "Client assertions").
/// 2026-11-26: of grants, response types and scopes a registration gets what is given, and the answer says it: who
/// wants one thing more learns it from there, and libraries ask for all that they know. Whatever else it says is kept
/// or refused, never bent: nobody should find out later that keys, addresses or a method are not what they said.
/// 2026-11-26: a secret is replaced at once, or two are taken until a time that the operator names. The row carries the
/// time, and every authentication looks at it, so nothing has to come by and end it; both hashes are compared each
/// time, so that how long a refusal takes tells nothing of whether there are two. A third is never taken: who replaces
/// again ends the first.
/// 2026-11-26: an operator changes a client by the draft that it would register with, so one set of rules holds; what
/// no client says of itself (lifetimes, keys of before) is set beside it, and an update by RFC 7592 leaves it. Whatever
/// is added to a client that registered itself is added to its policy, or its own next update would be refused. Refresh
/// tokens do not say which grant they came by: they end when none is left that gives any. 2026-11-26: an app or version
/// that is deleted is refused and revoked first; its name is free since a node has generations and what is remembered
/// of a row asks for that very row. Blocks outlive it.
/// 2026-11-27: installations that nobody uses end by housekeeping (`InstancePurge`), those of people only after they
/// were told; whoever opens the app in time keeps it, as what counts is when it was last seen. Clients that registered
/// themselves and never got anything are deleted (`UnusedClients`): that nothing was issued is read from their node,
/// which the first token opens.
