import Database
import Foundation
import Synchronization

/// Answers of discovery in memory. Good only while the process is told of changes; otherwise every question is read.
///
/// * A generation counts what was heard. It is taken before a reading begins, and an answer read under an earlier one
///   is never kept.
/// * One reading per question and generation: whoever asks meanwhile waits for it, so a change makes no stampede.
/// * Bounded in bytes; what was used least recently goes first.
final class AnswerMemory: Sendable {
    typealias Reading = @Sendable () async throws -> DiscoveryAnswer

    /// A connection that died in silence is noticed by TCP after half a minute; nothing older than this is served
    /// meanwhile.
    static let mostAge = Duration.seconds(10)
    /// What an entry takes besides its texts.
    private static let overhead = 256

    private struct Entry {
        let answer: DiscoveryAnswer
        let size: Int
        let since: ContinuousClock.Instant
        var used: Int
    }

    private struct Flight {
        let generation: Int
        let task: Task<DiscoveryAnswer, any Error>
    }

    private struct State {
        var isListening = false
        var heardAt: ContinuousClock.Instant?
        var generation = 0
        var entries: [Wanted: Entry] = [:]
        var flights: [Wanted: Flight] = [:]
        var bytes = 0
        var uses = 0
    }

    private enum Way: Sendable {
        case held(DiscoveryAnswer)
        case waiting(Task<DiscoveryAnswer, any Error>)
        case reading
    }

    private let limit: Int
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    init(limit: Int, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) {
        (self.limit, self.now) = (limit, now)
    }

    var isListening: Bool { state.withLock { $0.isListening } }
    /// When a change was heard last: who reads afterwards is to see it.
    var heardAt: ContinuousClock.Instant? { state.withLock { $0.heardAt } }
    /// Bytes held, and entries.
    var held: (bytes: Int, entries: Int) { state.withLock { ($0.bytes, $0.entries.count) } }

    func answer(_ wanted: Wanted, reading: @escaping Reading) async throws -> DiscoveryAnswer {
        switch way(wanted, reading) {
        case .held(let answer): return answer
        case .waiting(let task): return try await task.value
        case .reading: return try await reading()
        }
    }

    func heard(_ event: Database.Notification) {
        state.withLock { state in
            switch event {
            case .listening: state.isListening = true
            case .lost: state.isListening = false
            case .payload: break
            }
            state.generation += 1
            state.heardAt = .now
            state.entries = [:]
            state.bytes = 0
        }
    }

    private func way(_ wanted: Wanted, _ reading: @escaping Reading) -> Way {
        state.withLock { state in
            guard state.isListening else { return .reading }
            if let entry = state.entries[wanted], entry.since.duration(to: now()) < AnswerMemory.mostAge {
                state.uses += 1
                state.entries[wanted]?.used = state.uses
                return .held(entry.answer)
            }
            let generation = state.generation
            if let flight = state.flights[wanted], flight.generation == generation { return .waiting(flight.task) }
            // A task of its own, because it belongs to all who wait: the first of them being cancelled must not fail
            // the others.
            let task = Task { try await self.fly(wanted, generation, reading) }
            state.flights[wanted] = Flight(generation: generation, task: task)
            return .waiting(task)
        }
    }

    private func fly(_ wanted: Wanted, _ generation: Int, _ reading: Reading) async throws -> DiscoveryAnswer {
        let result: Result<DiscoveryAnswer, any Error>
        do { result = .success(try await reading()) } catch { result = .failure(error) }
        land(wanted, generation, try? result.get())
        return try result.get()
    }

    private func land(_ wanted: Wanted, _ generation: Int, _ answer: DiscoveryAnswer?) {
        state.withLock { state in
            if state.flights[wanted]?.generation == generation { state.flights[wanted] = nil }
            guard let answer, state.isListening, state.generation == generation else { return }
            let size = answer.text.utf8.count + wanted.size + AnswerMemory.overhead
            // One that fills the half of it would only drive out the others.
            guard size <= limit / 2 else { return }
            state.uses += 1
            state.bytes += size - (state.entries[wanted]?.size ?? 0)
            state.entries[wanted] = Entry(answer: answer, size: size, since: now(), used: state.uses)
            if state.bytes > limit { AnswerMemory.shrink(&state, to: limit / 4 * 3) }
        }
    }

    /// A quarter at a time, so that a full memory is not searched for each new answer.
    private static func shrink(_ state: inout State, to limit: Int) {
        for (wanted, entry) in state.entries.sorted(by: { $0.value.used < $1.value.used }) {
            guard state.bytes > limit else { return }
            state.entries[wanted] = nil
            state.bytes -= entry.size
        }
    }
}
