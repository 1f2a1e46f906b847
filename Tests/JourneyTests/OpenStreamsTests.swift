import HTTPTypes
import Hummingbird
import NIOCore
import Synchronization
import Testing
import Vocabulary

@testable import HTTP

@Suite("How many event streams there are")
struct OpenStreamsTests {
    private static let state = WatchedEvents.State(etag: "1", isFinal: false)
    private static let ask = "retry: 30000\nevent: state\ndata: changed\n\n"

    /// What a stream has told.
    private final class Told: Sendable {
        let text = Mutex("")
    }

    private struct Writing: ResponseBodyWriter {
        let told: Told

        func write(_ buffer: ByteBuffer) async throws { told.text.withLock { $0 += String(buffer: buffer) } }

        consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
    }

    /// All that a stream tells until it ends.
    private static func read(_ response: Response) async throws -> String {
        let told = Told()
        try await response.body.write(Writing(told: told))
        return told.text.withLock { $0 }
    }

    @Test("of one browser the newest stay, whatever others have; a stream that left makes room as well")
    func newest() throws {
        let streams = OpenStreams(most: 100, ofOneBrowser: 2, ofOneAddress: 100)
        let first = try #require(streams.enter("ada", from: nil)),
            second = try #require(streams.enter("ada", from: nil))
        let bob = try #require(streams.enter("bob", from: nil))
        let programs = [streams.enter(nil, from: nil), streams.enter(nil, from: nil), streams.enter(nil, from: nil)]
            .compactMap { $0 }

        #expect(!first.isOver && !second.isOver && programs.count == 3)
        let third = try #require(streams.enter("ada", from: nil))
        #expect(first.isOver && !second.isOver && !third.isOver && !bob.isOver && programs.allSatisfy { !$0.isOver })
        streams.leave(first)
        streams.leave(third)
        let fourth = try #require(streams.enter("ada", from: nil))
        #expect(!second.isOver && !fourth.isOver)
    }

    @Test("of the process there are so many and no more, until one leaves")
    func full() throws {
        let streams = OpenStreams(most: 2, ofOneBrowser: 2, ofOneAddress: 2)
        let one = try #require(streams.enter("ada", from: nil))

        #expect(!streams.isFull(for: nil))
        _ = try #require(streams.enter(nil, from: nil))
        #expect(
            streams.isFull(for: nil) && streams.enter("bob", from: nil) == nil && streams.enter(nil, from: nil) == nil
                && !one.isOver)
        streams.leave(one)
        #expect(!streams.isFull(for: nil) && streams.enter("bob", from: nil) != nil)
    }

    @Test(
        """
        from one address there are so many, whatever browsers they say they are; an IPv6 network of 64 bits is one \
        address, and so is IPv4 mapped into IPv6
        """
    )
    func neighbours() throws {
        let streams = OpenStreams(most: 100, ofOneBrowser: 8, ofOneAddress: 2)
        let six = try #require(streams.enter("a", from: "2001:db8::1"))
        _ = try #require(streams.enter("b", from: "2001:db8::2:0:0:1"))
        _ = try #require(streams.enter(nil, from: "192.0.2.1"))
        _ = try #require(streams.enter("c", from: "::ffff:192.0.2.1"))

        #expect(streams.isFull(for: "2001:db8::ffff") && streams.enter("d", from: "2001:db8::ffff") == nil)
        #expect(streams.isFull(for: "192.0.2.1") && streams.enter("d", from: "192.0.2.1") == nil)
        #expect(
            !streams.isFull(for: "2001:db8:0:1::1") && !streams.isFull(for: "192.0.2.2") && !streams.isFull(for: nil))
        streams.leave(six)
        #expect(
            !streams.isFull(for: "2001:db8::ffff") && streams.enter("d", from: "2001:db8::ffff") != nil
                && streams.isFull(for: "2001:db8::1"))
    }

    @Test("who finds no place is told so before, or told to ask; it takes none")
    func loser() async throws {
        let streams = OpenStreams(most: 100, ofOneBrowser: 8, ofOneAddress: 1)
        let late = try WatchedEvents.respond(seen: nil, of: "bob", from: "192.0.2.1", in: streams) { _ in Self.state }
        let place = try #require(streams.enter("ada", from: "192.0.2.1"))

        #expect(throws: OAuthError.self) {
            _ = try WatchedEvents.respond(seen: nil, from: "192.0.2.1", in: streams) { _ in Self.state }
        }
        let told = try await Self.read(late)
        #expect(told == Self.ask)
        streams.leave(place)
        #expect(!streams.isFull(for: "192.0.2.1"))
    }

    @Test("who makes room is told to ask, and gives its place back")
    func evicted() async throws {
        let streams = OpenStreams(most: 100, ofOneBrowser: 1, ofOneAddress: 2),
            (begun, begins) = AsyncStream.makeStream(of: Void.self)
        let response = try WatchedEvents.respond(seen: nil, of: "ada", from: "192.0.2.1", in: streams, pause: .zero) {
            _ in
            begins.yield()
            try await Task.sleep(for: .seconds(3_600))
            return Self.state
        }
        let reading = Task { try await Self.read(response) }
        var beginnings = begun.makeAsyncIterator()
        _ = await beginnings.next()
        _ = try #require(streams.enter("ada", from: "192.0.2.1"))
        let told = try await reading.value

        #expect(told == "retry: 2000\n\n" + Self.ask && !streams.isFull(for: "192.0.2.1"))
    }

    @Test("what a stream waits for ends at once when another takes its place, and when its own connection does")
    func ended() async throws {
        let streams = OpenStreams(most: 9, ofOneBrowser: 1, ofOneAddress: 9)
        let place = try #require(streams.enter("ada", from: nil)),
            (begun, begins) = AsyncStream.makeStream(of: Void.self)
        let waiting = Task {
            try await place.look {
                begins.yield()
                try await Task.sleep(for: .seconds(3_600))
                return Self.state
            }
        }
        var beginnings = begun.makeAsyncIterator()
        _ = await beginnings.next()
        let newer = try #require(streams.enter("ada", from: nil))
        await #expect(throws: CancellationError.self) { _ = try await waiting.value }
        await #expect(throws: CancellationError.self) {
            _ = try await place.look {
                try await Task.sleep(for: .seconds(3_600))
                return Self.state
            }
        }

        let another = Task {
            try await newer.look {
                begins.yield()
                try await Task.sleep(for: .seconds(3_600))
                return Self.state
            }
        }
        _ = await beginnings.next()
        another.cancel()
        await #expect(throws: CancellationError.self) { _ = try await another.value }
        #expect(!newer.isOver)
    }
}
