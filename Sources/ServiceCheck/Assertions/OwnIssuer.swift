import Foundation
import PandoClient

/// A federation of the check's own, of one person with one phone: a service that trusts it can be asked everything, as
/// each assertion and event can be made that an attacker would wish for.
public actor OwnIssuer: AssertionSource {
    public nonisolated let name = "own"
    public nonisolated let issuer: String
    let base: String
    let tokenEndpoint: String
    private let transport: Transport
    private let now: @Sendable () -> Date
    private let key: SigningKey
    private let holder: KeyHolder
    /// What all of its assertions hang from, root first.
    private let lineage = ["epoch", "version", "instance"].map { "\($0)-\(UUID().uuidString.lowercased())" }
    private let instance = "check-" + UUID().uuidString.lowercased()
    private let subject = UUID().uuidString.lowercased()
    private var sequence = 0

    /// - Parameters:
    ///   - key: whose public half `ISSUER/jwks.json` shows.
    ///   - transport: to the service.
    public init(
        issuer: String, base: String, tokenEndpoint: String, key: SigningKey, transport: Transport,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        (self.issuer, self.base, self.tokenEndpoint, self.key) = (issuer, base, tokenEndpoint, key)
        (self.transport, self.now) = (transport, now)
        holder = KeyHolder(key: SigningKey(), transport: transport, now: now)
    }

    public func assertion() throws -> HeldAssertion {
        HeldAssertion(text: try sign(claims()), instance: instance, holder: holder)
    }

    public func assertionForAnother() throws -> String? {
        try sign(claims().merging(["aud": "https://another.example/token"]) { $1 })
    }

    public func revoke() async throws {
        let answer = try await send(try event("ended", ["urn:pando:event:ended": ["node": .string(lineage[2])]]))
        guard answer.isGood else { throw OAuthError(answer) }
    }

    public func end() {}

    func claims() -> [String: JSON] {
        let now = Int(now().timeIntervalSince1970), id = UUID().uuidString.lowercased(), key = holder.key
        return [
            "iss": .string(issuer), "sub": .string(subject), "aud": .string(tokenEndpoint),
            "azp": "org.example.check", "client_id": .string(instance), "jti": .string(id), "iat": .integer(now),
            "exp": .integer(now + 300), "cnf": ["jwk": key.jwk, "jkt": .string(key.thumbprint)],
            "lineage": .array((lineage + ["assertion-" + id]).map(JSON.string)), "name": "Check of services",
            "email": "check@example.org",
        ]
    }

    func sign(
        _ claims: [String: JSON], type: String = "oauth-id-jag+jwt", header: [String: JSON] = [:]
    ) throws
        -> String
    {
        let own: [String: JSON] = ["typ": .string(type), "kid": .string(key.thumbprint)]
        return try key.sign(claims, header: own.merging(header) { $1 })
    }

    func time(_ seconds: Int) -> JSON { .integer(Int(now().timeIntervalSince1970) + seconds) }

    private func send(_ text: String) async throws -> Transport.Response {
        try await transport.send(EventRequest.of(text, base: base))
    }

    private func event(_ name: String, _ events: [String: JSON], base other: String? = nil) throws -> String {
        let claims: [String: JSON] = [
            "iss": .string(issuer), "aud": .string(other ?? base), "jti": .string(UUID().uuidString.lowercased()),
            "iat": time(0), "events": .object(numbered(events)),
        ]
        return try sign(claims, type: "secevent+jwt")
    }

    /// Each event has the number behind the last one; a heartbeat, that of the newest.
    private func numbered(_ events: [String: JSON]) -> [String: JSON] {
        events.reduce(into: [:]) { numbered, event in
            var body = event.value.object ?? [:]
            if event.key != OwnIssuer.heartbeat { sequence += 1 }
            body["seq"] = .integer(sequence)
            numbered[event.key] = .object(body)
        }
    }

    private static let heartbeat = "urn:pando:event:heartbeat"

    public func events() throws -> [SentEvent]? {
        let ended = try event("ended", ["urn:pando:event:ended": ["node": "nobody-hangs-below-this"]])
        let foreign = sequence
        let forAnother = try event(
            "foreign", ["urn:pando:event:ended": ["node": .string(lineage[2])]], base: "https://another.example")
        // It was for another service, which counts its own.
        sequence = foreign
        return [
            SentEvent(id: "event-ended", what: "an event that something has ended", text: ended, isGood: true),
            SentEvent(id: "event-twice", what: "the same event once more", text: ended, isGood: true),
            SentEvent(
                id: "event-unknown", what: "an event whose name it cannot know",
                text: try event("unknown", ["urn:example:event:later": ["about": "nothing"]]), isGood: true),
            SentEvent(
                id: "event-heartbeat", what: "a heartbeat", text: try event("heartbeat", [OwnIssuer.heartbeat: [:]]),
                isGood: true),
            SentEvent(id: "event-foreign", what: "an event for another service", text: forAnother, isGood: false),
            SentEvent(
                id: "event-assertion", what: "an assertion in place of an event", text: try sign(claims()),
                isGood: false),
        ]
    }
}

/// How events are posted (RFC 8935, 2).
enum EventRequest {
    static func of(_ text: String, base: String) -> Transport.Request {
        Transport.Request(
            method: "POST", url: base + "/events", headers: [("Content-Type", "application/secevent+jwt")],
            body: Array(text.utf8))
    }
}
