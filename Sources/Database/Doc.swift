/// # Database, floor 2
///
/// Owns every word exchanged with PostgreSQL: connections, the pool, statements and their values, transactions,
/// notifications, the delivery queue of all outboxes, migrations, and what errors mean. The only room that imports
/// libpq.
/// Does not own any table (each store has its own SQL) except `migration` and `replica_beat`, nor retries of
/// transactions (only their bodies know what may be done twice), nor session state: `set` outside a transaction leaks
/// to the next user of the connection. So do session-level advisory locks, temporary tables and cursors, and a pooler
/// of transactions loses them.
///
/// | file | what |
/// |---|---|
/// | `SQL` `Statement` `Parameters` | text by interpolation, values apart; numbering; what the protocol refuses |
/// | `SQLType` `SQLEncodable` `SQLDecodable` | the codec protocols; types with a raw value conform in one line |
/// | `Scalars` `ArrayCodec` `JSONColumn` | binary formats |
/// | `Row` `ResultSet` | results, read where libpq put them |
/// | `DatabaseError` `ServerReport` | SQLSTATE to error, without data |
/// | `Database` `SQLExecutor` | the API: run, acquire, release |
/// | `Transaction` | commit, rollback, dry run, refusals that leave a trace |
/// | `GroupCommit` `SharedReading` | what came while others were written, or read, goes with the next: one commit, or one statement, for all |
/// | `Pool` `Backoff` | pure: who gets which connection, when to open one |
/// | `Pipeline` `StatementCache` `Request` | pure: what is in flight on a connection, what is prepared there |
/// | `Connection` `Handshake` `Greeting` `Cancelling` `Overdue` | the actor around one `PGconn`: connecting, poolers, giving up |
/// | `Wire` `Conninfo` `HostEntry` `SocketWatch` | libpq, its parameters and hosts, its socket |
/// | `IOLoop` | the one thread of all connections: executor of their actors, readiness, timers |
/// | `Listener` `ChangeBoard` | LISTEN on one connection for all channels, which comes back; who waits for a row to change |
/// | `Delivery/DeliveryQueue` | the worker of an outbox: claim, lease, send, postpone, give up; when to look again |
/// | `Delivery/DeliveryTable` | the SQL of it, around an outbox's own names |
/// | `Delivery/DeliveriesInFlight` | pure: to whom more may be sent |
/// | `RetryPause` | when a row is tried again |
/// | `ReadReplica` `ProvenStandby` | a standby that is asked while it is proven to be young |
/// | `Migrator` `MigrationFile` | NNNN_name.sql, in order, once, in a transaction or, where it is marked so, statement by statement |
/// | `MigrationStatus` `MigrationNote` | what was applied, when and by whom; what waits while a pending one runs |
/// | `DatabaseMetrics` `PoolUse` | counters; what the pool does at a moment |
/// | `StatementSpan` | a round trip in a trace |
///
/// `@unchecked Sendable` stands at `ResultSet`, `Canceller`, `IOLoop` and `Handshake.Begun`, each with its reason.
///
/// 2026-11-21: libpq in non-blocking pipeline mode instead of our own protocol code: TLS, SCRAM and conninfo come with
/// it. 2026-11-21: every result and value is binary; text formats depend on session settings.
/// 2026-11-21: a prepared statement is known by text and parameter types, as one text may stand with two types.
/// 2026-11-21: a cancelled shared query is given up by its caller and finishes on the server, bounded by
/// `statement_timeout`; a cancel request names a connection, not a statement, and could hit a stranger's.
/// 2026-11-21: while the server is away callers wait up to `waitLimit`, so that a restart is a delay and not a failure.
/// 2026-11-22: every wait has a deadline of ours beside PostgreSQL's, as a server that is stopped ends nothing; a
/// little longer, so that one which is only slow says so itself and keeps its connections. One timer a connection;
/// `withTimeLimit` for what takes long. 2026-11-22: hosts of a connection string are tried by us, one attempt each:
/// libpq's asynchronous connect has no `connect_timeout`. 2026-11-22: prepared statements are named by a digest, and
/// not at all behind a pooler: in transaction mode `pando_1` of one process ran for another. 2026-11-23: the five
/// outboxes have one queue, with a share for each receiver and places apart for those that answer late. What is due is
/// claimed receiver by receiver, so a backlog of one is not read on the way to another's row. A wake is one round trip,
/// which also tells when to wake next; nobody polls where notifications arrive. 2026-11-23: one thread waits for
/// all connections. A queue for each was woken by Dispatch's thread for each statement, and switching threads was half
/// of a statement's CPU. 2026-11-21: COPY is not spoken; bulk writes are `insert … select from unnest`.
/// 2026-11-27: a statement in a trace is told by its text, in which no value stands. PostgreSQL itself is told nothing
/// of the trace: a comment in a statement would make each a prepared statement of its own, and `application_name` a
/// round trip for each request. What ran for long there is found by its text, which `pg_stat_statements` has, too.
