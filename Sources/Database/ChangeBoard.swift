import Base
import Dispatch
import Foundation
import Synchronization

/// What somebody waits for to become another.
public protocol WaitedFor: Sendable {
    /// Another with every change.
    var etag: String { get }
    /// When it becomes another without anybody writing.
    var changesAt: Date? { get }
}

/// Who waits for which row, by its id; woken by NOTIFY on whichever replica it changed. One of them per process and
/// channel.
public final class ChangeBoard: Sendable {
    private struct State {
        var number = 0
        var waiting: [String: [Int: AsyncStream<Void>.Continuation]] = [:]
    }

    private let channel: String
    private let longestNap: TimeInterval
    private let state = Mutex(State())

    /// `longestNap`: a notification may be lost with its connection, or not be sent by a process that was killed; then
    /// this is the delay.
    public init(channel: String, longestNap: TimeInterval = 5) {
        (self.channel, self.longestNap) = (channel, longestNap)
    }

    /// Listens until cancelled. Without it, changes of other replicas are seen after `longestNap`.
    public func run(on database: Database) async {
        for await notification in database.listen(channel) {
            switch notification {
            case .payload(let id): wake(id)
            case .listening: wakeAll()
            case .lost: break
            }
        }
    }

    /// After the commit; it cannot fail what is done. `id` tells nobody anything: who may look is decided when looking.
    public func announce(_ id: String, in executor: any SQLExecutor) async {
        wake(id)
        _ = try? await executor.execute("select pg_notify(\(channel), \(id))")
    }

    /// As of one, of all that changed by one commit, in one statement; nothing is sent for none.
    public func announce(_ ids: [String], in executor: any SQLExecutor) async {
        guard !ids.isEmpty else { return }
        for id in ids { wake(id) }
        _ = try? await executor.execute("select pg_notify(\(channel), w.id) from unnest(\(ids)) as w (id)")
    }

    /// With the commit of the transaction, for what must not tell before it is done. For few: commits that notify
    /// follow one another.
    public func announce(_ id: String, within transaction: any SQLExecutor) async throws {
        _ = try await transaction.execute("select pg_notify(\(channel), \(id))")
    }

    /// Reads until the ETag is another than `etag` (without one: than at arrival), at most `seconds`, then gives what
    /// was read last.
    public func wait<View: WaitedFor>(
        for id: String, unlike etag: String?, within seconds: Int, clock: WallClock,
        _ read: () async throws -> View
    ) async throws -> View {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let number = enlist(id, continuation)
        defer { withdraw(id, number) }

        let deadline = ContinuousClock.now + .seconds(seconds)
        var view = try await read()
        let known = etag ?? view.etag
        var wakes = stream.makeAsyncIterator()
        while view.etag == known {
            var nap = min(longestNap, (deadline - .now) / .seconds(1))
            guard nap > 0 else { break }
            if let change = view.changesAt { nap = min(nap, max(0.005, change.timeIntervalSince(clock.now()) + 0.005)) }
            DispatchQueue.global().asyncAfter(deadline: .now() + nap) { continuation.yield() }
            guard await wakes.next() != nil else { break }
            view = try await read()
        }
        return view
    }

    private func enlist(_ id: String, _ continuation: AsyncStream<Void>.Continuation) -> Int {
        state.withLock { state in
            state.number += 1
            state.waiting[id, default: [:]][state.number] = continuation
            return state.number
        }
    }

    private func withdraw(_ id: String, _ number: Int) {
        state.withLock { state in
            state.waiting[id]?[number] = nil
            if state.waiting[id]?.isEmpty == true { state.waiting[id] = nil }
        }
    }

    private func wake(_ id: String) {
        for continuation in state.withLock({ Array(($0.waiting[id] ?? [:]).values) }) { continuation.yield() }
    }

    private func wakeAll() {
        for continuation in state.withLock({ $0.waiting.values.flatMap(\.values) }) { continuation.yield() }
    }
}
