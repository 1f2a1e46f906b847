import Base
import Database
import Foundation

/// That somebody at a provider is a person here.
struct UpstreamLink: Sendable {
    let provider: String
    let subject: String
    let account: UUID
    let madeAccount: Bool
    let told: JSONObject
    let linkedAt: Date
    let lastUsedAt: Date?

    static let columns: SQL = "l.provider, l.subject, l.account, l.made_account, l.told, l.linked_at, l.last_used_at"

    /// What forms and notices call it.
    var reference: String { "\(provider)/\(Base64URL.encode(Array(subject.utf8)))" }

    /// Reads a `reference`: the provider, and who somebody is there.
    static func named(_ reference: String) -> (provider: String, subject: String)? {
        let parts = reference.split(separator: "/", maxSplits: 1).map(String.init)
        guard parts.count == 2, let subject = Base64URL.decode(parts[1]) else { return nil }
        return (parts[0], String(decoding: subject, as: UTF8.self))
    }

    init(_ row: Row) throws {
        (provider, subject, account) = (try row("provider"), try row("subject"), try row("account"))
        (madeAccount, linkedAt, lastUsedAt) = (try row("made_account"), try row("linked_at"), try row("last_used_at"))
        let told: JSONValue = try row("told")
        self.told = told.object ?? [:]
    }
}

/// Rows of `upstream_link` and `upstream_session`.
struct LinkStore: Sendable {
    let clock: WallClock

    /// Held until the transaction ends: of a login and an unlinking one waits for the other.
    func hold(
        _ subject: String, at provider: String, in transaction: any SQLExecutor
    ) async throws -> UpstreamLink? {
        try await transaction.query(
            """
            select \(UpstreamLink.columns) from upstream_link l
            where l.provider = \(provider) and l.subject = \(subject) for update
            """
        ).first.map(UpstreamLink.init)
    }

    /// Oldest first.
    func list(of account: UUID, in executor: any SQLExecutor) async throws -> [UpstreamLink] {
        try await executor.query(
            """
            select \(UpstreamLink.columns) from upstream_link l where l.account = \(account)
            order by l.linked_at, l.provider, l.subject limit 100
            """
        ).map(UpstreamLink.init)
    }

    /// False where that person there is linked already: of two who link at once one does.
    func add(
        _ subject: String, at provider: String, to account: UUID, madeAccount: Bool, in transaction: any SQLExecutor
    ) async throws -> Bool {
        try await transaction.execute(
            """
            insert into upstream_link (provider, subject, account, made_account, told, linked_at)
            values (\(provider), \(subject), \(account), \(madeAccount), '{}', \(clock.now())) on conflict do nothing
            """) == 1
    }

    func use(_ link: UpstreamLink, told: JSONObject, in transaction: any SQLExecutor) async throws {
        _ = try await transaction.execute(
            """
            update upstream_link set told = \(JSONValue.object(told)), last_used_at = \(clock.now())
            where provider = \(link.provider) and subject = \(link.subject)
            """)
    }

    func remove(_ link: UpstreamLink, in transaction: any SQLExecutor) async throws {
        _ = try await transaction.execute(
            "delete from upstream_link where provider = \(link.provider) and subject = \(link.subject)")
    }

    /// Whether a password of the account was ever typed: one that was made for a link has one that nobody knows.
    func hasPassword(_ account: UUID, in executor: any SQLExecutor) async throws -> Bool {
        try await !executor.query(
            """
            select n.id from ancestor n where n.kind = 'password' and n.name = \(account.uuidString.lowercased())
            limit 1
            """
        ).isEmpty
    }

    // MARK: Sessions

    /// A session here came from one there.
    func note(
        _ session: String, of link: UpstreamLink, sid: String?, in transaction: any SQLExecutor
    ) async throws {
        _ = try await transaction.execute(
            """
            insert into upstream_session (session, provider, subject, sid, at)
            values (\(session), \(link.provider), \(link.subject), \(sid ?? ""), \(clock.now()))
            on conflict (session, provider, subject, sid) do update set at = excluded.at
            """)
    }

    /// Sessions here that came from this one there, or from any of this person's.
    func sessions(
        at provider: String, subject: String?, sid: String?, in executor: any SQLExecutor
    ) async throws -> [String] {
        try await executor.query(
            """
            select distinct s.session from upstream_session s
            where s.provider = \(provider) and (\(subject)::text is null or s.subject = \(subject))
                and (\(sid)::text is null or s.sid = \(sid))
            order by s.session
            """
        ).map { try $0("session") }
    }

    /// At which provider somebody logged in for this session, most recently.
    func provider(of session: String, in executor: any SQLExecutor) async throws -> String? {
        try await executor.query(
            "select s.provider from upstream_session s where s.session = \(session) order by s.at desc limit 1"
        ).first.map { try $0("provider") }
    }
}
