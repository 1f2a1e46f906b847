import Base
import Foundation
import Synchronization

/// When this process looks for expired operations next: when one expires, or after a minute, as what another process
/// begins is not told of here.
final class ExpiryAlarm: Sendable {
    /// Between two looks, however many expire.
    static let step: TimeInterval = 1

    private struct State {
        /// The first end of what was begun here, perhaps not committed yet.
        var noted: Date?
        var looksAt: Date?
    }

    private let clock: WallClock
    private let longestNap: TimeInterval
    private let state = Mutex(State())
    private let (rings, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

    init(clock: WallClock, longestNap: TimeInterval = 60) { (self.clock, self.longestNap) = (clock, longestNap) }

    /// An operation is being begun that ends then.
    func note(_ end: Date) {
        let isSooner = state.withLock { state in
            state.noted = min(state.noted ?? end, end)
            return state.looksAt.map { end < $0 } ?? false
        }
        if isSooner { bell.yield() }
    }

    /// Until something ends: `next` is the first end that is committed. For one caller.
    func wait(until next: Date?) async {
        let begun = clock.now()
        // What had ended before it was looked for stands in `next`, if it was committed.
        state.withLock { state in state.noted = state.noted.flatMap { $0 <= begun ? nil : $0 } }
        var wakes = rings.makeAsyncIterator()
        while !Task.isCancelled {
            let looksAt = state.withLock { state in
                let end = min(next ?? .distantFuture, state.noted ?? .distantFuture)
                let looksAt = min(max(end, begun + ExpiryAlarm.step), begun + longestNap)
                state.looksAt = looksAt
                return looksAt
            }
            let left = looksAt.timeIntervalSince(clock.now())
            guard left > 0 else { break }
            let alarm = Task { if (try? await Task.sleep(for: .seconds(left))) != nil { bell.yield() } }
            _ = await wakes.next()
            alarm.cancel()
        }
        state.withLock { $0.looksAt = nil }
    }
}
