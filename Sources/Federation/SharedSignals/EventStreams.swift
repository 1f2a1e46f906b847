import Base
import Database
import Foundation
import Keys
import Vocabulary

/// The Event Stream Management API (OpenID Shared Signals Framework 1.0, 8.1), without a word of HTTP. Each service has
/// one stream at most. Throws `OAuthError`.
public final class EventStreams: Sendable {
    /// Seconds between two verifications of a stream: `min_verification_interval`.
    public static let verificationInterval = 60

    let database: Database
    public let issuer: String
    let outbox: Outbox
    let headers: StreamHeaders
    let clock: WallClock
    let randomness: Randomness

    public init(
        database: Database, issuer: String, outbox: Outbox, secrets: SealedSecrets, clock: WallClock,
        randomness: Randomness
    ) {
        (self.database, self.issuer, self.outbox) = (database, issuer, outbox)
        (headers, self.clock, self.randomness) = (StreamHeaders(secrets: secrets), clock, randomness)
    }

    // MARK: Configuration

    /// 409 where the service has one already.
    public func create(_ body: JSONObject, for service: FederationService) async throws -> JSONValue {
        let draft = try StreamDraft(body, base: service.base), id = randomness.identifier()
        let stream = try await database.atomically { transaction -> EventStream? in
            try await EventStreams.hold(service, in: transaction)
            let stored = try await self.stored(draft.delivery ?? .poll, of: id, in: transaction)
            let types = SignalType.delivered(draft.requested).map(\.rawValue), now = self.clock.now()
            let rows = try await transaction.query(
                """
                insert into event_stream (id, service, method, endpoint, authorization_header, requested, delivered,
                    description, created_at, changed_at)
                values (\(id), \(service.id), \(stored.method), \(stored.endpoint), \(stored.header),
                    \(draft.requested), \(types), \(draft.description), \(now), \(now))
                on conflict do nothing returning id
                """)
            guard !rows.isEmpty else { return nil }
            try await self.outbox.due(service.id, in: transaction)
            return try await self.find(id, of: service, in: transaction)
        }
        guard let stream else {
            throw OAuthError(.invalidRequest, "this service has a stream; change it with PATCH or PUT", status: 409)
        }
        return .object(stream.configuration(issuer: issuer))
    }

    public func list(for service: FederationService) async throws -> JSONValue {
        let stream = try await EventStreams.stream(of: service.id, in: database)
        return .array(stream.map { [.object($0.configuration(issuer: issuer))] } ?? [])
    }

    /// 404 for no stream of this id, or another service's.
    public func read(_ id: String, for service: FederationService) async throws -> JSONValue {
        .object(try await find(id, of: service, in: database).configuration(issuer: issuer))
    }

    /// PATCH, or with `replacing` PUT, in which what is missing is taken away. 400 where the body says otherwise than
    /// we do of what we supply.
    public func update(
        _ body: JSONObject, for service: FederationService, replacing: Bool
    ) async throws -> JSONValue {
        let id = try EventStreams.streamID(body)
        let stream = try await database.atomically { transaction -> EventStream in
            try await EventStreams.hold(service, in: transaction)
            let known = try await self.find(id, of: service, isHeld: true, in: transaction)
            try StreamDraft.check(body, against: known.configuration(issuer: self.issuer))
            let draft = try StreamDraft(body, base: service.base)
            let requested = replacing || draft.names("events_requested") ? draft.requested : known.requested
            let description = replacing || draft.names("description") ? draft.description : known.description
            let types = SignalType.delivered(requested).map(\.rawValue)
            _ = try await transaction.execute(
                """
                update event_stream set requested = \(requested), delivered = \(types), description = \(description),
                    changed_at = \(self.clock.now()) where id = \(id)
                """)
            if replacing || draft.names("delivery") {
                let stored = try await self.stored(draft.delivery ?? .poll, of: id, in: transaction)
                _ = try await transaction.execute(
                    """
                    update event_stream set method = \(stored.method), endpoint = \(stored.endpoint),
                        authorization_header = \(stored.header) where id = \(id)
                    """)
            }
            try await self.outbox.due(service.id, in: transaction)
            return try await self.find(id, of: service, in: transaction)
        }
        return .object(stream.configuration(issuer: issuer))
    }

    public func delete(_ id: String, for service: FederationService) async throws {
        try await database.atomically { transaction in
            let known = try await self.find(id, of: service, isHeld: true, in: transaction)
            try await self.delete(known, in: transaction)
        }
    }

    private func stored(
        _ delivery: StreamDraft.Delivery, of id: String, in transaction: any SQLExecutor
    ) async throws -> (method: String, endpoint: String?, header: [UInt8]?) {
        switch delivery {
        case .poll: return ("poll", nil, nil)
        case .push(let endpoint, let header):
            guard let header else { return ("push", endpoint, nil) }
            return ("push", endpoint, try await headers.seal(header, of: id, in: transaction))
        }
    }

    // MARK: Status

    public func status(_ id: String, for service: FederationService) async throws -> JSONValue {
        .object(try await find(id, of: service, in: database).statusJSON)
    }

    public func setStatus(_ body: JSONObject, for service: FederationService) async throws -> JSONValue {
        let id = try EventStreams.streamID(body)
        guard let status = body["status"]?.string.flatMap(EventStream.Status.init) else {
            throw OAuthError(.invalidRequest, "status is enabled, paused or disabled")
        }
        let reason = try StreamDraft.text(body["reason"] ?? .null, "reason", most: 500)
        let stream = try await database.atomically { transaction -> EventStream in
            let known = try await self.find(id, of: service, isHeld: true, in: transaction)
            guard status == .disabled || known.isBelowBase else {
                throw OAuthError(.invalidRequest, "the stream is pushed to another base than the service's")
            }
            // The receiver wants to hear nothing from now on, not even what is on its way.
            try await self.set(known, to: status, reason, holdingAfter: 0, in: transaction)
            return try await self.find(id, of: service, in: transaction)
        }
        return .object(stream.statusJSON)
    }

    func set(
        _ stream: EventStream, to status: EventStream.Status, _ reason: String?, holdingAfter seq: Int,
        in transaction: any SQLExecutor
    ) async throws {
        let holdsAfter: Int? = status == .paused ? (stream.holdsAfter ?? seq) : nil
        _ = try await transaction.execute(
            """
            update event_stream set status = \(status), reason = \(reason), holds_after = \(holdsAfter),
                changed_at = \(clock.now()) where id = \(stream.id)
            """)
        if status == .disabled { try await drop(stream.service, in: transaction) }
        try await outbox.due(stream.service, in: transaction)
    }

    func delete(_ stream: EventStream, in transaction: any SQLExecutor) async throws {
        _ = try await transaction.execute("delete from event_stream where id = \(stream.id)")
        try await drop(stream.service, in: transaction)
        try await outbox.due(stream.service, in: transaction)
    }

    /// What only a stream tells is told no more; all else goes on to `BASE/events`.
    private func drop(_ service: String, in transaction: any SQLExecutor) async throws {
        _ = try await transaction.batch(EventStreams.forgetting(service))
    }

    /// Rows that only streams tell have no other reader. Behind the lock of `delivery`: triggers look for the stream
    /// when they have it (migration 0033), so no such row comes later.
    static func forgetting(_ service: String) -> [SQL] {
        [
            EventSettlement.lock(service),
            "delete from outbox o where o.service = \(service) and \(StoredEvent.isOfStreams)",
            EventSettlement.advance(service),
        ]
    }

    // MARK: Verification and subjects

    /// One verification event; 429 within `verificationInterval` of the last.
    public func verify(_ body: JSONObject, for service: FederationService) async throws {
        let id = try EventStreams.streamID(body)
        let state = try StreamDraft.text(body["state"] ?? .null, "state", most: 1_000)
        let pause = TimeInterval(EventStreams.verificationInterval)
        try await database.atomically { transaction in
            let now = self.clock.now(), known = try await self.find(id, of: service, isHeld: true, in: transaction)
            guard known.status != .disabled else {
                throw OAuthError(.invalidRequest, "the stream is disabled: nothing is sent over it")
            }
            if let last = known.verifiedAt, now < last.addingTimeInterval(pause) {
                let left = Int(last.addingTimeInterval(pause).timeIntervalSince(now).rounded(.up))
                throw OAuthError(
                    .tooManyAttempts, "a stream is verified once in \(EventStreams.verificationInterval) seconds",
                    retryAfter: max(1, left))
            }
            _ = try await transaction.execute("update event_stream set verified_at = \(now) where id = \(id)")
            try await self.outbox.append(
                "verification", state.map { ["state": .string($0)] } ?? [:], to: service.id, in: transaction)
        }
    }

    /// All subjects are in every stream, so there is nothing to add.
    public func addSubject(_ body: JSONObject, for service: FederationService) async throws {
        try await subject(body, for: service)
    }

    /// Nobody is taken out: who holds something below a node must hear of its end. 403.
    public func removeSubject(_ body: JSONObject, for service: FederationService) async throws {
        try await subject(body, for: service)
        throw OAuthError(.forbidden, "a stream has all subjects that concern its service; none can be removed")
    }

    private func subject(_ body: JSONObject, for service: FederationService) async throws {
        let id = try EventStreams.streamID(body)
        guard let subject = body["subject"]?.object, subject["format"]?.string?.isEmpty == false else {
            throw OAuthError(.invalidRequest, "subject must be an object with a format")
        }
        if let verified = body["verified"], verified != .null, verified.bool == nil {
            throw OAuthError(.invalidRequest, "verified must be true or false")
        }
        _ = try await find(id, of: service, in: database)
    }

    // MARK: Finding

    /// What a stream says is looked at by the base that the service has: it moves after this transaction, or has moved.
    private static func hold(_ service: FederationService, in transaction: any SQLExecutor) async throws {
        let rows = try await transaction.query(
            "select id from service where id = \(service.id) and base = \(service.base) for share")
        guard !rows.isEmpty else {
            throw OAuthError(.invalidRequest, "the service has moved at this moment; ask again", status: 409)
        }
    }

    static func streamID(_ body: JSONObject) throws(OAuthError) -> String {
        guard let id = body["stream_id"]?.string, !id.isEmpty else {
            throw OAuthError(.invalidRequest, "stream_id is missing")
        }
        return id
    }

    /// 404 for no stream of this id, or another service's. `isHeld`: until the transaction ends nobody else changes it.
    func find(
        _ id: String, of service: FederationService, isHeld: Bool = false, in executor: any SQLExecutor
    ) async throws -> EventStream {
        let held: SQL = isHeld ? "for update of e" : ""
        let row = try await executor.query(
            """
            select \(EventStream.columns) from \(EventStream.rows)
            where e.id = \(id) and e.service = \(service.id) \(held)
            """
        ).first
        guard let row else { throw OAuthError(.notFound, "this service has no stream of this stream_id") }
        return try EventStream(row)
    }

    /// The stream of a service, whatever its status.
    public static func stream(of service: String, in executor: any SQLExecutor) async throws -> EventStream? {
        try await executor.query(
            "select \(EventStream.columns) from \(EventStream.rows) where e.service = \(service)"
        ).first.map { try EventStream($0) }
    }
}
