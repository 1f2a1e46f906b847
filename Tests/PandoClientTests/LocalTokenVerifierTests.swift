import Foundation
import PandoClient
import Synchronization
import Testing

@Suite("Tokens that a service checks in its own memory")
final class LocalTokenVerifierTests: Sendable {
    private static let issuer = "https://id.example.org", base = "https://learn.example.org"
    private let signer = SigningKey(), time = ScriptedTime(Date(timeIntervalSince1970: 1_795_000_000))
    private let stored = Mutex<[(number: Int, name: String, body: [String: JSON])]>([])
    private let isAway = Mutex(false)

    private static let person = "11111111-1111-8111-8111-111111111111"
    private static let phone = "22222222-2222-8222-8222-222222222222"
    private static let older = "33333333-3333-8333-8333-333333333333"
    private static let newer = "44444444-4444-8444-8444-444444444444"

    private var server: ScriptedServer {
        ScriptedServer { _, request in
            if self.isAway.withLock({ $0 }) { throw ScriptedServer.Away() }
            let query = request.url.split(separator: "?").last ?? ""
            let after = query.split(separator: "&").first { $0.hasPrefix("after=") }.flatMap { Int($0.dropFirst(6)) }
            return try self.page(after: after ?? 0)
        }
    }

    /// Two at a time, as the issuer would.
    private func page(after: Int) throws -> Transport.Response {
        let all = stored.withLock { $0.filter { $0.number > after } }
        var sets: [String: JSON] = [:]
        for event in all.prefix(2) {
            var body = event.body
            body["seq"] = .integer(event.number)
            sets["j\(event.number)"] = .string(try signed(event.name, body, number: event.number))
        }
        let body: JSON = [
            "sets": .object(sets), "moreAvailable": .bool(all.count > 2),
            "latest": .integer(all.last?.number ?? stored.withLock { $0.last?.number ?? 0 }),
        ]
        return Transport.Response(status: 200, body: try body.bytes())
    }

    private func signed(_ name: String, _ body: [String: JSON], number: Int, aud: String = base) throws -> String {
        try signer.sign(
            [
                "iss": .string(Self.issuer), "aud": .string(aud), "jti": .string("j\(number)"),
                "iat": .integer(Int(time.now.timeIntervalSince1970)),
                "events": ["urn:pando:event:\(name)": .object(body)],
            ], header: ["typ": "secevent+jwt"])
    }

    private func tell(_ name: String, _ body: [String: JSON]) {
        stored.withLock { $0.append((($0.last?.number ?? 0) + 1, name, body)) }
    }

    private func feed(_ server: ScriptedServer, life: TimeInterval = 3_600) -> RevocationFeed {
        RevocationFeed(
            issuer: Self.issuer, base: Self.base, keys: .fixed([signer.verificationKey]), transport: server.transport,
            credentials: { [("Authorization", "Basic x")] }, silence: 30, tokenLife: life, now: { self.time.now })
    }

    private func ask(
        _ feed: RevocationFeed, lineage: [String]?, lives: Int = 600, kid: String? = nil
    ) async throws -> VerifiedToken {
        let proofs = ProofVerifier(replays: .inMemory(), now: { self.time.now })
        let tokens = AccessTokenVerifier(
            issuer: Self.issuer, audience: Self.base, keys: .fixed([signer.verificationKey]), proofs: proofs,
            now: { self.time.now })
        let made = Int(time.now.timeIntervalSince1970)
        var claims: [String: JSON] = [
            "iss": .string(Self.issuer), "aud": .string(Self.base), "sub": "person", "jti": "t",
            "iat": .integer(made), "exp": .integer(made + lives),
        ]
        claims["lineage"] = lineage.map { .array($0.map(JSON.string)) }
        let token = try signer.sign(claims, header: ["typ": "at+jwt"])
        return try await LocalTokenVerifier(tokens: tokens, feed: feed).verify(
            authorization: "Bearer \(token)", proof: nil, method: "GET", url: Self.base + "/api")
    }

    private func refusal(_ feed: RevocationFeed, _ lineage: [String]?, lives: Int = 600) async -> OAuthError? {
        await #expect(throws: OAuthError.self) { try await ask(feed, lineage: lineage, lives: lives) }
    }

    @Test("a token lives until an ancestor ends, and all pages are read before the first is taken")
    func ends() async throws {
        for _ in 0..<4 { tell("ended", ["node": .string(UUID().uuidString)]) }
        let server = server, feed = feed(server)

        #expect(try await feed.read() == true)
        #expect(await refusal(feed, [Self.person, Self.phone])?.status == 503)
        #expect(try await feed.read() == false)
        #expect(try await ask(feed, lineage: [Self.person, Self.phone]).subject == "person")
        tell("ended", ["node": .string(Self.phone)])
        try await feed.read()

        let refused = await refusal(feed, [Self.person, Self.phone])
        #expect(refused?.status == 401 && refused?.code == .invalidToken)
        #expect(try await ask(feed, lineage: [Self.person]).subject == "person")
        #expect(server.requests.allSatisfy { $0.header("Authorization") == "Basic x" })
    }

    @Test("a feed that hears nothing for too long refuses with 503, and takes tokens again when it does")
    func silence() async throws {
        let feed = feed(server)
        try await feed.read()
        time.advance(31)

        let refused = await refusal(feed, [Self.person])
        #expect(refused?.status == 503 && refused?.code == .temporarilyUnavailable && refused?.retryAfter == 2)

        isAway.withLock { $0 = true }
        await #expect(throws: ScriptedServer.Away.self) { try await feed.read() }
        #expect(await refusal(feed, [Self.person])?.status == 503)
        isAway.withLock { $0 = false }
        try await feed.read()
        #expect(try await ask(feed, lineage: [Self.person]).subject == "person")
    }

    @Test("what has ended stays ended for who is heard no more")
    func endedWhileSilent() async throws {
        let feed = feed(server)
        tell("ended", ["node": .string(Self.person)])
        try await feed.read()
        time.advance(1_000)

        #expect(await refusal(feed, [Self.person])?.status == 401)
    }

    @Test("after an update the new version ends tokens that name the old one, and the old one ends none")
    func moved() async throws {
        let feed = feed(server)
        tell("moved", ["node": .string(Self.phone), "from": .string(Self.older), "to": .string(Self.newer)])
        tell("ended", ["node": .string(Self.older)])
        try await feed.read()

        #expect(try await ask(feed, lineage: [Self.older, Self.phone]).subject == "person")
        #expect(await refusal(feed, [Self.older, Self.person])?.status == 401)
        tell("ended", ["node": .string(Self.newer)])
        try await feed.read()
        #expect(await refusal(feed, [Self.older, Self.phone])?.status == 401)
    }

    @Test("what the old version's end had ended before the update stays so")
    func endedBeforeMove() async throws {
        let feed = feed(server)
        tell("ended", ["node": .string(Self.older)])
        tell("moved", ["node": .string(Self.phone), "from": .string(Self.older), "to": .string(Self.newer)])
        try await feed.read()

        #expect(await refusal(feed, [Self.older, Self.phone])?.status == 401)
    }

    @Test("a signing key that ended takes its tokens along, for ever")
    func signers() async throws {
        let feed = feed(server)
        tell("ended", ["node": .string("signer:" + signer.thumbprint)])
        try await feed.read()

        #expect(await refusal(feed, [Self.person])?.code == .invalidToken)
        time.advance(100_000)
        try await feed.read()
        #expect(await refusal(feed, [Self.person])?.code == .invalidToken)
    }

    @Test("tokens without lineage, with an empty or a huge one, and those that live too long are 401")
    func shapes() async throws {
        let feed = feed(server)
        try await feed.read()

        #expect(await refusal(feed, nil)?.status == 401)
        #expect(await refusal(feed, [])?.status == 401)
        #expect(await refusal(feed, Array(repeating: Self.person, count: 65))?.status == 401)
        #expect(await refusal(feed, [Self.person], lives: 3_601)?.status == 401)
    }

    @Test("a token that was checked before is refused when it has expired, though its end is forgotten then")
    func laterMessages() async throws {
        let feed = feed(server)
        try await feed.read()
        let token = try await ask(feed, lineage: [Self.person])
        let proofs = ProofVerifier(replays: .inMemory(), now: { self.time.now })
        let tokens = AccessTokenVerifier(
            issuer: Self.issuer, audience: Self.base, keys: .fixed([signer.verificationKey]), proofs: proofs,
            now: { self.time.now })
        let verifier = LocalTokenVerifier(tokens: tokens, feed: feed)
        try verifier.check(token)
        tell("ended", ["node": .string(Self.person)])
        try await feed.read()
        #expect(throws: OAuthError.self) { try verifier.check(token) }

        time.advance(3_600 + 200)
        try await feed.read()
        #expect(feed.count == 0)
        let refused = #expect(throws: OAuthError.self) { try verifier.check(token) }
        #expect(refused?.status == 401 && refused?.code == .invalidToken)
    }

    @Test("what no living token can hang from is forgotten")
    func bounded() async throws {
        let feed = feed(server)
        tell("ended", ["node": .string(Self.person)])
        tell("moved", ["node": .string(Self.phone), "from": .string(Self.older), "to": .string(Self.newer)])
        try await feed.read()
        #expect(feed.count == 1)

        time.advance(3_600 + 200)
        try await feed.read()
        #expect(feed.count == 0)
    }

    @Test("events that are another's, another service's or out of shape are not taken, and the feed says so")
    func hostile() async throws {
        let other = SigningKey()
        let forged = try other.sign(
            ["iss": .string(Self.issuer), "aud": .string(Self.base), "iat": 1, "events": ["x": ["seq": 1]]],
            header: ["typ": "secevent+jwt"])
        let elsewhere = try signed("ended", ["node": "n", "seq": 1], number: 1, aud: "https://x.example.org")
        let nameless = try signed("ended", ["seq": 1], number: 1)
        let answers: [JSON] = [
            ["sets": ["a": .string(forged)], "moreAvailable": .bool(false), "latest": 1],
            ["sets": ["a": .string(elsewhere)], "moreAvailable": .bool(false), "latest": 1],
            ["sets": ["a": .string(nameless)], "moreAvailable": .bool(false), "latest": 1],
            ["sets": ["a": 1], "moreAvailable": .bool(false), "latest": 1], ["sets": [:]], [:],
        ]
        for answer in answers {
            let feed = feed(ScriptedServer { _, _ in Transport.Response(status: 200, body: try answer.bytes()) })
            await #expect(throws: UnexpectedAnswer.self) { try await feed.read() }
            #expect(feed.standing(of: [Self.person]) == .unknown)
        }
    }

    @Test("an issuer that was put back to an older backup is not believed")
    func rewound() async throws {
        let feed = feed(server)
        for _ in 0..<2 { tell("ended", ["node": .string(UUID().uuidString)]) }
        try await feed.read()
        stored.withLock { $0.removeAll() }
        time.advance(31)

        await #expect(throws: UnexpectedAnswer.self) { try await feed.read() }
        #expect(feed.standing(of: [Self.person]) == .unknown)
    }
}
