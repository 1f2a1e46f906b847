import Database
import Foundation
import Testing

@Suite("LISTEN")
struct ListenTests {
    @Test("payloads arrive, and the connection comes back after it was killed")
    func reconnects() async throws {
        try await TestDatabase.with { (database) async throws in
            let channel = "channel \"\(UUID().uuidString)"
            var heard = database.listen(channel).makeAsyncIterator()
            #expect(await heard.next() == .listening)

            try await database.query("select pg_notify(\(channel), \("first 👍"))")
            #expect(await heard.next() == .payload("first 👍"))

            let listening = "listen \"\(channel.replacing("\"", with: "\"\""))\""
            try await database.query(
                "select pg_terminate_backend(pid) from pg_stat_activity where query = \(listening)")
            #expect(await heard.next() == .lost)
            #expect(await heard.next() == .listening)

            try await database.query("select pg_notify(\(channel), \("second"))")
            #expect(await heard.next() == .payload("second"))
        }
    }

    @Test("a server that speaks is not asked whether it is there, a silent one is")
    func silence() async throws {
        try await TestDatabase.with(statementTimeout: 0.5, waitLimit: 10) { (database) async throws in
            let channel = UUID().uuidString
            var heard = database.listen(channel).makeAsyncIterator()
            #expect(await heard.next() == .listening)
            let listening = try await database.query(
                "select pid from pg_stat_activity where query = \("listen \"\(channel)\"")")
            let pid: Int = try #require(try listening.first?("pid"))
            func asked() async throws -> Bool {
                let question: SQL = "select query = 'select' as is_pulse from pg_stat_activity where pid = \(pid)"
                return try await database.query(question).first?("is_pulse") ?? false
            }

            // Longer than the silence after which it is asked; a pause of this process is such a silence, too.
            var longest = Duration.zero, last = ContinuousClock.now, wasAsked = false
            let end = last + .seconds(5)
            while ContinuousClock.now < end {
                try await database.query("select pg_notify(\(channel), 'word')")
                #expect(await heard.next() == .payload("word"))
                (longest, last) = (max(longest, ContinuousClock.now - last), .now)
                wasAsked = try await asked()
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(!wasAsked || longest > .seconds(1))

            while try await !asked() { try await Task.sleep(for: .milliseconds(50)) }
        }
    }

    @Test("a notification is sent by commit alone")
    func transactional() async throws {
        try await TestDatabase.with { (database) async throws in
            let channel = UUID().uuidString
            var heard = database.listen(channel).makeAsyncIterator()
            #expect(await heard.next() == .listening)

            try await database.rollingBack { _ = try await $0.query("select pg_notify(\(channel), 'undone')") }
            try await database.transaction { _ = try await $0.query("select pg_notify(\(channel), 'done')") }

            #expect(await heard.next() == .payload("done"))
        }
    }

    @Test("who reads too slowly hears that something was missed, and what comes later", .timeLimit(.minutes(10)))
    func slow() async throws {
        try await TestDatabase.with { (database) async throws in
            let channel = UUID().uuidString
            var heard = database.listen(channel).makeAsyncIterator()
            #expect(await heard.next() == .listening)
            var beside = database.listen(channel + "2").makeAsyncIterator()
            #expect(await beside.next() == .listening)
            try await database.query("select pg_notify(\(channel), x::text) from generate_series(1, 6000) as x")
            // All come by one connection, in their order.
            try await database.query("select pg_notify(\(channel + "2"), 'all')")
            #expect(await beside.next() == .payload("all"))

            var found: [Database.Notification] = []
            while found.last != .listening, let next = await heard.next() { found.append(next) }
            #expect(found.dropLast().last == .lost)
            try await database.query("select pg_notify(\(channel), 'later')")
            while let next = await heard.next(), next != .payload("later") {}
        }
    }

    @Test("all channels share one connection, those that come later too; each reader hears its own, and closes it last")
    func shared() async throws {
        try await TestDatabase.with { (database) async throws in
            let names = (0..<3).map { _ in UUID().uuidString }
            var readers: [AsyncStream<Database.Notification>.AsyncIterator] = []
            for name in names + [names[0]] {
                readers.append(database.listen(name).makeAsyncIterator())
                #expect(await readers[readers.count - 1].next() == .listening)
            }
            let listening: SQL = """
                select count(distinct pid) as n from pg_stat_activity
                where query = any (\(names.map { "listen \"\($0)\"" }))
                """
            #expect(try await database.query(listening).first.map { try $0("n", as: Int.self) } == 1)

            for name in names { try await database.query("select pg_notify(\(name), \(name))") }
            for (index, name) in (names + [names[0]]).enumerated() {
                #expect(await readers[index].next() == .payload(name))
            }

            readers.removeFirst(3)
            try await database.query("select pg_notify(\(names[0]), 'still')")
            #expect(await readers[0].next() == .payload("still"))
            readers = []
            for _ in 0..<1_500 where try await database.query(listening).first.map({ try $0("n", as: Int.self) }) != 0 {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(try await database.query(listening).first.map { try $0("n", as: Int.self) } == 0)
        }
    }

    @Test("who reads too slowly keeps nobody else from hearing", .timeLimit(.minutes(10)))
    func slowBeside() async throws {
        try await TestDatabase.with { (database) async throws in
            let channel = UUID().uuidString
            let slow = database.listen(channel)
            var first = slow.makeAsyncIterator(), beside = database.listen(channel + "2").makeAsyncIterator()
            #expect(await first.next() == .listening)
            #expect(await beside.next() == .listening)

            try await database.query("select pg_notify(\(channel), x::text) from generate_series(1, 6000) as x")
            try await database.query("select pg_notify(\(channel + "2"), 'heard')")

            #expect(await beside.next() == .payload("heard"))
        }
    }

    @Test(
        "readers that are cancelled while they are told something end, and others go on hearing",
        .timeLimit(.minutes(10)))
    func cancelled() async throws {
        try await TestDatabase.with { (database) async throws in
            let channel = UUID().uuidString
            var beside = database.listen(channel).makeAsyncIterator()
            #expect(await beside.next() == .listening)
            for _ in 0..<20 {
                let (listening, bell) = AsyncStream.makeStream(of: Void.self)
                let readers = Task {
                    await withDiscardingTaskGroup { group in
                        for _ in 0..<200 {
                            group.addTask {
                                for await event in database.listen(channel) where event == .listening { bell.yield() }
                            }
                        }
                    }
                }
                var ready = listening.makeAsyncIterator()
                for _ in 0..<200 { await ready.next() }
                async let telling = database.query(
                    "select pg_notify(\(channel), x::text) from generate_series(1, 20) as x")
                try await Task.sleep(for: .microseconds(.random(in: 0..<2_000)))
                readers.cancel()
                await readers.value
                _ = try await telling
            }

            try await database.query("select pg_notify(\(channel), 'last')")
            while let event = await beside.next(), event != .payload("last") {}
        }
    }

    @Test("the stream ends when the database closes")
    func ends() async throws {
        try await TestDatabase.with { (database) async throws in
            var heard = database.listen("any").makeAsyncIterator()
            #expect(await heard.next() == .listening)

            await database.close()

            #expect(await heard.next() == nil)
        }
    }
}
