import Base
import Foundation
import Testing

@testable import Operations

@Suite("When expired operations are looked for", .timeLimit(.minutes(30)))
struct ExpiryAlarmTests {
    @Test("when the next one ends, and no more often than each second")
    func next() async {
        let alarm = ExpiryAlarm(clock: .system), begun = ContinuousClock.now
        await alarm.wait(until: .now.addingTimeInterval(1.2))
        #expect(ContinuousClock.now - begun >= .seconds(1.2))
        let again = ContinuousClock.now
        await alarm.wait(until: .now.addingTimeInterval(-5))
        #expect(ContinuousClock.now - again >= .seconds(1))
    }

    @Test("sooner, when one that ends before is begun here, be it before or while it waits", arguments: [true, false])
    func sooner(isBegunBefore: Bool) async throws {
        // Otherwise it waits for a day, and the limit of the suite ends it.
        let day: TimeInterval = 86_400, alarm = ExpiryAlarm(clock: .system, longestNap: day)
        let next = Date.now.addingTimeInterval(day)
        if isBegunBefore {
            alarm.note(.now.addingTimeInterval(10))
            return await alarm.wait(until: next)
        }
        let notes = Task {
            while !Task.isCancelled {
                try await Task.sleep(for: .seconds(1))
                alarm.note(.now.addingTimeInterval(1))
            }
        }
        await alarm.wait(until: next)
        notes.cancel()
    }
}
