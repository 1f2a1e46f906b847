/// # TokenTree, floor 3
///
/// Owns nodes, lineage, issuing, checking, revoking, refresh families, one-time identifiers and purging:
/// design/token-tree.md. Does not own what a token means, who may ask for one, or how it is signed; and no words of
/// HTTP.
///
/// | file | what |
/// |---|---|
/// | `Ancestor` `AncestorStore` | virtual ancestors and their generations |
/// | `SigningAncestor` | the one that all issuing adds: the key that signs at that time |
/// | `TokenRow` `TokenDraft` | what was, and what is to be, issued |
/// | `TokenClaims` | what a token tells besides its columns: the members of `detail` |
/// | `GrantedResource` `RefreshedResource` | what a login granted tokens for, where that is more than one resource, each below nodes of its own (RFC 8707, 2.2) |
/// | `TokenStore` | issue (one place for all), find |
/// | `TokenInsertion` | the statement that makes a token |
/// | `RefreshFamily` `RefreshToken` | rotation in one statement, lost answers, reuse |
/// | `SentAnswers` | which answers to rotations have left, noted in their rows behind that |
/// | `Setback` | that the database went back, as a refresh token ahead of its row proves; told, and kept until it is settled |
/// | `Revocation` | one row, whatever hangs below, and the services told in the same transaction |
/// | `RevocationGathering` | tokens that are revoked together are one transaction |
/// | `RevocationSweep` | many nodes by one statement, where nobody issues below them meanwhile |
/// | `AssertionReach` | for which assertions a service has to be called, where services are |
/// | `TokenBoundRow` | holding the token or session on which something half finished hangs, so that nothing is decided behind its revocation |
/// | `FindToken` | finding a token's row, and remembering it |
/// | `ReadAhead` | a row of a standby, for memory alone |
/// | `Lease/…` | answers from memory, and a revocation that waits for those who give them: `Leases` is the door, `Lease` the rules, `Replica` this process as others see it, `TokenMemory` what it remembers |
/// | `TreeMetrics` | what was issued and revoked, for `/metrics` |
/// | `IssueGathering` `GenerationMemory` | tokens that are issued together are written together; the open generations below which this process issues again and again |
/// | `OneTimeStore` `ClaimGathering` | identifiers that work once; those that come together are written together |
/// | `PartitionPlan` `PartitionKeeper` `DatabaseClock` | partitions by expiry, made ahead, dropped when dead by both clocks |
/// | `Purge/…` | what nothing asks for any more: `TreePurge` is the door, and goes through `reach`; once a day (`DailyTurn`) `RevocationPurge`, `GenerationPurge`, each of which asks `HangingNodes` whether something is left below |
/// | `AuditTrail` `AuditTally` | who, when, from where, why; what anybody can cause again and again is counted by the minute before it is a line; `PersonTrail`, what a person sees of it |
/// | `Audit/…` | the hash chain over the trail, made after the lines were committed: `AuditChain`; verified, exported, proved, forgotten (docs/audit.md) |
/// | `TreeView` `TreeBranches` `Verdict` | explaining: what hangs below a node, bounded however much it is, and why a token does not live |
///
/// How it holds together:
/// * A token lives iff it has not expired and none of its lineage stands in `revocation`. So a race between minting and
///   revoking can never leave a live token below a revoked node; the locks are for the services, which must all be
///   told.
/// * Minting takes shared advisory locks on its lineage, root first, then re-checks it in the statement that inserts.
///   Revoking takes the exclusive lock of its one node. The lock and the insert are two statements of one round trip,
///   since a statement sees only what had been committed when it began.
/// * What is issued outside of a transaction shares its locks and its commit with what else is issued at that time.
///   What was remembered of its ancestors, or of who asked (`TokenDraft.condition`), is checked by the statement that
///   inserts, which also uses up the identifier that the token is issued for (`TokenDraft.using`), or the token that
///   works once and is redeemed by it (`TokenDraft.redeeming`).
/// * A virtual ancestor has a row while something was issued under it. Revoking moves its generation to `revocation`
///   and deletes the row; the next issue opens a new generation.
/// * `TokenStore.issue` adds the signing key, behind whatever else a draft adds, unless what it inherits holds that
///   very generation: at most one a level. A refresh family keeps the lineage with which it began, whoever signs its
///   later tokens. So when a key is revoked, families begun under it end; of older ones only the access tokens that it
///   signed do, because the signature no longer counts (Keys), and the next refresh brings another.
///
/// 2026-11-21: a refresh token is (family, sequence, MAC under a key outside the database). token-tree.md, rule 7, asks
/// for SHA-256 of random bits; the MAC shows a reader of the database less (nothing), and makes an old token of the
/// family provable without keeping a row for it. 2026-11-22: partitions are attached and detached, never made or
/// dropped as such: PARTITION OF and DROP TABLE wait for long readers under ACCESS EXCLUSIVE, and every request behind
/// them.
/// 2026-11-27: a note that an answer is about to be sent is taken back where its statement was given up: a process that
/// stood still for ten seconds had noted, told its phone 503, and called the next try theft. Only its own note, known
/// by its time: taken back behind another process that had sent the same answer, it let live the token before.
/// 2026-11-21: assertions are remembered for 400 days (`PartitionPlan.assertionMemory`), since a service may hold
/// refreshable tokens below them. 2026-11-22: a lost answer may be asked for again until ten seconds after it was sent,
/// and for ever where it never was. Until the new pair was *seen* would be kinder to a phone in a tunnel, but hides a
/// stolen token's reuse for as long, and makes checks write. More in docs/token-tree.md.
/// 2026-11-27: a refresh token ahead of its row (the database lost the commit that made it) has its row catch up, after
/// the alarm is raised. Refusing it would have clients throw good tokens away, and 503 until somebody decides would
/// stop them for hours and protect nothing: whoever holds a token that the row knows of would be served all the same.
/// 2026-11-27: a revocation is forgotten when one snapshot of all tables shows nothing below its node, no longer by its
/// age alone: what a family was granted for several resources hangs below nodes that are in no lineage, and lived again
/// where their revocation was 460 days old. An open generation is closed by a row in `revocation`, not by deleting it.
/// 2026-11-27: a partition of `token` may be a foreign table (docs/scaling.md). Before, a process that found one did
/// not start, and the purge of revocations, which read tables of this server only, would have let live again what hung
/// there.
