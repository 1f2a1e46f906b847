import Base
import Database
import Foundation
import Keys
import Logging
import Vocabulary

/// Delivers logout tokens (OpenID Connect Back-Channel Logout 1.0, 2.4 and 2.5): at least once, with growing pauses,
/// for a day.
public struct LogoutSender: Sendable {
    static let longest: TimeInterval = 86_400
    static let lease: TimeInterval = 30
    /// From the first failure on, which is counted with the claim: two seconds, doubling to an hour.
    static let pause = RetryPause(first: 1, longest: 3_600)

    let database: Database
    let keys: SigningKeys
    let issuer: String
    /// Posts a form body and gives the status.
    let post: @Sendable (_ url: String, _ form: String) async throws -> Int
    let clock: WallClock
    let randomness: Randomness
    let logger: Logger

    public init(
        database: Database, keys: SigningKeys, issuer: String,
        post: @escaping @Sendable (_ url: String, _ form: String) async throws -> Int, clock: WallClock,
        randomness: Randomness, logger: Logger
    ) {
        (self.database, self.keys, self.issuer, self.post) = (database, keys, issuer, post)
        (self.clock, self.randomness, self.logger) = (clock, randomness, logger)
    }

    private struct Delivery: Sendable {
        let id: Int64, client: String, uri: String, session: String, subject: String
        /// What the client registered for its ID tokens, if anything: a logout token is checked in the same way (2.6).
        let algorithm: String?

        init(_ row: Row) throws {
            (id, client, uri) = (try row("id"), try row("client"), try row("uri"))
            (session, subject) = (try row("session"), try row("subject"))
            algorithm = try row("algorithm")
        }
    }

    /// Until cancelled.
    public func run() async { await queue.run() }

    /// One round over what is due; how many there were.
    @discardableResult
    public func sendDue() async throws -> Int { try await queue.sendDue() }

    private var queue: DeliveryQueue {
        DeliveryQueue(
            "logout tokens", LogoutSender.table, in: database, channel: LogoutQueue.channel,
            lease: LogoutSender.lease, pause: LogoutSender.pause, clock: clock, logger: logger, send: send)
    }

    /// The addresses are read from one to the next along their index, however many rows each has.
    private static let receivers: SQL = """
        with recursive address as (
            (select left(a.uri, 256) as receiver from logout_delivery a order by left(a.uri, 256) limit 1)
            union all
            select (
                select left(a.uri, 256) from logout_delivery a where left(a.uri, 256) > b.receiver
                order by left(a.uri, 256) limit 1
            ) from address b where b.receiver is not null
        )
        select b.receiver from address b where b.receiver is not null
        """

    private static let table = DeliveryTable(
        "logout_delivery", key: "id", receivers: receivers,
        rows: "logout_delivery d where left(d.uri, 256) = r.receiver",
        columns: """
            d.id, d.client, d.uri, d.session, d.subject,
            (select c.metadata ->> 'id_token_signed_response_alg' from client c where c.id = d.client) as algorithm
            """,
        tally: .attempts("attempts"), patience: DeliveryTable.Patience(since: "created_at", lasts: longest),
        matching: { row throws(DatabaseError) in "d.id = \(try row("id", as: Int64.self))" })

    private func send(_ row: Row) async throws -> DeliveryOutcome {
        let delivery = try Delivery(row)
        let status = try await post(delivery.uri, FormCodec.write([("logout_token", try await token(for: delivery))]))
        // 400 says that the client will not take it (2.8); trying again would not help.
        return [200, 204, 400].contains(status) ? .delivered : .later("status \(status)")
    }

    private func token(for delivery: Delivery) async throws -> String {
        let now = clock.now()
        return try await keys.sign(
            type: JWTType.logout.rawValue,
            claims: [
                "iss": .string(issuer), "aud": .string(delivery.client), "sub": .string(delivery.subject),
                "sid": .string(delivery.session),
                "iat": .integer(now.numericDate), "exp": .integer(now.numericDate + 120),
                // New with each try, so that nobody reads from it how many there were, and a database that comes back
                // from a backup says none twice.
                "jti": .string(randomness.identifier()),
                "events": ["http://schemas.openid.net/event/backchannel-logout": [:]],
            ], algorithm: keys.idTokenAlgorithm(registered: delivery.algorithm))
    }
}
