import Base
import Database
import Synchronization
import Testing

@Suite("What is committed together", .timeLimit(.minutes(1)))
struct GroupCommitTests {
    struct Refused: Error {}

    private func runAll<Outcome: Sendable>(
        _ gathering: GroupCommit<Int, Outcome>, _ items: Range<Int>
    ) async -> [Int: Outcome] {
        await withTaskGroup(of: (Int, Outcome?).self) { group in
            for item in items { group.addTask { (item, try? await gathering.commit(item)) } }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
    }

    @Test("what comes while a commit is under way goes with the next, so many at a time and a subject once")
    func together() async {
        let batches = Mutex<[[Int]]>([])
        let gathering = GroupCommit<Int, Int>("items", lanes: 1, most: 8, subject: { "\($0 % 20)" }) { items in
            batches.withLock { $0.append(items) }
            try await Task.sleep(for: .milliseconds(50))
            return items.map { $0 * 10 }
        }

        let outcomes = await runAll(gathering, 0..<40)
        let made = batches.withLock { $0 }

        #expect(outcomes.count == 40 && outcomes.allSatisfy { $0.value == $0.key * 10 })
        #expect(made.count < 40 && made.joined().count == 40 && made.allSatisfy { $0.count <= 8 })
        #expect(made.allSatisfy { Set($0.map { $0 % 20 }).count == $0.count })
    }

    @Test("one that cannot be written fails alone; when the database is away, each is asked for once")
    func failures() async {
        let calls = Mutex(0)
        let one = GroupCommit<Int, Int>("items", most: 32) { items in
            try await Task.sleep(for: .milliseconds(20))
            guard !items.contains(7) else { throw Refused() }
            return items
        }
        let away = GroupCommit<Int, Int>("items", most: 32) { _ in
            calls.withLock { $0 += 1 }
            try await Task.sleep(for: .milliseconds(20))
            throw DatabaseError.unavailable("gone")
        }

        let written = await runAll(one, 0..<32), none = await runAll(away, 0..<32)

        #expect(Set(written.keys) == Set(0..<32).subtracting([7]))
        #expect(none.isEmpty && calls.withLock { $0 } < 32)
    }

    @Test("what is asked for while others are read is read by one statement, each key once, and none is another's")
    func reading() async throws {
        let batches = Mutex<[[String]]>([])
        let reading = SharedReading<String, Int>("names") { keys in
            batches.withLock { $0.append(keys) }
            try await Task.sleep(for: .milliseconds(20))
            return keys.filter { $0 != "none" }.map { ($0, $0.utf8.count) }
        }

        let found = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<200 {
                let key = number % 10 == 0 ? "none" : String(repeating: "x", count: number % 10)
                group.addTask { try await reading.find(key) == (number % 10 == 0 ? nil : number % 10) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }

        #expect(found.count == 200 && found.allSatisfy { $0 })
        let made = batches.withLock { $0 }
        #expect(made.count < 50 && made.allSatisfy { Set($0).count == $0.count })
    }
}
