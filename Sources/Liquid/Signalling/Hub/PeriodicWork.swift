import Foundation

/// What a beat of the hub gives to do outside of its lock.
struct PeriodicWork: Sendable {
    /// Seconds between two.
    static let greeting: TimeInterval = 10
    static let asking: TimeInterval = 60
    static let noting: TimeInterval = 1_200
    /// Rooms that another replica is told of at once.
    static let rooms = 100
    /// In which the others are told that this process ends.
    static let farewell: TimeInterval = 2
    /// In which a link waits for the database to come back, doubling `pause`.
    static let patience: TimeInterval = 30, pause: TimeInterval = 0.5

    /// Sessions that may be over.
    var ask: Set<String> = []
    /// Those that are used.
    var note: Set<String> = []
    var looksUp = false
    var tidies = false
    /// Replicas of which something was missed, to be asked whom they have.
    var asked: Set<String> = []
}

/// When what was done last.
struct PeriodicTimes: Sendable {
    private var lookedUp = Date.distantPast, asked = Date.distantPast, noted: Date?

    mutating func duties(_ state: inout HubState) -> PeriodicWork {
        var duties = PeriodicWork()
        let now = state.now
        duties.ask = state.takeUnproven().union(state.takeChanged())
        let gapped = state.takeGapped()
        if !gapped.isEmpty {
            duties.ask.formUnion(state.keptSessions)
            duties.looksUp = true
            // Whoever has no room has nothing to be told of.
            if !state.rooms.isEmpty { duties.asked = gapped }
        }
        if now.timeIntervalSince(lookedUp) >= PeriodicWork.greeting {
            lookedUp = now
            duties.looksUp = true
        }
        if now.timeIntervalSince(asked) >= PeriodicWork.asking {
            asked = now
            duties.ask = state.keptSessions
            duties.tidies = true
        }
        if now.timeIntervalSince(noted ?? now) >= PeriodicWork.noting { duties.note = state.keptSessions }
        if noted == nil || !duties.note.isEmpty { noted = now }
        return duties
    }
}
