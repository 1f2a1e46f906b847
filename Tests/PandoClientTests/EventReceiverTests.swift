import Foundation
import PandoClient
import Synchronization
import Testing

/// A clock that a test moves.
final class ScriptedTime: Sendable {
    private let time: Mutex<Date>

    init(_ start: Date) { time = Mutex(start) }

    var now: Date { time.withLock { $0 } }
    func advance(_ seconds: TimeInterval) { time.withLock { $0 += seconds } }
}

@Suite("RFC 8417 and 8935 at a service")
struct EventReceiverTests {
    private actor Journal {
        private(set) var taken: [SecurityEventToken] = []
        var ended: Set<String> = []

        func take(_ token: SecurityEventToken) { taken.append(token) }
        func isTaken(_ id: String) -> Bool { taken.contains { $0.id == id } }
        func end(_ node: String) { ended.insert(node) }
    }

    private static let issuer = "https://id.example.org", base = "https://learn.example.org"
    private let signer = SigningKey(), journal = Journal()

    private var receiver: EventReceiver {
        let journal = self.journal
        return EventReceiver(
            issuer: Self.issuer, base: Self.base, keys: .fixed([signer.verificationKey]),
            journal: .init(
                isTaken: { await journal.isTaken($0) }, isRevoked: { await journal.ended.contains($0) },
                take: { await journal.take($0) }))
    }

    private func push(_ changes: [String: JSON] = [:]) async throws -> Transport.Response {
        let claims: [String: JSON] = [
            "iss": .string(Self.issuer), "aud": .string(Self.base), "jti": "1", "iat": 1_795_000_000,
            "events": ["urn:pando:event:ended": ["node": "n", "seq": 1]],
        ]
        let text = try signer.sign(claims.merging(changes) { _, new in new }, header: ["typ": "secevent+jwt"])
        return try await receiver.receive(Array(text.utf8))
    }

    @Test("an event is taken once, however often it comes, and acknowledged each time")
    func idempotent() async throws {
        #expect(try await push().status == 202)
        #expect(try await push().status == 202)

        #expect(await journal.taken.map(\.events) == [[.ended(node: "n")]])
    }

    @Test("moved and unknown events are read")
    func kinds() async throws {
        let events: JSON = ["urn:pando:event:moved": ["node": "n", "from": "a", "to": "b"], "urn:later": [:]]

        #expect(try await push(["events": events]).status == 202)

        #expect(await journal.taken.first?.events == [.other("urn:later", [:]), .moved(node: "n", from: "a", to: "b")])
    }

    @Test("a policy is read as a whole")
    func policy() async throws {
        let body: JSON = ["default": "closed", "allow": ["org.example.notes"], "deny": [], "seq": 7]
        #expect(try await push(["events": .object(["urn:pando:event:policy": body])]).status == 202)

        let expected = SecurityEventToken.Event.policy(default: "closed", allow: ["org.example.notes"], deny: [])
        #expect(await journal.taken.first?.events == [expected])
    }

    @Test(
        "what is refused says why and is not taken",
        arguments: [
            (["iss": "https://x.example.org"], "invalid_issuer"),
            (["aud": "https://x.example.org"], "invalid_audience"),
            (["events": [:]], "invalid_request"), (["events": ["urn:pando:event:ended": [:]]], "invalid_request"),
            (["nbf": "now"], "invalid_request"),
            (["events": ["urn:pando:event:policy": ["default": "open", "allow": [1], "deny": []]]], "invalid_request"),
        ] as [([String: JSON], String)])
    func refused(_ changes: [String: JSON], code: String) async throws {
        let answer = try await push(changes), json = try JSON(bytes: answer.body)

        #expect(answer.status == 400 && json["err"]?.string == code)
        #expect(await journal.taken.isEmpty)
    }

    @Test("an event by a key that is not the issuer's is invalid_key")
    func foreignSigner() async throws {
        let text = try SigningKey().sign(
            ["iss": .string(Self.issuer), "aud": .string(Self.base)], header: ["typ": "secevent+jwt"])

        let answer = try await receiver.receive(Array(text.utf8)), json = try JSON(bytes: answer.body)

        #expect(answer.status == 400 && json["err"] == "invalid_key")
    }

    @Test("an event by a key that was revoked is refused, though the key set still has it")
    func revokedSigner() async throws {
        await journal.end("signer:" + signer.thumbprint)

        #expect(try await push().status == 400)
    }
}
