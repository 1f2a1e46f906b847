import Foundation
import Testing

@testable import Database

/// A process that is stopped keeps its sockets, and the kernel goes on acknowledging: nothing but a deadline of our own
/// tells of it. Processes are stopped while they wait for us, so that they hold nothing that others need.
@Suite("A server that falls silent", .timeLimit(.minutes(10)))
struct SilentServerTests {
    @Test("what is not answered is given up, those behind it too, and the next one has another connection")
    func statements() async throws {
        try await TestDatabase.with(connections: 1, statementTimeout: 0.5, waitLimit: 1) { (database) async throws in
            let pid = try await reached { try await backend(database) }

            try await StoppedProcess.during(pid) { () async throws -> Void in
                let errors = await withTaskGroup(of: DatabaseError?.self) { group in
                    for number in 0..<6 {
                        group.addTask { await failure { try await database.query("select \(number)") } }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                #expect(errors.contains { $0.map(isUnavailable) ?? false })
                #expect(errors.allSatisfy { $0.map(isUnavailable) ?? true })
                #expect(try await reached { try await backend(database) } != pid)
            }
        }
    }

    @Test("a transaction whose commit nobody confirms says that its outcome is unknown, and is done once or not at all")
    func commit() async throws {
        try await TestDatabase.with(statementTimeout: 0.5, waitLimit: 1) { (database) async throws in
            try await reached { try await database.execute("create table if not exists t (id int8 primary key)") }
            let pid = Box<Int>()

            let error = await failure {
                try await reached {
                    try await database.transaction { transaction in
                        try await transaction.execute("insert into t values (1)")
                        pid.value = try await backend(transaction)
                        try StoppedProcess.stop(pid.value ?? 0)
                    }
                } unless: {
                    pid.value != nil
                }
            }
            if let pid = pid.value { StoppedProcess.resume(pid) }

            guard case .unavailable(let reason) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(reason.hasSuffix("whether the transaction was committed is unknown"))
            let count: Int = try await reached { try await database.value("select count(*) from t") }
            #expect((0...1).contains(count))
        }
    }

    @Test("in a transaction nothing follows what was not answered, and nothing of it stays")
    func transaction() async throws {
        try await TestDatabase.with(statementTimeout: 0.5, waitLimit: 1) { (database) async throws in
            try await reached { try await database.execute("create table if not exists t (id int8 primary key)") }
            let pid = Box<Int>(), second = Box<DatabaseError>()

            let error = await failure {
                try await reached {
                    try await database.transaction { transaction in
                        try await transaction.execute("insert into t values (1)")
                        pid.value = try await backend(transaction)
                        try StoppedProcess.stop(pid.value ?? 0)
                        _ = await failure { try await transaction.execute("insert into t values (2)") }
                        second.value = await failure { try await transaction.execute("insert into t values (3)") }
                    }
                } unless: {
                    pid.value != nil
                }
            }
            if let pid = pid.value { StoppedProcess.resume(pid) }

            #expect(error.map(isUnavailable) == true && second.value == error)
            let gone: SQL = "select count(*) from pg_stat_activity where pid = \(pid.value ?? 0)"
            while try await reached({ try await database.value(gone) as Int }) > 0 {
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(try await reached { try await database.value("select count(*) from t") } == 0)
        }
    }

    @Test("cancelled in a transaction, its caller goes though the server does not take the cancel request")
    func cancelled() async throws {
        try await TestDatabase.with(statementTimeout: 0.5, waitLimit: 1) { (database) async throws in
            let pid = Box<Int>()
            let task = Task {
                await failure {
                    try await reached {
                        try await database.transaction { transaction in
                            pid.value = try await backend(transaction)
                            try StoppedProcess.stop(pid.value ?? 0)
                            _ = try await transaction.query("select 1")
                        }
                    } unless: {
                        pid.value != nil
                    }
                }
            }
            while pid.value == nil { try await Task.sleep(for: .milliseconds(5)) }
            task.cancel()
            let error = await task.value
            if let pid = pid.value { StoppedProcess.resume(pid) }

            #expect(error == .cancelled || error.map(isUnavailable) == true)
            #expect(try await reached { try await database.value("select 1") } == 1)
        }
    }

    @Test("closing ends while a statement hangs")
    func closing() async throws {
        try await TestDatabase.with(connections: 1, statementTimeout: 60, waitLimit: 60) { (database) async throws in
            let pid = try await backend(database)

            try await StoppedProcess.during(pid) { () async throws -> Void in
                async let hanging = failure { try await database.query("select 1") }
                try await Task.sleep(for: .milliseconds(100))
                await database.close()
                #expect(await hanging.map(isUnavailable) == true)
            }
        }
    }

    @Test("who listens learns that the server is silent, and hears again on another connection")
    func listening() async throws {
        try await TestDatabase.with(statementTimeout: 0.5, waitLimit: 1) { (database) async throws in
            let channel = UUID().uuidString
            var heard = database.listen(channel).makeAsyncIterator(), wasLost = false
            #expect(await heard.next() == .listening)

            // On a busy machine the connection is lost by itself now and then, and the one that is stopped is over.
            while !wasLost {
                let pid = try await listeningBackend(of: database), word = UUID().uuidString
                try await StoppedProcess.duringItsRest(pid) { () async throws -> Void in
                    // Again and again: nobody hears what is said before another connection listens.
                    let speaker = Task {
                        while !Task.isCancelled {
                            _ = await failure { try await database.query("select pg_notify(\(channel), \(word))") }
                            try await Task.sleep(for: .milliseconds(100))
                        }
                    }
                    defer { speaker.cancel() }
                    var isListening = true
                    while let next = await heard.next(), next != .payload(word) {
                        if next == .lost { (isListening, wasLost) = (false, true) }
                        if next == .listening { isListening = true }
                    }
                    #expect(isListening)
                }
            }
        }
    }

    /// The process is known by what it listened to last, unless it has been asked something else since.
    private func listeningBackend(of database: Database) async throws -> Int {
        while true {
            let channel = UUID().uuidString
            var reader = database.listen(channel).makeAsyncIterator()
            _ = await reader.next()
            let found: SQL = "select pid from pg_stat_activity where query = \("listen \"\(channel)\"")"
            if let row = try await reached({ try await database.query(found) }).first { return try row("pid") }
        }
    }

    @Test("what has a time of its own gets it, alone or in a transaction")
    func timeLimit() async throws {
        try await TestDatabase.with(connections: 2, statementTimeout: 0.2, waitLimit: 5) { (database) async throws in
            let slow: SQL = "select 7 from pg_sleep(0.5)"

            #expect(await failure { try await database.query(slow) } == .timeout)
            try await Database.withTimeLimit(20) { () async throws -> Void in
                #expect(try await database.value(slow) == 7)
                #expect(try await database.transaction { try await $0.value(slow) } == 7)
            }
            #expect(await failure { try await database.query(slow) } == .timeout, "the limit was the statement's alone")
            await Database.withTimeLimit(0.1) {
                #expect(await failure { try await database.transaction { _ = try await $0.query(slow) } } == .timeout)
            }
        }
    }
}
