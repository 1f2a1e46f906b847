/// # Database, floor 2
///
/// Owns every word exchanged with PostgreSQL: connections, the pool, statements and their values, transactions,
/// notifications, migrations, and what errors mean. The only room that imports libpq.
/// Does not own any table (each store has its own SQL) except `migration`, nor retries of transactions (only their
/// bodies know what may be done twice), nor session state: `set` outside a transaction leaks to the next user of the connection.
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
/// | `Pool` `Backoff` | pure: who gets which connection, when to open one |
/// | `Pipeline` `StatementCache` `Request` | pure: what is in flight on a connection, what is prepared there |
/// | `Connection` `Handshake` `Cancelling` | the actor around one `PGconn` |
/// | `Wire` `Conninfo` `SocketWatch` `QueueExecutor` | libpq, its parameters, its socket, its queue |
/// | `Listener` `WakeLoop` `ChangeBoard` | LISTEN on a connection that comes back; workers that wake by it, and who waits for a row to change |
/// | `RetryPause` | when a worker tries a row again |
/// | `Migrator` | NNNN_name.sql, in order, once |
/// | `DatabaseMetrics` | counters |
///
/// `@unchecked Sendable` stands at `ResultSet` and `Canceller`, each with its reason.
///
/// 2026-11-21: libpq in non-blocking pipeline mode instead of our own protocol code: TLS, SCRAM and conninfo come with it.
/// 2026-11-21: every result and value is binary; text formats depend on session settings.
/// 2026-11-21: a prepared statement is known by text and parameter types, as one text may stand with two types.
/// 2026-11-21: a cancelled shared query is given up by its caller and finishes on the server, bounded by `statement_timeout`;
/// a cancel request names a connection, not a statement, and could hit a stranger's.
/// 2026-11-21: while the server is away callers wait up to `waitLimit`, so that a restart is a delay and not a failure.
/// 2026-11-21: COPY is not spoken; bulk writes are `insert … select from unnest`.
