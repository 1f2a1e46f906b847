import Database
import Foundation
import Testing

@Suite("Workers that wake for rows", .timeLimit(.minutes(10)))
struct WakeLoopTests {
    /// None that a test would live to see the end of.
    private static let long = Duration.seconds(3_600)

    /// Rows of `due`, taken one a round.
    private struct Desk {
        let database: Database
        let channel = UUID().uuidString
        let taken: AsyncStream<Int>
        private let sink: AsyncStream<Int>.Continuation

        init(_ database: Database) async throws {
            self.database = database
            (taken, sink) = AsyncStream.makeStream(of: Int.self)
            try await database.execute("create table due (id bigint primary key)")
        }

        func loop(channel: String?, pause: Duration) -> WakeLoop {
            WakeLoop("rows", in: database, channel: channel, pause: pause, logger: TestDatabase.quiet) { [database, sink] in
                let rows = try await database.query("delete from due where id = (select min(id) from due) returning id")
                for row in rows {
                    let id: Int = try row("id")
                    sink.yield(id)
                }
                return rows.count
            }
        }

        func add(_ ids: [Int], telling: Bool) async throws {
            try await database.transaction { transaction in
                for id in ids { _ = try await transaction.execute("insert into due (id) values (\(id))") }
                if telling { _ = try await transaction.query("select 1 as told from (select pg_notify(\(channel), '')) n") }
            }
        }
    }

    @Test("what is there at the start is done, and after that what is told of, until nothing is left")
    func told() async throws {
        try await TestDatabase.with { (database) async throws in
            let desk = try await Desk(database)
            try await desk.add([1, 2, 3], telling: false)
            let worker = Task { await desk.loop(channel: desk.channel, pause: Self.long).run() }
            var taken = desk.taken.makeAsyncIterator(), seen: [Int?] = []
            for _ in 1...3 { seen.append(await taken.next()) }

            for batch in [[4, 5], [6], [7, 8]] {
                try await desk.add(batch, telling: true)
                for _ in batch { seen.append(await taken.next()) }
            }

            #expect(seen == [1, 2, 3, 4, 5, 6, 7, 8])
            worker.cancel()
            await worker.value
        }
    }

    @Test("what nobody is told of is found after the pause", arguments: [true, false])
    func untold(isListening: Bool) async throws {
        try await TestDatabase.with { (database) async throws in
            let desk = try await Desk(database)
            let worker = Task { await desk.loop(channel: isListening ? desk.channel : nil, pause: .milliseconds(20)).run() }
            var taken = desk.taken.makeAsyncIterator(), seen: [Int?] = []

            for id in 1...3 {
                try await desk.add([id], telling: false)
                seen.append(await taken.next())
            }

            #expect(seen == [1, 2, 3])
            worker.cancel()
            await worker.value
        }
    }

    private actor Rounds {
        private var count = 0

        func next() -> Int {
            count += 1
            return count
        }
    }

    @Test("a round that fails is tried again, without anybody telling")
    func failing() async throws {
        try await TestDatabase.with { (database) async throws in
            let rounds = Rounds()
            let (done, sink) = AsyncStream.makeStream(of: Int.self)
            let loop = WakeLoop("rows", in: database, pause: Self.long, logger: TestDatabase.quiet) {
                let number = await rounds.next()
                if number < 3 { throw DatabaseError.unavailable("away") }
                sink.yield(number)
                return 0
            }
            let worker = Task { await loop.run() }
            var answers = done.makeAsyncIterator()

            #expect(await answers.next() == 3)
            worker.cancel()
            await worker.value
        }
    }

    @Test("cancelled, it ends: in a pause, in a backlog without end, and while the database is away", arguments: ["pause", "backlog", "away"])
    func cancelled(_ what: String) async throws {
        try await TestDatabase.with { (database) async throws in
            let (begun, sink) = AsyncStream.makeStream(of: Void.self)
            let loop = WakeLoop("rows", in: database, channel: UUID().uuidString, pause: Self.long, logger: TestDatabase.quiet) {
                sink.yield()
                await Task.yield()
                if what == "away" { throw DatabaseError.unavailable("away") }
                return what == "backlog" ? 1 : 0
            }
            let worker = Task { await loop.run() }
            var rounds = begun.makeAsyncIterator()
            let first: Void? = await rounds.next()

            worker.cancel()
            await worker.value

            #expect(first != nil)
        }
    }
}
