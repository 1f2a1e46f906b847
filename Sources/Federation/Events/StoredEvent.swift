import Base
import Database
import Foundation
import Keys
import Vocabulary

/// A row of `outbox`: one event, for one service.
public struct StoredEvent: Sendable {
    /// Counts the events to the service, from 1.
    public let seq: Int
    public let jti: String
    /// Without what stands before it in a token: `ended`, `moved`, `policy`.
    let event: String
    let members: JSONObject
    let createdAt: Date
    /// Since when there is patience with it.
    let triedFrom: Date

    static let columns: SQL = """
        o.seq, o.jti, o.event, o.body, o.created_at, coalesce(o.tried_from, o.created_at) as tried_from
        """

    init(_ row: Row) throws {
        (seq, jti, event, createdAt) = (try row("seq"), try row("jti"), try row("event"), try row("created_at"))
        let body: JSONValue = try row("body")
        (members, triedFrom) = (body.object ?? [:], try row("tried_from"))
    }

    /// The name that it has in a token.
    public var name: String { "urn:pando:event:\(event)" }

    /// What stands in the token below the name.
    public var body: JSONValue {
        var members = members
        members["seq"] = .integer(seq)
        return .object(members)
    }

    /// Those of a service in the server, which reads them where they are: numbers behind `after`, none above `through`,
    /// in their order.
    public static func missed(
        by service: String, after: Int, through: Int, limit: Int, in executor: any SQLExecutor
    ) async throws -> [StoredEvent] {
        try await executor.query(
            """
            select \(columns) from outbox o where o.service = \(service) and o.seq > \(after) and o.seq <= \(through)
            order by o.seq limit \(limit)
            """
        ).map { try StoredEvent($0) }
    }
}

/// Writes Security Event Tokens (RFC 8417; docs/events.md).
struct EventTokens: Sendable {
    static let heartbeat = "urn:pando:event:heartbeat"

    let keys: SigningKeys
    let issuer: String

    func token(_ event: StoredEvent, for base: String) async throws -> String {
        try await token(event.jti, at: event.createdAt, [event.name: event.body], for: base)
    }

    /// `at` is a time before `latest` was read: as of then there is no event that is newer.
    func heartbeat(_ jti: String, latest: Int, at time: Date, for base: String) async throws -> String {
        try await token(jti, at: time, [EventTokens.heartbeat: ["seq": .integer(latest)]], for: base)
    }

    private func token(
        _ jti: String, at time: Date, _ events: JSONObject, for base: String
    ) async throws -> String {
        try await keys.sign(
            type: JWTType.securityEvent.rawValue,
            claims: [
                "iss": .string(issuer), "aud": .string(base), "jti": .string(jti),
                "iat": .integer(time.numericDate), "events": .object(events),
            ])
    }
}
