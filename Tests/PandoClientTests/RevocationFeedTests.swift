import Foundation
import PandoClient
import Synchronization
import Testing

@Suite("How a service follows what has ended")
final class RevocationFeedTests: Sendable {
    private static let issuer = "https://id.example.org", base = "https://learn.example.org"
    private static let person = "11111111-1111-8111-8111-111111111111"
    private static let older = "33333333-3333-8333-8333-333333333333"
    private static let newer = "44444444-4444-8444-8444-444444444444"

    private let signer = SigningKey(), time = ScriptedTime(Date(timeIntervalSince1970: 1_795_000_000))

    private func feed(_ server: ScriptedServer, life: TimeInterval = 3_600) -> RevocationFeed {
        RevocationFeed(
            issuer: Self.issuer, base: Self.base, keys: .fixed([signer.verificationKey]), transport: server.transport,
            credentials: { [] }, tokenLife: life, now: { self.time.now })
    }

    private func set(_ name: String, _ body: JSON) throws -> JSON {
        .string(
            try signer.sign(
                [
                    "iss": .string(Self.issuer), "aud": .string(Self.base), "jti": "j",
                    "iat": .integer(Int(time.now.timeIntervalSince1970)),
                    "events": .object(["urn:pando:event:\(name)": body]),
                ], header: ["typ": "secevent+jwt"]))
    }

    private func ended(_ node: String, _ number: Int) throws -> JSON {
        try set("ended", ["node": .string(node), "seq": .integer(number)])
    }

    private static func page(_ sets: [JSON], latest: Int, more: Bool = false) throws -> Transport.Response {
        let named = Dictionary(uniqueKeysWithValues: sets.enumerated().map { ("\($0.offset)", $0.element) })
        let body: JSON = ["sets": .object(named), "moreAvailable": .bool(more), "latest": .integer(latest)]
        return Transport.Response(status: 200, body: try body.bytes())
    }

    private func empty(latest: Int = 0) -> ScriptedServer {
        ScriptedServer { _, _ in try Self.page([], latest: latest) }
    }

    /// Runs until so many requests were sent, and gives the seconds that this took.
    private func run(_ feed: RevocationFeed, until count: Int, of server: ScriptedServer) async throws -> Double {
        let began = ContinuousClock.now
        let task = Task { await feed.run() }
        while server.requests.count < count, ContinuousClock.now - began < .seconds(300) {
            try await Task.sleep(for: .milliseconds(10))
        }
        task.cancel()
        await task.value
        return (ContinuousClock.now - began) / .seconds(1)
    }

    @Test("one that gets no place to wait asks once a second, not as fast as it is answered")
    func unheld() async throws {
        let server = empty(), seconds = try await run(feed(server), until: 4, of: server)

        #expect(seconds > 1.8, "the first two come at once, then one a second")
        #expect(server.requests.dropFirst().allSatisfy { $0.header("Prefer") == "wait=10" })
        #expect(server.requests.first?.header("Prefer") == nil)
    }

    @Test("one whose transport says that it was cancelled goes on")
    func cancelled() async throws {
        let server = ScriptedServer { number, _ in
            if number < 3 { throw CancellationError() }
            return try Self.page([], latest: 0)
        }
        let feed = feed(server)
        _ = try await run(feed, until: 4, of: server)

        #expect(feed.age != nil, "it was heard; how long ago depends on the machine")
    }

    @Test("after an answer that could not be taken fewer events are asked for, and more again later")
    func tooLong() async throws {
        let server = ScriptedServer { number, _ in
            if number == 1 { throw ScriptedServer.Away() }
            return try Self.page([], latest: 0)
        }
        let feed = feed(server)
        await #expect(throws: ScriptedServer.Away.self) { try await feed.read() }
        for _ in 0..<4 { try await feed.read() }

        let limits = server.requests.map { $0.url.components(separatedBy: "limit=").last?.prefix { $0 != "&" } ?? "" }
        #expect(limits == ["1000", "250", "500", "1000", "1000"])
    }

    @Test("an answer that was overtaken by a later one is no sign of an older backup, and takes nothing back")
    func overtaken() async throws {
        let (gate, open) = AsyncStream<Void>.makeStream()
        let node = try ended(Self.person, 2)
        let server = ScriptedServer { number, _ in
            guard number == 1 else { return try Self.page([node], latest: 2) }
            for await _ in gate { break }
            return try Self.page([], latest: 1)
        }
        let feed = feed(server)
        let slow = Task { try await feed.read() }
        while server.requests.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        try await feed.read()
        open.yield()
        _ = try await slow.value

        #expect(feed.standing(of: [Self.person]) == .revoked)
        try await feed.read()
        #expect(server.requests.last?.url.contains("after=2&") == true)
    }

    @Test("where numbers begin anew all is read again from the start, and what has ended stays so")
    func beginsAnew() async throws {
        let first = try ended(Self.older, 7)
        let second = try set(
            "moved", ["node": .string(Self.person), "from": .string(Self.older), "to": .string(Self.newer), "seq": 3])
        let third = try ended(Self.newer, 4)
        let server = ScriptedServer { number, _ in
            switch number {
            case 1: try Self.page([first], latest: 7)
            case 2: try Self.page([], latest: 4)
            case 3: try Self.page([second, third], latest: 4)
            default: try Self.page([], latest: 4)
            }
        }
        let feed = feed(server)
        try await feed.read()
        await #expect(throws: UnexpectedAnswer.self) { try await feed.read() }
        #expect(feed.standing(of: [Self.person]) == .unknown)
        #expect(feed.standing(of: [Self.older]) == .revoked)
        try await feed.read()

        #expect(server.requests.last?.url.contains("after=0&") == true)
        #expect(feed.standing(of: [Self.person]) == .live)
        #expect(feed.standing(of: [Self.newer]) == .revoked)
        #expect(feed.standing(of: [Self.older, Self.person]) == .revoked)
    }

    @Test("a clock that is set back closes it until the issuer is heard again")
    func setBack() async throws {
        let server = empty(), feed = feed(server)
        try await feed.read()
        time.advance(-3_600)
        #expect(feed.standing(of: [Self.person]) == .unknown)
        try await feed.read()
        #expect(feed.standing(of: [Self.person]) == .live)
        time.advance(31)
        #expect(feed.standing(of: [Self.person]) == .unknown)
    }

    @Test("an event without a number spoils the answer")
    func numberless() async throws {
        let node = try set("ended", ["node": .string(Self.person)])
        let feed = feed(ScriptedServer { _, _ in try Self.page([node], latest: 0) })

        await #expect(throws: UnexpectedAnswer.self) { try await feed.read() }
        #expect(feed.standing(of: [Self.person]) == .unknown)
    }

    @Test("tokens may live for any time: then all is asked for that was ever told")
    func endless() async throws {
        let server = empty()
        try await feed(server, life: .infinity).read()

        #expect(server.requests.first?.url.hasSuffix("&since=0") == true)
    }
}
