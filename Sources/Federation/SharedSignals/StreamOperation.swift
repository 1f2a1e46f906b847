import Base
import Database

/// What an operator does with a service's stream. Each change is told over the stream itself, before it stops or when
/// it goes on (OpenID Shared Signals Framework 1.0, 8.1.5).
public struct StreamOperation: Sendable {
    let streams: EventStreams

    public init(_ streams: EventStreams) { self.streams = streams }

    /// The stream as `pando admin` shows it; `nil` where the service has none.
    public func show(_ service: FederationService, in executor: any SQLExecutor) async throws -> JSONObject? {
        guard let stream = try await EventStreams.stream(of: service.id, in: executor) else { return nil }
        var json: JSONObject = ["service": .string(service.id), "status": .string(stream.status.rawValue)]
        json["reason"] = JSONValue(stream.reason)
        for (name, value) in stream.configuration(issuer: streams.issuer) where name != "events_supported" {
            json[name] = value
        }
        json["created_at"] = .string(stream.createdAt.rfc3339)
        json["verified_at"] = JSONValue(stream.verifiedAt?.rfc3339)
        return json
    }

    /// To `enabled` or `paused`. Whether it was so already; `nil` where the service has none.
    public func set(
        _ service: FederationService, to status: EventStream.Status, because reason: String?,
        in transaction: any SQLExecutor
    ) async throws -> Bool? {
        guard let stream = try await held(service, transaction) else { return nil }
        guard stream.status != status else { return true }
        guard stream.isBelowBase else {
            throw ServiceIndex.Refused.state("the stream of \(service.id) is pushed to another base than the service's")
        }
        var told: JSONObject = ["status": .string(status.rawValue)]
        let reason = reason.map { String(String.UnicodeScalarView($0.unicodeScalars.prefix(500))) }
        told["reason"] = JSONValue(reason)
        let seq = try await streams.outbox.append("stream", told, to: service.id, in: transaction)
        try await streams.set(
            stream, to: status, reason, holdingAfter: seq, in: transaction)
        return false
    }

    /// Native push is back. Whether there was one.
    public func delete(_ service: FederationService, in transaction: any SQLExecutor) async throws -> Bool {
        guard let stream = try await held(service, transaction) else { return false }
        try await streams.delete(stream, in: transaction)
        return true
    }

    private func held(_ service: FederationService, _ transaction: any SQLExecutor) async throws -> EventStream? {
        try await transaction.query(
            """
            select \(EventStream.columns) from \(EventStream.rows) where e.service = \(service.id) for update of e
            """
        ).first.map { try EventStream($0) }
    }
}
