import Database
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Federation

@Suite("discovery: answers in memory")
struct DiscoveryMemoryTests {
    struct Away: Error {}

    /// Where readings wait until the test opens.
    actor Gate {
        private var isOpen = false
        private var waiting: [CheckedContinuation<Void, Never>] = []

        func pass() async {
            if !isOpen { await withCheckedContinuation { waiting.append($0) } }
        }

        func open() {
            isOpen = true
            for one in waiting { one.resume() }
            waiting = []
        }
    }

    final class Source: Sendable {
        private let count = Mutex(0)
        var readings: Int { count.withLock { $0 } }

        /// Each reading gives another text.
        func read() -> DiscoveryAnswer {
            count.withLock { count in
                count += 1
                return DiscoveryAnswer(text: "[\(count)]")
            }
        }
    }

    private let source = Source()

    private func listening(limit: Int = 1 << 20) -> AnswerMemory {
        // No time passes: on a busy machine ten seconds do.
        let now = ContinuousClock.now, memory = AnswerMemory(limit: limit) { now }
        memory.heard(.listening)
        return memory
    }

    private func ask(_ memory: AnswerMemory, _ name: String = "a") async throws -> String {
        try await memory.answer(.documents(.names([name]))) { [source] in source.read() }.text
    }

    @Test("nobody told of changes: every question is read")
    func readsThrough() async throws {
        let memory = AnswerMemory(limit: 1 << 20)

        let answers = [try await ask(memory), try await ask(memory)]

        #expect(answers == ["[1]", "[2]"] && memory.held.entries == 0)
    }

    @Test("listening: one reading per question, until something is heard")
    func remembers() async throws {
        let memory = listening()

        let before = [try await ask(memory), try await ask(memory), try await ask(memory, "b"), try await ask(memory)]
        memory.heard(.payload("learn"))
        let after = [try await ask(memory), try await ask(memory)]

        #expect(before == ["[1]", "[1]", "[2]", "[1]"] && after == ["[3]", "[3]"])
    }

    @Test("lost: everything is forgotten and read, and nothing kept, until the next listening")
    func lost() async throws {
        let memory = listening()

        let before = try await ask(memory)
        memory.heard(.lost)
        let meanwhile = [try await ask(memory), try await ask(memory)], kept = memory.held.entries
        memory.heard(.listening)
        let after = [try await ask(memory), try await ask(memory)]

        #expect(before == "[1]" && meanwhile == ["[2]", "[3]"] && kept == 0 && after == ["[4]", "[4]"])
    }

    @Test(
        "an answer that was read while a change was heard is given, and not kept",
        arguments: [Database.Notification.payload("learn"), .lost, .listening])
    func overtaken(_ event: Database.Notification) async throws {
        let memory = listening(), begun = Gate(), gate = Gate()

        async let old = memory.answer(.documents(.names(["a"]))) {
            await begun.open()
            await gate.pass()
            return DiscoveryAnswer(text: "old")
        }
        await begun.pass()
        memory.heard(event)
        await gate.open()
        let given = try await old.text
        let next = try await ask(memory)

        #expect(given == "old" && next == "[1]")
    }

    @Test("whoever asks after a change does not wait for a reading that began before it")
    func newFlight() async throws {
        let memory = listening(), begun = Gate(), gate = Gate()

        async let old = memory.answer(.documents(.names(["a"]))) {
            await begun.open()
            await gate.pass()
            return DiscoveryAnswer(text: "old")
        }
        await begun.pass()
        memory.heard(.payload("learn"))
        let fresh = try await ask(memory)
        await gate.open()
        let given = try await old.text, held = try await ask(memory)

        #expect(fresh == "[1]" && given == "old" && held == "[1]")
    }

    @Test("a crowd with one question makes one reading")
    func singleFlight() async throws {
        let memory = listening(), gate = Gate(), source = self.source

        async let crowded = crowd(50) { _ in
            try await memory.answer(.documents(.names(["a"]))) {
                await gate.pass()
                return source.read()
            }.text
        }
        await gate.open()
        let answers = try await crowded

        #expect(Set(answers) == ["[1]"] && answers.count == 50 && source.readings == 1)
    }

    @Test("a reading that fails fails for those who waited, and is not kept")
    func failure() async throws {
        let memory = listening()

        await #expect(throws: Away.self) { try await memory.answer(.documents(.names(["a"]))) { throw Away() } }
        let next = try await ask(memory)

        #expect(next == "[1]")
    }

    @Test("who asked first may go away: the others get their answer")
    func cancelled() async throws {
        let memory = listening(), begun = Gate(), gate = Gate(), source = self.source

        let first = Task {
            try await memory.answer(.documents(.names(["a"]))) {
                await begun.open()
                await gate.pass()
                try Task.checkCancellation()
                return source.read()
            }.text
        }
        await begun.pass()
        first.cancel()
        async let second = ask(memory)
        await gate.open()
        let answer = try await second

        #expect(answer == "[1]")
    }

    @Test("bounded in bytes: what was used least recently goes, and what fills the half is not kept")
    func bounded() async throws {
        let memory = listening(limit: 10_000), long = String(repeating: "x", count: 1_000)
        func fill(_ name: String, _ text: String) async throws {
            _ = try await memory.answer(.documents(.names([name]))) { DiscoveryAnswer(text: text) }
        }

        try await fill("kept", long)
        for number in 0..<40 {
            try await fill("other \(number)", long)
            try await fill("kept", "read again")
        }
        try await fill("huge", String(repeating: "x", count: 6_000))
        let kept = try await ask(memory, "kept"), huge = try await ask(memory, "huge"),
            first = try await ask(memory, "other 0")

        #expect(kept == long && huge == "[1]" && first == "[2]")
        #expect(memory.held.bytes <= 10_000 && memory.held.entries > 1)
    }

    @Test("questions that mean the same share an answer; what an app may see is its own question")
    func spellings() {
        let names = SoughtDocuments(.names(["Movable Type", "org.a"]), forApp: false)

        #expect(names == SoughtDocuments(.names(["org.a", "movable-type", "org.a"]), forApp: false))
        #expect(names != SoughtDocuments(.names(["Movable Type", "org.a"]), forApp: true))
        #expect(
            SoughtDocuments(.addresses(["HTTPS://x.example.org/"]), forApp: true)
                == SoughtDocuments(.addresses(["https://x.example.org", "https://x.example.org:443"]), forApp: true))
        #expect(
            SoughtDocuments(.addresses(["https://x.example.org"]), forApp: true)
                != SoughtDocuments(.addresses(["https://x.example.org"]), forApp: false))
    }
}
