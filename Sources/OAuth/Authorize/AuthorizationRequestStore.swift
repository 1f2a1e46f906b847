import Base
import Database
import Foundation
import Vocabulary

/// A checked request that waits for its person: what was asked, and since when the browser is at it.
struct PendingRequest: Sendable {
    /// What stands in the URL; its hash is in the table.
    let reference: String
    let client: String
    let parameters: OAuthParameters
    /// A login before this moment does not answer `prompt=login`.
    let openedAt: Date
    /// Its person goes on without the level that it wishes for.
    var hasWaivedLevel = false
}

/// Rows of `authorization_request`.
struct AuthorizationRequestStore: Sendable {
    /// Seconds between pushing and opening (RFC 9126, 2.2), and between opening and answering.
    static let pushed: TimeInterval = 300
    static let open: TimeInterval = 1_800

    let database: Database
    let clock: WallClock
    let randomness: Randomness

    /// A request that a client pushed; no browser has it yet.
    func push(_ parameters: OAuthParameters, client: String) async throws -> String {
        try await insert(parameters, client: client, browser: nil, lifetime: AuthorizationRequestStore.pushed)
    }

    /// A request that a browser brought.
    func open(_ parameters: OAuthParameters, client: String, browser: String) async throws -> PendingRequest {
        let reference = try await insert(
            parameters, client: client, browser: browser, lifetime: AuthorizationRequestStore.open)
        return PendingRequest(reference: reference, client: client, parameters: parameters, openedAt: clock.now())
    }

    private func insert(
        _ parameters: OAuthParameters, client: String, browser: String?, lifetime: TimeInterval
    ) async throws -> String {
        let reference = randomness.secretText(), now = clock.now()
        _ = try await database.execute(
            """
            insert into authorization_request (reference, client, parameters, browser, created_at, expires_at,
                opened_at)
            values (\(Digest.sha256(reference)), \(client), \(JSONValue.object(parameters.json)),
                \(browser.map { Digest.sha256($0) }), \(now),
                    \(now.addingTimeInterval(lifetime)), \(browser == nil ? nil : now))
            """)
        return reference
    }

    /// The browser that comes first with a pushed request gets it, once (RFC 9126, 4).
    func take(_ reference: String, client: String, browser: String) async throws -> PendingRequest? {
        let now = clock.now()
        return try await database.query(
            """
            update authorization_request q set browser = \(Digest.sha256(browser)), opened_at = \(now),
                expires_at = \(now.addingTimeInterval(AuthorizationRequestStore.open))
            where q.reference = \(Digest.sha256(reference)) and q.client = \(client) and q.browser is null
                and q.expires_at > \(now)
            returning q.client, q.parameters, q.opened_at, q.level_waived_at
            """
        ).first.map { try pending($0, reference) }
    }

    /// The same browser again, on its way through login and consent; `nil` once answered.
    func find(_ reference: String, browser: String) async throws -> PendingRequest? {
        try await database.query(
            """
            select q.client, q.parameters, q.opened_at, q.level_waived_at from authorization_request q
            where q.reference = \(Digest.sha256(reference)) and q.browser = \(Digest.sha256(browser))
                and q.answered_at is null and q.expires_at > \(clock.now())
            """
        ).first.map { try pending($0, reference) }
    }

    /// Of all answers to one request, one counts. With the code that it is answered by, in one transaction.
    func answer(_ reference: String, in transaction: any SQLExecutor) async throws -> Bool {
        try await !transaction.query(
            """
            update authorization_request set answered_at = \(clock.now())
            where reference = \(Digest.sha256(reference)) and answered_at is null and expires_at > \(clock.now())
                returning client
            """
        ).isEmpty
    }

    /// `false`: answered already, over, or another browser's.
    func waiveLevel(_ reference: String, browser: String) async throws -> Bool {
        try await !database.query(
            """
            update authorization_request set level_waived_at = coalesce(level_waived_at, \(clock.now()))
            where reference = \(Digest.sha256(reference)) and browser = \(Digest.sha256(browser))
                and answered_at is null and expires_at > \(clock.now())
            returning client
            """
        ).isEmpty
    }

    func forget() async throws {
        _ = try await database.execute("delete from authorization_request where expires_at < \(clock.now())")
    }

    private func pending(_ row: Row, _ reference: String) throws -> PendingRequest {
        let stored: JSONValue = try row("parameters")
        return PendingRequest(
            reference: reference, client: try row("client"), parameters: OAuthParameters(json: stored.object ?? [:]),
            openedAt: try row("opened_at"), hasWaivedLevel: (try row("level_waived_at") as Date?) != nil)
    }
}
