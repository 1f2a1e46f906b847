import Base
import Database
import Foundation

/// A row of `event_stream`: how one service wants to be told (OpenID Shared Signals Framework 1.0, 8.1.1).
public struct EventStream: Sendable {
    public enum Status: String, Sendable, CaseIterable, SQLEncodable, SQLDecodable {
        case enabled, paused, disabled
    }

    public enum Delivery: Sendable, Equatable {
        /// RFC 8936.
        case poll
        /// RFC 8935; the header is sealed.
        case push(endpoint: String, authorization: [UInt8]?)

        static let pushMethod = "urn:ietf:rfc:8935", pollMethod = "urn:ietf:rfc:8936"
        public static let methods = [pushMethod, pollMethod]
    }

    public let id: String
    public let service: String
    /// `aud` of its tokens: the service's base URL.
    public let audience: String
    public let status: Status
    public let reason: String?
    /// While it is paused: the number of the last event that is still told.
    let holdsAfter: Int?
    public let delivery: Delivery
    let requested: [String]?
    public let delivered: [String]
    let description: String?
    public let createdAt: Date
    public let verifiedAt: Date?

    static let columns: SQL = """
        e.id, e.service, s.base, e.status, e.reason, e.holds_after, e.method, e.endpoint, e.authorization_header,
            e.requested, e.delivered, e.description, e.created_at, e.verified_at
        """

    /// What stands behind `from`.
    static let rows: SQL = "event_stream e join service s on s.id = e.service and s.status <> 'removed'"

    init(_ row: Row) throws(DatabaseError) {
        (id, service, audience, status) = (try row("id"), try row("service"), try row("base"), try row("status"))
        (reason, holdsAfter, requested) = (try row("reason"), try row("holds_after"), try row("requested"))
        (delivered, description) = (try row("delivered"), try row("description"))
        (createdAt, verifiedAt) = (try row("created_at"), try row("verified_at"))
        let endpoint: String? = try row("endpoint"), header: [UInt8]? = try row("authorization_header")
        delivery = endpoint.map { .push(endpoint: $0, authorization: header) } ?? .poll
    }

    /// Whether it is told to the service alone: what it named below an old base may be somebody else's now.
    var isBelowBase: Bool {
        guard case .push(let endpoint, _) = delivery else { return true }
        return EventStream.isBelow(audience, endpoint)
    }

    static func isBelow(_ base: String, _ endpoint: String) -> Bool {
        WebAddress(endpoint)?.withoutQuery.hasPrefix(base + "/") == true
    }

    func gets(_ type: SignalType) -> Bool { delivered.contains(type.rawValue) }

    /// Stream Configuration. The header of a push is not told back: it is a secret of who set it.
    func configuration(issuer: String) -> JSONObject {
        var json: JSONObject = [
            "stream_id": .string(id), "iss": .string(issuer), "aud": .string(audience),
            "events_supported": JSONValue(strings: SignalType.supported.map(\.rawValue)),
        ]
        if let requested { json["events_requested"] = JSONValue(strings: requested) }
        json["events_delivered"] = JSONValue(strings: delivered)
        json["delivery"] =
            switch delivery {
            case .poll:
                [
                    "method": .string(Delivery.pollMethod),
                    "endpoint_url": .string(EventStream.pollURL(id, issuer: issuer)),
                ]
            case .push(let endpoint, _):
                ["method": .string(Delivery.pushMethod), "endpoint_url": .string(endpoint)]
            }
        json["min_verification_interval"] = .integer(EventStreams.verificationInterval)
        if let description { json["description"] = .string(description) }
        return json
    }

    /// Stream Status (8.1.2).
    public var statusJSON: JSONObject {
        var json: JSONObject = ["stream_id": .string(id), "status": .string(status.rawValue)]
        if let reason { json["reason"] = .string(reason) }
        return json
    }

    static func pollURL(_ id: String, issuer: String) -> String { "\(issuer)/ssf/poll/\(id)" }
}
