import Base
import Database
import Keys

/// How the events of one service leave at this moment.
struct EventCourse: Sendable {
    /// Over a stream, which may be paused or changed behind each event.
    let isStream: Bool
    /// Those with a higher number wait; `nil`: none does.
    let through: Int?
    /// `nil` for what is not told this way: it counts as acknowledged.
    let token: @Sendable (StoredEvent) async throws -> String?
    let push: @Sendable (_ token: String) async throws -> (status: Int, body: [UInt8])

    /// To `BASE/events`, in our own words.
    static func native(
        _ tokens: EventTokens, base: String,
        push:
            @escaping @Sendable (String) async throws -> (
                status: Int, body: [UInt8]
            )
    ) -> EventCourse {
        EventCourse(
            isStream: false, through: nil, token: { $0.isNative ? try await tokens.token($0, for: base) : nil },
            push: push)
    }
}

/// What takes the place of the push to `BASE/events` where a service has a stream that is not disabled.
public struct StreamCourses: Sendable {
    /// POSTs a token to where a service has asked for it, with this value of `Authorization`; gives the status. Bounds
    /// its own time, and asks no address that the crawler would not ask.
    public typealias Push =
        @Sendable (_ url: String, _ authorization: String?, _ token: String) async throws -> Int

    /// A push to the base that a service had before.
    struct Elsewhere: Error, CustomStringConvertible {
        var description: String { "the stream is pushed to another base than the service's" }
    }

    let dialect: SignalDialect
    let headers: StreamHeaders
    let push: Push

    public init(_ streams: EventStreams, keys: SigningKeys, names: PairwiseNames, push: @escaping Push) {
        dialect = SignalDialect(database: streams.database, keys: keys, issuer: streams.issuer, names: names)
        (headers, self.push) = (streams.headers, push)
    }

    /// Holds of rows `d` of `delivery` about which a sender has something to do: a stream is pushed and, where it is
    /// paused, not everything waits; or there is none, and the service hears by something that we begin.
    static let isSent: SQL = """
        exists (select from service s left join event_stream e on e.service = s.id and e.status <> 'disabled'
            where s.id = d.service and case when e.id is null then s.hears in ('push', 'revoke')
                else e.method = 'push' and (e.holds_after is null or exists (select from outbox o
                    where o.service = d.service and o.settled_at is null and o.seq <= e.holds_after)) end)
        """

    /// Holds of rows `s` of `service` whose place no stream has taken.
    static let isNative: SQL =
        "not exists (select from event_stream e where e.service = s.id and e.status <> 'disabled')"

    /// `native` where the service has no stream, or a disabled one.
    func course(of service: String, otherwise native: EventCourse) async throws -> EventCourse {
        let database = dialect.database
        guard let stream = try await EventStreams.stream(of: service, in: database), stream.status != .disabled else {
            return native
        }
        guard case .push(let endpoint, let sealed) = stream.delivery else {
            // It was changed to a poll at this moment: nothing is pushed.
            return EventCourse(isStream: true, through: 0, token: { _ in nil }, push: native.push)
        }
        guard stream.isBelowBase else { throw Elsewhere() }
        let header: String? =
            if let sealed { try await headers.open(sealed, of: stream.id, in: database) } else { nil }
        let (dialect, push) = (dialect, push)
        return EventCourse(
            isStream: true, through: stream.holdsAfter, token: { try await dialect.token($0, on: stream) },
            push: { (try await push(endpoint, header, $0), []) })
    }
}
