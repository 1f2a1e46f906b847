import Base
import Database
import Foundation
import Keys
import Vocabulary

/// What a stream is told of a row of the outbox: a Security Event Token as the Shared Signals Framework profiles it
/// (1.0, 4.1): one event, its subject in `sub_id`, neither `sub` nor `exp`.
struct SignalDialect: Sendable {
    let database: Database
    let keys: SigningKeys
    let issuer: String
    let names: PairwiseNames

    private var subjects: SignalSubject { SignalSubject(issuer: issuer, names: names) }

    /// `nil` for what the stream does not get: it counts as acknowledged.
    func token(_ event: StoredEvent, on stream: EventStream) async throws -> String? {
        guard let told = try await told(event, on: stream) else { return nil }
        return try await keys.sign(
            type: JWTType.securityEvent.rawValue,
            claims: [
                "iss": .string(issuer), "jti": .string(event.jti), "iat": .integer(event.createdAt.numericDate),
                "aud": .string(stream.audience), "sub_id": told.subject,
                "events": .object([told.type.rawValue: .object(told.body)]),
            ], algorithm: try await algorithm(for: stream.service))
    }

    private struct Told { let type: SignalType, subject: JSONValue, body: JSONObject }

    private func told(_ event: StoredEvent, on stream: EventStream) async throws -> Told? {
        let told: Told? =
            switch event.event {
            case "ended": try await ended(event, at: stream.service)
            case "credential": credential(event, at: stream.service)
            case "account": account(event, at: stream.service)
            case "verification": about(stream, .verification, event)
            case "stream": about(stream, .streamUpdated, event)
            case "moved":
                Told(
                    type: .moved, subject: SignalSubject.opaque(event.members["node"]?.string ?? ""),
                    body: event.members)
            case "policy":
                Told(type: .policy, subject: ["format": "uri", "uri": .string(stream.audience)], body: event.members)
            default: nil
            }
        guard let told else { return nil }
        // What is about the stream itself always comes.
        return [.verification, .streamUpdated].contains(told.type) || stream.gets(told.type) ? told : nil
    }

    private func about(_ stream: EventStream, _ type: SignalType, _ event: StoredEvent) -> Told {
        Told(type: type, subject: SignalSubject.opaque(stream.id), body: event.members)
    }

    /// CAEP 1.0, 3.1.
    private func ended(_ event: StoredEvent, at service: String) async throws -> Told? {
        guard let pseudonym = event.members["node"]?.string else { return nil }
        let about: SignalSubject.About? =
            if let node = event.node {
                try await subjects.about(node, at: service, in: database)
            } else {
                nil
            }
        var body: JSONObject = ["event_timestamp": .integer(event.createdAt.numericDate)]
        if let about { body["initiating_entity"] = .string(about.initiator) }
        return Told(type: .sessionRevoked, subject: subjects.ended(pseudonym, about, at: service), body: body)
    }

    /// CAEP 1.0, 3.3.
    private func credential(_ event: StoredEvent, at service: String) -> Told? {
        guard let account = person(event), let type = event.members["type"], let change = event.members["change"] else {
            return nil
        }
        return Told(
            type: .credentialChange, subject: subjects.person(account, at: service),
            body: [
                "event_timestamp": .integer(event.createdAt.numericDate), "credential_type": type,
                "change_type": change,
            ])
    }

    /// RISC 1.0, 2.
    private func account(_ event: StoredEvent, at service: String) -> Told? {
        let types: [String: SignalType] = [
            "disabled": .accountDisabled, "enabled": .accountEnabled, "purged": .accountPurged,
        ]
        guard let account = person(event), let type = types[event.members["change"]?.string ?? ""] else { return nil }
        return Told(type: type, subject: subjects.person(account, at: service), body: [:])
    }

    private func person(_ event: StoredEvent) -> UUID? {
        event.members["account"]?.string.flatMap { UUID(uuidString: $0) }
    }

    /// The one that the service's client has registered for what we sign for it; else RS256, which every receiver knows
    /// (CAEP Interoperability Profile 1.0, 2.6); else whatever this server signs by.
    private func algorithm(for service: String) async throws -> SigningAlgorithm? {
        let row = try await database.query(
            """
            select c.metadata ->> 'id_token_signed_response_alg' as alg from service s join client c on c.id = s.client
            where s.id = \(service)
            """
        ).first
        let registered: String? = try row?("alg") ?? nil
        let wanted = registered.flatMap { SigningAlgorithm(rawValue: $0) } ?? .rs256
        return [wanted, .rs256].first { keys.algorithms.contains($0) }
    }
}
