/// How many deliveries of one queue a process has in flight at once.
public struct DeliveryLimits: Sendable {
    let total: Int
    let share: Int
    let late: Int
    let patience: Duration

    /// - Parameters:
    ///   - total: to all receivers that answer in time.
    ///   - share: to one receiver.
    ///   - late: to all receivers that answer late or not at all.
    ///   - patience: what takes longer is late.
    public init(total: Int = 32, share: Int = 4, late: Int = 256, patience: Duration = .seconds(3)) {
        (self.total, self.share, self.late, self.patience) = (total, share, late, patience)
    }
}

/// What one process has in flight, and to whom more may be sent: pure, under one lock in `DeliveryQueue`.
///
/// A receiver that answered late or not at all, or lets us wait for longer than we have patience, is late for ten
/// minutes or until it answers in time. Late ones have places of their own, so they take none of the others'.
struct DeliveriesInFlight {
    /// What may be claimed for one kind of receivers.
    struct Claim: Equatable {
        enum Among: Equatable { case except([String]), only([String]) }

        let among: Among
        let limit: Int
        /// What is in flight already, of receivers that have a part of their share left.
        let taken: [String: Int]
    }

    /// The most rows that one statement claims.
    static let batch = 32
    private static let remembered = Duration.seconds(600)

    private struct Flight {
        let receiver: String
        let since: ContinuousClock.Instant
    }

    let limits: DeliveryLimits
    private var flights: [Int: Flight] = [:]
    private var lateUntil: [String: ContinuousClock.Instant] = [:]
    private var made = 0

    init(_ limits: DeliveryLimits) { self.limits = limits }

    /// The number by which it is ended.
    mutating func begin(_ receiver: String, at now: ContinuousClock.Instant) -> Int {
        made += 1
        flights[made] = Flight(receiver: receiver, since: now)
        return made
    }

    /// Whether there was no room before: then somebody may have been waiting for it.
    mutating func end(_ number: Int, isAnswered: Bool, at now: ContinuousClock.Instant) -> Bool {
        guard let flight = flights[number] else { return false }
        let ofReceiver = flights.values.count { $0.receiver == flight.receiver }
        let wasFull = flights.count >= limits.total || ofReceiver >= limits.share
        flights[number] = nil
        let isLate = !isAnswered || now - flight.since > limits.patience
        lateUntil[flight.receiver] = isLate ? now + DeliveriesInFlight.remembered : nil
        return wasFull
    }

    /// One for receivers that answer in time and one for those that do not, where there is room.
    mutating func claims(at now: ContinuousClock.Instant) -> [Claim] {
        lateUntil = lateUntil.filter { $0.value > now }
        let taken = Dictionary(grouping: flights.values, by: \.receiver).mapValues(\.count)
        let late = late(at: now), full = Set(taken.filter { $0.value >= limits.share }.keys)
        let waiting = taken.reduce(0) { $0 + (late.contains($1.key) ? $1.value : 0) }
        let part = taken.filter { !full.contains($0.key) }
        let lateOnes = late.subtracting(full).sorted()
        var claims: [Claim] = []
        if case let room = limits.total - (flights.count - waiting), room > 0 {
            let others = late.union(full).sorted()
            claims.append(Claim(among: .except(others), limit: min(room, DeliveriesInFlight.batch), taken: part))
        }
        if case let room = limits.late - waiting, room > 0, !lateOnes.isEmpty {
            claims.append(Claim(among: .only(lateOnes), limit: min(room, DeliveriesInFlight.batch), taken: part))
        }
        return claims
    }

    /// When one that is waited for becomes late, where its place is needed.
    func nextLate(after now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        guard flights.count >= limits.total else { return nil }
        return flights.values.map { $0.since + limits.patience }.filter { $0 >= now }.min()
    }

    private func late(at now: ContinuousClock.Instant) -> Set<String> {
        Set(lateUntil.keys).union(flights.values.filter { now - $0.since > limits.patience }.map(\.receiver))
    }
}
