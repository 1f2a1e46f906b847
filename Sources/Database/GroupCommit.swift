import Base
import Metrics
import Synchronization
import Traces

/// What comes while others of its kind are on their way goes with the next round trip, with one commit for all of them
/// (group commit). One that comes alone goes at once.
public final class GroupCommit<Item: Sendable, Outcome: Sendable>: Sendable {
    private struct Waiting: Sendable {
        let item: Item
        let span: RecordedSpan?
        let continuation: CheckedContinuation<Outcome, any Error>
    }

    private struct State {
        var waiting: [Waiting] = []
        var running = 0
    }

    private let state = Mutex(State())
    private let lanes: Int
    private let most: Int
    private let room: Int
    private let name: String
    private let subject: (@Sendable (Item) -> String)?
    private let sizes: Recorder
    private let write: @Sendable ([Item]) async throws -> [Outcome]

    /// `write` commits at most `most` items at once and gives the outcome of each, in their order. `name` is what they
    /// are, in the plural. `lanes`: how many commits at once, so that one that waits holds up few. `room`: how many may
    /// wait; at that length what comes now would be answered too late to be of use. `subject`: of two items with one
    /// the second goes with a later commit, and so sees what the first wrote; with one lane only.
    public init(
        _ name: String, lanes: Int = 2, most: Int, room: Int = 5_000, subject: (@Sendable (Item) -> String)? = nil,
        write: @escaping @Sendable ([Item]) async throws -> [Outcome]
    ) {
        (self.name, self.lanes, self.most, self.room, self.write) = (name, lanes, most, room, write)
        self.subject = subject
        // As many series as there are kinds of work: names are constants.
        sizes = Recorder(label: "pando_group_commit_size", dimensions: [("of", name)], aggregate: true)
    }

    /// How many have not been sent yet.
    public var count: Int { state.withLock { $0.waiting.count } }

    /// Does not end early when its task is cancelled: whether it was committed would not be known. Beyond `room` at
    /// once `unavailable`, and nothing is written.
    public func commit(_ item: Item) async throws -> Outcome {
        // Those who wait and what is written for them, in one.
        let span = Phase.begin("group commit of \(name)")
        defer { span?.end() }
        return try await withCheckedThrowingContinuation { continuation in
            let (isTaken, isNeeded): (Bool, Bool) = state.withLock { state in
                guard state.waiting.count < room else { return (false, false) }
                state.waiting.append(Waiting(item: item, span: span, continuation: continuation))
                guard state.running < lanes else { return (true, false) }
                state.running += 1
                return (true, true)
            }
            guard isTaken else { return continuation.resume(throwing: DatabaseError.unavailable("many \(name) wait")) }
            if isNeeded { Task { await self.work() } }
        }
    }

    private func work() async {
        while let batch = next() {
            sizes.record(batch.count)
            await settle(batch)
        }
    }

    /// `nil`: nothing waits, and whoever comes next starts another.
    private func next() -> [Waiting]? {
        state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.running -= 1
                return nil
            }
            guard let subject else {
                let batch = Array(state.waiting.prefix(most))
                state.waiting.removeFirst(batch.count)
                return batch
            }
            var batch: [Waiting] = [], rest: [Waiting] = [], subjects: Set<String> = []
            for one in state.waiting {
                if batch.count < most, subjects.insert(subject(one.item)).inserted {
                    batch.append(one)
                } else {
                    rest.append(one)
                }
            }
            state.waiting = rest
            return batch
        }
    }

    /// What one item brings about (no partition, a lock that another holds) is not the others' error: then each half
    /// goes by itself, down to the one. What the database brings about is everybody's; and when it is away, also of
    /// those who wait: each would only learn the same, later.
    private func settle(_ batch: [Waiting]) async {
        var parts = [batch[...]]
        while let part = parts.popLast() {
            do {
                let outcomes = try await write(part)
                for (one, outcome) in zip(part, outcomes) { one.continuation.resume(returning: outcome) }
            } catch {
                if (error as? DatabaseError)?.isOfAll == true {
                    for one in part { one.continuation.resume(throwing: error) }
                    for one in parts.joined() { one.continuation.resume(throwing: error) }
                    if case DatabaseError.unavailable = error { dismiss(error) }
                    return
                }
                guard part.count > 1 else {
                    for one in part { one.continuation.resume(throwing: error) }
                    continue
                }
                let middle = part.startIndex + part.count / 2
                parts += [part[middle...], part[..<middle]]
            }
        }
    }

    /// In the trace of the first one who is in any; the others' spans point there. The task that writes is in the trace
    /// of whoever began it, and goes on with what others want.
    private func write(_ part: ArraySlice<Waiting>) async throws -> [Outcome] {
        let spans = part.compactMap(\.span), first = spans.first
        for span in spans {
            span.set(.groupSize, part.count)
            if let first, span !== first { span.link(to: first) }
        }
        return try await Phase.adopting(first) { try await write(part.map(\.item)) }
    }

    /// Tells all that wait.
    private func dismiss(_ error: any Error) {
        let all: [Waiting] = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for one in all { one.continuation.resume(throwing: error) }
    }
}

extension DatabaseError {
    /// Brought about by the database, not by what it was asked.
    public var isOfAll: Bool {
        switch self {
        case .unavailable, .timeout, .cancelled: true
        default: false
        }
    }
}
