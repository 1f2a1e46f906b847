import Base
import Database
import Foundation
import Keys
import Logging
import Vocabulary

/// Finds out how services hear: posts a verification event (OpenID Shared Signals Framework 1.0, "Verification") to
/// those of whom it is not known, when they are approved and whenever their document changes.
///
/// What is refused decides at once. Who does not answer is asked again, ever more rarely, for a week; after a few times
/// the next best way is used meanwhile.
public struct HearingProbe: Sendable {
    static let channel = "pando_hearing"
    static let verification = "https://schemas.openid.net/secevent/ssf/event-type/verification"

    static let lease: TimeInterval = 20
    /// Five seconds, doubling to an hour.
    static let pause = RetryPause(first: 5, longest: 3_600)
    static let patience: TimeInterval = 7 * 86_400
    /// Tries without an answer, some two minutes, after which another way is used until there is one.
    static let tries = 5

    let database: Database
    let keys: SigningKeys
    let issuer: String
    let push: EventSender.Push
    let clock: WallClock
    let randomness: Randomness
    let logger: Logger

    public init(
        database: Database, keys: SigningKeys, issuer: String, push: @escaping EventSender.Push, clock: WallClock,
        randomness: Randomness, logger: Logger
    ) {
        (self.database, self.keys, self.issuer, self.push) = (database, keys, issuer, push)
        (self.clock, self.randomness, self.logger) = (clock, randomness, logger)
    }

    /// Until cancelled.
    public func run() async { await queue.run() }

    /// Claims what is due and asks, services side by side; how many there were.
    @discardableResult
    public func sendDue() async throws -> Int { try await queue.sendDue() }

    private var queue: DeliveryQueue {
        DeliveryQueue(
            "ways of hearing", HearingProbe.table, in: database, channel: HearingProbe.channel,
            limits: DeliveryLimits(share: 1), lease: HearingProbe.lease, pause: HearingProbe.pause, clock: clock,
            logger: logger, send: ask)
    }

    private static let table = DeliveryTable(
        "service_probe", key: "service", receivers: "select p.service as receiver from service_probe p",
        rows: "service_probe d where d.service = r.receiver",
        joins: "join service s on s.id = due.key",
        columns: """
            d.service, d.asked, d.failures, s.base, s.status, s.notify, s.events_endpoint,
                s.revocation_named, s.revocation_endpoint
            """,
        tally: .failures("failures"), patience: DeliveryTable.Patience(since: "first_try", lasts: patience),
        // Asked anew meanwhile, it is to be asked.
        matching: { row throws(DatabaseError) in
            "d.service = \(try row("service", as: String.self)) and d.asked = \(try row("asked", as: Int.self))"
        })

    private func ask(_ row: Row) async throws -> DeliveryOutcome {
        let service = try Service(row)
        guard service.status == .active || service.status == .suspended else { return .delivered }
        if let decision = Hearing.decide(service.wish, .unasked, isCallable: service.isCallable) {
            try await write(decision, of: service)
            return .delivered
        }
        let answer: CallAnswer, failures: Int = try row("failures")
        do {
            let pushed = try await push(service.eventsEndpoint, try await token(for: service.base))
            answer = CallAnswer(status: pushed.status, retryAfter: nil)
        } catch {
            try await makeDo(service, without: "no answer", after: failures)
            throw error
        }
        switch answer.verdict {
        case .done:
            try await conclude(.taken, of: service)
        case .refused:
            try await conclude(.refused("HTTP status \(answer.status)"), of: service)
        case .later:
            try await makeDo(service, without: "HTTP status \(answer.status)", after: failures)
            return .later("HTTP status \(answer.status)")
        }
        return .delivered
    }

    /// One that did not answer when it was last asked goes on by its way, if it has one.
    private func makeDo(_ service: Service, without answer: String, after failures: Int) async throws {
        guard failures + 1 >= HearingProbe.tries else { return }
        try await conclude(.refused(answer), of: service)
    }

    private func conclude(_ verification: Hearing.Verification, of service: Service) async throws {
        guard let decision = Hearing.decide(service.wish, verification, isCallable: service.isCallable) else { return }
        try await write(decision, of: service)
    }

    /// Nothing where what it was decided by has changed meanwhile: then it is to be asked anew. What waits is due.
    private func write(_ decision: Hearing.Decision, of service: Service) async throws {
        let same: SQL = """
            s.notify = \(service.wish) and s.events_endpoint = \(service.eventsEndpoint)
                and \(Hearing.endpoint) is not distinct from \(service.revocationEndpoint)
            """
        _ = try await database.batch(ServiceHearing.change(service.id, to: decision, where: same, at: clock.now()))
    }

    private func token(for base: String) async throws -> String {
        try await keys.sign(
            type: JWTType.securityEvent.rawValue,
            claims: [
                "iss": .string(issuer), "aud": .string(base), "jti": .string(randomness.identifier()),
                "iat": .integer(clock.now().numericDate),
                "sub_id": ["format": "opaque", "id": .string(base)],
                "events": [HearingProbe.verification: ["state": .string(randomness.identifier())]],
            ])
    }

    private struct Service: Sendable {
        let id: String, base: String, status: FederationService.Status, wish: Hearing.Wish, eventsEndpoint: String
        let revocationEndpoint: String?

        var isCallable: Bool { revocationEndpoint != nil }

        init(_ row: Row) throws(DatabaseError) {
            (id, base, status) = (try row("service"), try row("base"), try row("status"))
            (wish, eventsEndpoint) = (try row("notify"), try row("events_endpoint"))
            let named: String? = try row("revocation_named"), told: String? = try row("revocation_endpoint")
            revocationEndpoint = named ?? told
        }
    }
}
