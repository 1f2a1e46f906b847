import Base
import Database
import Foundation
import Keys
import Logging
import Vocabulary

/// Delivers logout tokens (OpenID Connect Back-Channel Logout 1.0, 2.4 and 2.5): at least once, with growing pauses, for a day.
public struct LogoutSender: Sendable {
    static let longest: TimeInterval = 86_400
    static let lease: TimeInterval = 30

    let database: Database
    let keys: SigningKeys
    let issuer: String
    /// Posts a form body and gives the status.
    let post: @Sendable (_ url: String, _ form: String) async throws -> Int
    let clock: WallClock
    let logger: Logger

    public init(database: Database, keys: SigningKeys, issuer: String, post: @escaping @Sendable (_ url: String, _ form: String) async throws -> Int, clock: WallClock,
                logger: Logger) {
        (self.database, self.keys, self.issuer, self.post) = (database, keys, issuer, post)
        (self.clock, self.logger) = (clock, logger)
    }

    private struct Delivery: Sendable {
        let id: Int64, client: String, uri: String, session: String, subject: String
        /// That of the client's ID tokens, if it registered one: a logout token is checked in the same way (2.6).
        let algorithm: SigningAlgorithm?
        let createdAt: Date
        let attempts: Int32
    }

    /// Until cancelled.
    public func run() async { await WakeLoop("logout tokens", in: database, pause: .seconds(1), logger: logger) { try await sendDue() }.run() }

    /// One round over what is due; how many there were.
    @discardableResult
    public func sendDue() async throws -> Int {
        let due = try await claim()
        await withTaskGroup { group in
            for delivery in due { group.addTask { await deliver(delivery) } }
        }
        return due.count
    }

    /// Claimed for half a minute: a sender that dies in the middle loses nothing.
    private func claim() async throws -> [Delivery] {
        let now = clock.now()
        return try await database.query("""
            update logout_delivery d set attempts = d.attempts + 1, next_try = \(now.addingTimeInterval(LogoutSender.lease))
            where d.id in (select id from logout_delivery where next_try <= \(now) order by next_try limit 32 for update skip locked)
            returning d.id, d.client, d.uri, d.session, d.subject, d.created_at, d.attempts,
                      (select c.metadata ->> 'id_token_signed_response_alg' from client c where c.id = d.client) as algorithm
            """).map {
                let algorithm: String? = try $0("algorithm")
                return Delivery(id: try $0("id"), client: try $0("client"), uri: try $0("uri"), session: try $0("session"), subject: try $0("subject"),
                                algorithm: algorithm.flatMap { SigningAlgorithm(rawValue: $0) }, createdAt: try $0("created_at"), attempts: try $0("attempts"))
            }
    }

    private func deliver(_ delivery: Delivery) async {
        do {
            let token = try await token(for: delivery)
            let status = try await post(delivery.uri, FormCodec.write([("logout_token", token)]))
            // 400 says that the client will not take it (2.8); trying again would not help.
            if [200, 204, 400].contains(status) { return try await settle(delivery, error: nil) }
            try await settle(delivery, error: "status \(status)")
        } catch {
            try? await settle(delivery, error: "\(type(of: error))")
        }
    }

    private func token(for delivery: Delivery) async throws -> String {
        let now = clock.now()
        return try await keys.sign(type: JWTType.logout.rawValue, claims: [
            "iss": .string(issuer), "aud": .string(delivery.client), "sub": .string(delivery.subject), "sid": .string(delivery.session),
            "iat": .integer(now.numericDate), "exp": .integer(now.numericDate + 120), "jti": .string("logout-\(delivery.id)"),
            "events": ["http://schemas.openid.net/event/backchannel-logout": [:]],
        ], algorithm: delivery.algorithm)
    }

    private func settle(_ delivery: Delivery, error: String?) async throws {
        let now = clock.now(), isOver = now.timeIntervalSince(delivery.createdAt) > LogoutSender.longest
        guard let error, !isOver else {
            if error != nil { logger.warning("a client was not told of a logout", metadata: ["client": "\(delivery.client)", "error": "\(error ?? "")"]) }
            _ = try await database.execute("delete from logout_delivery where id = \(delivery.id)")
            return
        }
        let pause = min(pow(2, Double(min(delivery.attempts, 12))), 3_600)
        _ = try await database.execute("update logout_delivery set next_try = \(now.addingTimeInterval(pause)), last_error = \(error) where id = \(delivery.id)")
    }
}
