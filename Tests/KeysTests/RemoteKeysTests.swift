import Base
import Foundation
import Synchronization
import Testing

@testable import Keys

@Suite("key sets of other issuers")
struct RemoteKeysTests {
    private struct Down: Error {}

    /// A peer whose answer can be changed, and that counts.
    private final class Peer: Sendable {
        let fetches = Counter()
        let answer: Mutex<Result<[UInt8], Down>>

        init(_ kids: [String] = []) async throws { answer = Mutex(.success(try await Peer.document(kids))) }

        static func document(_ kids: [String], _ algorithm: SigningAlgorithm = .es256) async throws -> [UInt8] {
            var keys: [JSONValue] = []
            for kid in kids {
                var key = try await Signer(algorithm).publicKey
                key.kid = kid
                keys.append(key.json)
            }
            return JSONValue.object(["keys": .array(keys)]).bytes
        }

        func set(_ result: Result<[UInt8], any Error>) { answer.withLock { $0 = result.mapError { _ in Down() } } }

        func remote(_ time: SettableClock) -> RemoteKeys {
            RemoteKeys(
                fetch: { _ in
                    self.fetches.next()
                    // Long enough for others to come meanwhile.
                    try await Task.sleep(for: .milliseconds(5))
                    return try self.answer.withLock { try $0.get() }
                }, clock: time.clock)
        }
    }

    private let time = SettableClock()
    private let url = "https://peer.example/jwks"

    @Test("a set is fetched once in ten minutes")
    func cached() async throws {
        let peer = try await Peer(["a", "b"])
        let remote = peer.remote(time)

        for _ in 0..<3 { #expect(try await remote.key(kid: "a", algorithm: "ES256", from: url).map(\.kid) == ["a"]) }
        time.advance(599)
        _ = try await remote.key(kid: "b", algorithm: "ES256", from: url)
        #expect(peer.fetches.value == 1)

        time.advance(1)
        _ = try await remote.key(kid: "a", algorithm: "ES256", from: url)
        #expect(peer.fetches.value == 2)
    }

    @Test("without kid all that fit are candidates, eight at most; a key of another algorithm is none")
    func candidates() async throws {
        let peer = try await Peer((0..<9).map(String.init))
        let remote = peer.remote(time)

        #expect(try await remote.key(kid: nil, algorithm: "ES256", from: url).count == 8)
        #expect(try await remote.key(kid: nil, algorithm: "RS256", from: url).isEmpty)
        #expect(try await remote.key(kid: "1", algorithm: "EdDSA", from: url).isEmpty)
        #expect(try await remote.key(kid: "1", algorithm: "none", from: url).isEmpty)
    }

    @Test("a flood of unknown kids makes one fetch, and another one after ten seconds")
    func flood() async throws {
        let peer = try await Peer(["a"])
        let remote = peer.remote(time)
        let ask = { @Sendable [url] (kid: String) in try await remote.key(kid: kid, algorithm: "ES256", from: url) }

        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<100 { group.addTask { try await ask("unknown \(number)").isEmpty } }
            for try await nothing in group { #expect(nothing) }
        }
        time.advance(9)
        #expect(try await ask("b").isEmpty)
        #expect(peer.fetches.value == 1)

        peer.set(.success(try await Peer.document(["a", "b"])))
        time.advance(1)
        #expect(try await ask("b").map(\.kid) == ["b"])
        #expect(peer.fetches.value == 2)
    }

    @Test("a dead peer's last set serves for a day, and it is asked at most every five seconds")
    func dead() async throws {
        let peer = try await Peer(["a"])
        let remote = peer.remote(time)
        _ = try await remote.key(kid: "a", algorithm: "ES256", from: url)
        peer.set(.failure(Down()))

        time.advance(601)
        for _ in 0..<5 { #expect(try await remote.key(kid: "a", algorithm: "ES256", from: url).count == 1) }
        #expect(peer.fetches.value == 2)

        time.advance(6)
        for _ in 0..<5 { #expect(try await remote.key(kid: "a", algorithm: "ES256", from: url).count == 1) }
        for _ in 0..<1_500 where peer.fetches.value < 3 { try await Task.sleep(for: .milliseconds(20)) }
        #expect(peer.fetches.value == 3)

        time.advance(86_400)
        await #expect(throws: RemoteKeys.Unreachable.self) {
            try await remote.key(kid: "a", algorithm: "ES256", from: url)
        }

        peer.set(.success(try await Peer.document(["a"])))
        time.advance(5)
        #expect(try await remote.key(kid: "a", algorithm: "ES256", from: url).count == 1)
    }

    @Test("with nothing cached a failure is Unreachable, and for five seconds without asking again")
    func unreachable() async throws {
        let peer = try await Peer()
        peer.set(.failure(Down()))
        let remote = peer.remote(time)

        for _ in 0..<3 {
            await #expect(throws: RemoteKeys.Unreachable.self) {
                try await remote.key(kid: "a", algorithm: "ES256", from: url)
            }
        }
        #expect(peer.fetches.value == 1)

        time.advance(5)
        await #expect(throws: RemoteKeys.Unreachable.self) {
            try await remote.key(kid: "a", algorithm: "ES256", from: url)
        }
        #expect(peer.fetches.value == 2)
    }

    @Test(
        "a document that is no key set is a failure; keys beyond the 64th are not read",
        arguments: ["", "[1", "{}", #"{"keys":[],"keys":[]}"#])
    func malformed(_ text: String) async throws {
        let peer = try await Peer()
        peer.set(.success(Array(text.utf8)))
        let remote = peer.remote(time)

        await #expect(throws: RemoteKeys.Unreachable.self) {
            try await remote.key(kid: "a", algorithm: "ES256", from: url)
        }
        #expect(
            try await JSONWebKey.usable(
                JSONReader.read(Peer.document((0..<65).map(String.init))), atMost: RemoteKeys.keysPerSet
            ).count == 64)
    }

    @Test("of 257 URLs the one that was not asked for longest is forgotten")
    func forgotten() async throws {
        let peer = try await Peer(["a"])
        let remote = peer.remote(time)
        for number in 0...256 {
            time.advance(0.1)
            _ = try await remote.key(kid: "a", algorithm: "ES256", from: "https://peer\(number).example")
        }

        _ = try await remote.key(kid: "a", algorithm: "ES256", from: "https://peer256.example")
        #expect(peer.fetches.value == 257)
        _ = try await remote.key(kid: "a", algorithm: "ES256", from: "https://peer0.example")
        #expect(peer.fetches.value == 258)
    }

    @Test("a clock that was set back does not freeze a set")
    func setBack() async throws {
        let peer = try await Peer(["a"])
        let remote = peer.remote(time)
        _ = try await remote.key(kid: "a", algorithm: "ES256", from: url)

        time.advance(-86_400)
        _ = try await remote.key(kid: "a", algorithm: "ES256", from: url)

        #expect(peer.fetches.value == 2)
    }

    @Test("no more than 128 wait, wherever for; who need not is answered meanwhile, and all when the peer answers")
    func waiters() async throws {
        let (gate, opening) = AsyncStream<Void>.makeStream(), document = try await Peer.document(["a"])
        let remote = RemoteKeys(
            fetch: { [url] asked in
                if asked == url { for await _ in gate {} }
                return document
            }, clock: time.clock)
        func ask(_ url: String) async throws -> Int {
            try await remote.key(kid: "a", algorithm: "ES256", from: url).count
        }
        #expect(try await ask("https://known.example/jwks") == 1)

        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<RemoteKeys.waiters { group.addTask { [url] in try await ask(url) } }
            while await remote.waiting < RemoteKeys.waiters { await Task.yield() }
            for url in [url, "https://new.example/jwks"] {
                await #expect(throws: RemoteKeys.Unreachable.self) { try await ask(url) }
            }
            // Due again since, and nobody waits for it.
            time.advance(RemoteKeySet.fresh)
            let known = try await ask("https://known.example/jwks")
            opening.finish()
            let all = try await group.reduce(0, +)
            #expect(known == 1 && all == RemoteKeys.waiters)
        }
        #expect(try await ask("https://new.example/jwks") == 1)
    }

    @Test("one caller's cancellation does not fail the others")
    func cancelled() async throws {
        let peer = try await Peer(["a"])
        let remote = peer.remote(time)
        let first = Task { [url] in try await remote.key(kid: "a", algorithm: "ES256", from: url) }
        let second = Task { [url] in try await remote.key(kid: "a", algorithm: "ES256", from: url) }

        first.cancel()

        #expect(try await second.value.count == 1)
        #expect(peer.fetches.value <= 1)
    }
}
