import Testing

@testable import Database

@Suite("Deliveries in flight: to whom more may be sent")
struct DeliveriesInFlightTests {
    private typealias Claim = DeliveriesInFlight.Claim

    private let start = ContinuousClock.now

    private func made(total: Int = 32, share: Int = 4, late: Int = 256) -> DeliveriesInFlight {
        DeliveriesInFlight(DeliveryLimits(total: total, share: share, late: late, patience: .seconds(3)))
    }

    @Test("a receiver gets no more than its share; what it has of it is told")
    func share() {
        var deliveries = made()
        for _ in 0..<4 { _ = deliveries.begin("full", at: start) }
        _ = deliveries.begin("part", at: start)

        #expect(deliveries.claims(at: start) == [Claim(among: .except(["full"]), limit: 27, taken: ["part": 1])])
    }

    @Test("all together get no more than there is room for; with one that ends there is room again")
    func total() {
        var deliveries = made(total: 2)
        let first = deliveries.begin("a", at: start)
        _ = deliveries.begin("b", at: start)
        let none = deliveries.claims(at: start)

        let wasFull = deliveries.end(first, isAnswered: true, at: start)

        #expect(none.isEmpty && wasFull)
        #expect(deliveries.claims(at: start) == [Claim(among: .except([]), limit: 1, taken: ["b": 1])])
    }

    @Test("whoever takes longer than three seconds is late, or does not answer, until they answer in time")
    func remembered() {
        var deliveries = made()
        for (name, took, isAnswered) in [("a", 3.001, true), ("b", 4, true), ("c", 3, true), ("d", 0, false)] {
            let number = deliveries.begin(name, at: start)
            _ = deliveries.end(number, isAnswered: isAnswered, at: start + .seconds(took))
        }
        let first = deliveries.claims(at: start + .seconds(4))
        for name in ["a", "d"] {
            let number = deliveries.begin(name, at: start + .seconds(5))
            _ = deliveries.end(number, isAnswered: true, at: start + .seconds(6))
        }

        #expect(first.map(\.among) == [.except(["a", "b", "d"]), .only(["a", "b", "d"])])
        #expect(deliveries.claims(at: start + .seconds(6)).map(\.among) == [.except(["b"]), .only(["b"])])
        #expect(deliveries.claims(at: start + .seconds(605)).map(\.among) == [.except([])], "ten minutes later")
    }

    @Test("those that are waited for too long give their places back to the others")
    func waiting() {
        var deliveries = made(total: 8)
        for name in ["a", "b"] { for _ in 0..<4 { _ = deliveries.begin(name, at: start) } }
        let full = deliveries.claims(at: start + .seconds(3)), next = deliveries.nextLate(after: start + .seconds(1))

        let later = deliveries.claims(at: start + .seconds(4))

        #expect(full.isEmpty && next == start + .seconds(3))
        #expect(later == [Claim(among: .except(["a", "b"]), limit: 8, taken: [:])])
        #expect(deliveries.nextLate(after: start + .seconds(4)) == nil)
    }

    @Test("late ones get no more than there is room for late ones, and no more than their share")
    func late() {
        var deliveries = made(late: 3)
        for name in ["a", "b"] { _ = deliveries.end(deliveries.begin(name, at: start), isAnswered: false, at: start) }
        for _ in 0..<2 { _ = deliveries.begin("a", at: start) }
        let one = deliveries.claims(at: start)
        _ = deliveries.begin("b", at: start)

        let none = deliveries.claims(at: start)

        #expect(one.last == Claim(among: .only(["a", "b"]), limit: 1, taken: ["a": 2]))
        #expect(none.map(\.among) == [.except(["a", "b"])])
    }
}
