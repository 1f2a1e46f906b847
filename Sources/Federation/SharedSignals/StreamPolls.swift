import Base
import Database
import Keys
import Vocabulary

/// Polls of streams (RFC 8936): what is acknowledged here is settled as by any other poll or push.
public struct StreamPolls: Sendable {
    let polls: EventPolls
    public let streams: EventStreams
    let dialect: SignalDialect

    public init(_ polls: EventPolls, _ streams: EventStreams, keys: SigningKeys, names: PairwiseNames) {
        (self.polls, self.streams) = (polls, streams)
        dialect = SignalDialect(database: streams.database, keys: keys, issuer: streams.issuer, names: names)
    }

    /// 404 where this service has no stream of this id that is polled. Nothing is told while it is paused or disabled.
    public func answer(_ poll: EventPoll, _ id: String, for service: FederationService) async throws -> JSONObject {
        let stream = try await streams.find(id, of: service, in: streams.database)
        guard stream.delivery == .poll else { throw OAuthError(.notFound, "this stream is pushed") }
        let told = try await polls.answer(poll, of: service.id, isWaiting: stream.status == .enabled) { limit in
            try await look(id, service, limit: limit)
        }
        // Missing, it is false (RFC 8936, 2.3); caep.dev's receiver reads no answer with a member that is no object.
        return told["moreAvailable"]?.bool == false ? told.filtered { $0 != "moreAvailable" } : told
    }

    /// The first ones that the stream gets. What it does not get counts as acknowledged, before anybody waits for it.
    private func look(_ id: String, _ service: FederationService, limit: Int) async throws -> [EventPolls.Written] {
        var written: [EventPolls.Written] = []
        let database = streams.database
        while written.count < limit, let stream = try await current(id, service) {
            let events = try await database.query(
                """
                select \(StoredEvent.columns) from outbox o where o.service = \(service.id) and o.settled_at is null
                    and (\(stream.holdsAfter)::bigint is null or o.seq <= \(stream.holdsAfter))
                    and o.jti <> all (\(written.map(\.jti)))
                order by o.seq limit \(limit - written.count)
                """
            ).map { try StoredEvent($0) }
            var passed: [String] = []
            for event in events {
                if let token = try await dialect.token(event, on: stream) {
                    written.append((event.jti, token))
                } else {
                    passed.append(event.jti)
                }
            }
            guard !passed.isEmpty else { break }
            _ = try await database.batch(
                EventSettlement.settle(service.id, acknowledged: passed, at: streams.clock.now()))
        }
        return written
    }

    /// `nil` once it is gone, disabled, or pushed.
    private func current(_ id: String, _ service: FederationService) async throws -> EventStream? {
        let stream = try await EventStreams.stream(of: service.id, in: streams.database)
        guard let stream, stream.id == id, stream.status != .disabled, stream.delivery == .poll else { return nil }
        return stream
    }
}
