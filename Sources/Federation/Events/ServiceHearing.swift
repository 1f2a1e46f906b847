import Base
import Database
import Foundation

/// How one service hears, since when, and why.
public struct ServiceHearing: Sendable, Equatable {
    public let wish: Hearing.Wish
    /// `nil` while it is found out, and for a service that is not approved yet.
    public let way: Hearing?
    public let since: Date?
    public let because: String?
    /// Where it is called (RFC 7009), whether it is or not.
    public let revocationEndpoint: String?

    static let columns: SQL = """
        s.notify, s.hears, s.hears_since, s.hears_because, \(Hearing.endpoint) as hears_at
        """

    init(_ row: Row) throws(DatabaseError) {
        (wish, way, since) = (try row("notify"), try row("hears"), try row("hears_since"))
        (because, revocationEndpoint) = (try row("hears_because"), try row("hears_at"))
    }

    /// Whether its assertions are remembered one by one.
    public var isCalled: Bool { Hearing.isCalled(wish, way) }

    var json: JSONObject {
        [
            "notify": .string(wish.rawValue), "hears": JSONValue(way?.rawValue),
            "hears_since": JSONValue(since?.rfc3339), "hears_because": JSONValue(because),
            "revocation_endpoint": JSONValue(revocationEndpoint),
        ]
    }
}
