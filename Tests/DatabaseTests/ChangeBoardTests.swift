import Base
import Database
import Foundation
import Testing

@Suite("Who waits for a row to change", .timeLimit(.minutes(10)))
struct ChangeBoardTests {
    /// None that a test would live to see the end of: what ends a wait is a wake.
    private static let long: TimeInterval = 3_600

    private struct Seen: WaitedFor {
        let etag: String
        var changesAt: Date?
    }

    /// A row, as everybody reads it; and that it was read.
    private actor Shelf {
        private var etag = "1"
        private let sink: AsyncStream<Void>.Continuation

        init(_ sink: AsyncStream<Void>.Continuation) { self.sink = sink }

        func put(_ etag: String) { self.etag = etag }

        func read() -> Seen {
            sink.yield()
            return Seen(etag: etag)
        }
    }

    @Test(
        "a change wakes who waits for it, here and in another process, whether the state that is known is named or not",
        arguments: [nil, "1"], [true, false])
    func woken(known: String?, isElsewhere: Bool) async throws {
        try await TestDatabase.with { (database) async throws in
            let channel = UUID().uuidString, board = ChangeBoard(channel: channel, longestNap: Self.long)
            let (reads, sink) = AsyncStream.makeStream(of: Void.self), shelf = Shelf(sink)
            let listening = Task { await board.run(on: database) }
            defer { listening.cancel() }

            let waiting = Task {
                try await board.wait(for: "a", unlike: known, within: 3_600, clock: .system) { await shelf.read() }.etag
            }
            var looks = reads.makeAsyncIterator()
            _ = await looks.next()
            await shelf.put("2")
            await (isElsewhere ? ChangeBoard(channel: channel) : board).announce("a", in: database)
            let etag = try await waiting.value

            #expect(etag == "2")
        }
    }

    @Test(
        "what has changed already is not waited for, and in vain nobody waits longer than they said",
        arguments: [("0", 3_600), ("1", 0), ("1", 1)])
    func unheld(known: String, seconds: Int) async throws {
        let (_, sink) = AsyncStream.makeStream(of: Void.self), shelf = Shelf(sink),
            board = ChangeBoard(channel: "any", longestNap: Self.long)

        let etag = try await board.wait(for: "a", unlike: known, within: seconds, clock: .system) { await shelf.read() }
            .etag

        #expect(etag == "1")
    }

    @Test("what becomes another by itself is looked at when it does")
    func byItself() async throws {
        let end = Date.now.addingTimeInterval(0.05), board = ChangeBoard(channel: "any", longestNap: Self.long)

        let etag = try await board.wait(for: "a", unlike: "open", within: 3_600, clock: .system) {
            let isOver = Date.now >= end
            return Seen(etag: isOver ? "over" : "open", changesAt: isOver ? nil : end)
        }.etag

        #expect(etag == "over")
    }

    @Test("of several that changed together each is told, and of none nothing")
    func several() async throws {
        try await TestDatabase.with { (database) async throws in
            let channel = UUID().uuidString, board = ChangeBoard(channel: channel)
            var heard = database.listen(channel).makeAsyncIterator()
            #expect(await heard.next() == .listening)

            await board.announce([], in: database)
            await board.announce(["a", "b"], in: database)
            await board.announce("c", in: database)

            #expect(await heard.next() == .payload("a"))
            #expect(await heard.next() == .payload("b"))
            #expect(await heard.next() == .payload("c"))
        }
    }

    @Test("told within a transaction, it is told by commit alone")
    func transactional() async throws {
        try await TestDatabase.with { (database) async throws in
            let channel = UUID().uuidString, board = ChangeBoard(channel: channel)
            var heard = database.listen(channel).makeAsyncIterator()
            #expect(await heard.next() == .listening)

            try await database.rollingBack { try await board.announce("undone", within: $0) }
            try await database.transaction { try await board.announce("done", within: $0) }

            #expect(await heard.next() == .payload("done"))
        }
    }
}
