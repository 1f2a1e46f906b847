import Base
import Database
import Foundation
import Keys
import TokenTree
import Vocabulary

/// Tells services that take no events, by token revocation (RFC 7009): one call for each assertion below the node that
/// has ended.
///
/// How far it is stands in the database: an assertion that was called for is remembered no more, and the event says
/// behind which one its round goes on. A process that is killed costs the calls of one turn a second time.
struct RevocationCalls: Sendable {
    /// POSTs a form. Bounds its own time; follows no redirects.
    typealias Post = EventSender.Call

    /// How long a client assertion is good for: as long as a call may take, and clocks may differ.
    static let assertionLife = 120
    /// How long issuers of assertions may need to commit one that a new way of hearing was not known to.
    static let settling: TimeInterval = 30
    /// What a service may ask for by `Retry-After`, at most.
    static let longestRest: TimeInterval = 3_600

    let database: Database
    let keys: SigningKeys
    let issuer: String
    /// The most calls a second and service.
    let pace: Int
    /// Seconds for which an event is tried.
    let patience: TimeInterval
    let post: Post
    let clock: WallClock
    let randomness: Randomness
    let metrics: CallMetrics
    let ahead = CallsAhead()

    /// An event of one service, and how far it is.
    struct Work: Sendable {
        let service: String
        let endpoint: String
        let event: StoredEvent
        /// What has ended; `nil` where that is no node of ours, or nothing has: there is nobody to call for.
        let node: NodeID?
        let calledAfter: NodeID?
    }

    enum Progress: Sendable {
        /// All was called for.
        case done
        /// There is more, for another turn: not before `calls_from`.
        case resting
        /// Nobody can say for which assertions calls are needed.
        case unknown(String)
        /// With the error where there was no answer.
        case failed(String, (any Error)?)
    }

    /// The event whose turn it is: calls need no order, so those of which some are refused keep no other waiting.
    func next(_ service: String, at endpoint: String) async throws -> Work? {
        let waiting: SQL = """
            select \(StoredEvent.columns), o.called_after from outbox o
            where o.service = \(service) and o.settled_at is null
            """
        var row = try await database.query("\(waiting) and o.rounds = 0 order by o.seq limit 1").first
        if row == nil { row = try await database.query("\(waiting) order by o.rounds, o.seq limit 1").first }
        return try row.map { row in
            let event = try StoredEvent(row)
            return Work(
                service: service, endpoint: endpoint, event: event, node: event.node,
                calledAfter: try row("called_after"))
        }
    }

    /// One turn, which begins no call after `end`.
    func turn(_ work: Work, until end: Date) async throws -> Progress {
        guard let node = work.node else {
            return work.event.isAboutNode ? .unknown("written before services were called: call for it by hand") : .done
        }
        guard try await mayBegin(work.service) else { return .resting }
        let begun = clock.now()
        let assertions = try await next(work, node)
        guard !assertions.isEmpty else {
            guard work.calledAfter != nil else { return .done }
            return try await endRound(work, node)
        }
        var turn = Turn(after: work.calledAfter)
        for assertion in assertions {
            guard clock.now() < end, !Task.isCancelled else { break }
            await call(for: assertion, at: work.endpoint, &turn)
            if turn.isOver { break }
        }
        try await write(turn, of: work, begun: begun)
        return turn.failure.map { .failed($0, turn.error) } ?? .resting
    }

    /// Those of this turn: the first that were found earlier, if nobody has called for them or moved them since.
    private func next(_ work: Work, _ node: NodeID) async throws -> [NodeID] {
        let known = ahead.next(of: work.service, work.event.seq, after: work.calledAfter, most: pace)
        if !known.isEmpty {
            let still = try await AssertionReach.still(known, below: node, in: database)
            if !still.isEmpty { return still }
        }
        let found = try await AssertionReach.below(
            node, at: work.service, after: work.calledAfter, limit: pace, in: database)
        ahead.keep(found, of: work.service, work.event.seq)
        return Array(found.prefix(pace))
    }

    /// What came of the calls of one turn.
    private struct Turn: Sendable {
        /// The last assertion that was answered for, one way or the other.
        var after: NodeID?
        var made = 0
        var told: [NodeID] = []
        var failure: String?
        var error: (any Error)?
        var rest: TimeInterval?
        /// Whether the next call would come to nothing better.
        var isOver = false

        init(after: NodeID?) { self.after = after }
    }

    private func call(for assertion: NodeID, at endpoint: String, _ turn: inout Turn) async {
        let answer: CallAnswer
        turn.made += 1
        do {
            answer = try await post(endpoint, try await form(for: assertion, at: endpoint))
        } catch {
            metrics.record("unanswered")
            (turn.failure, turn.error, turn.isOver) = ("\(error)", error, true)
            return
        }
        switch answer.verdict {
        case .done:
            metrics.record("taken")
            turn.told.append(assertion)
            turn.after = assertion
        case .refused:
            // Others may be taken; this one comes again in the next round.
            metrics.record("refused")
            turn.after = assertion
            turn.failure = "HTTP status \(answer.status) for the assertion \(assertion)"
        case .later:
            metrics.record("later")
            (turn.failure, turn.isOver) = ("HTTP status \(answer.status)", true)
            turn.rest = answer.retryAfter.map { min($0, RevocationCalls.longestRest) }
        }
    }

    /// RFC 7009, 2.1, with the `jti` of the assertion as the token, by which services know what they issued for it;
    /// authenticated by a JWT of ours (RFC 7523, 2.2).
    private func form(for assertion: NodeID, at endpoint: String) async throws -> String {
        let now = clock.now().numericDate
        let authentication = try await keys.sign(
            type: JWTType.clientAuthentication.rawValue,
            claims: [
                "iss": .string(issuer), "sub": .string(issuer), "aud": .string(endpoint),
                "jti": .string(randomness.identifier()), "iat": .integer(now),
                "exp": .integer(now + RevocationCalls.assertionLife),
            ])
        return FormCodec.write([
            ("token", assertion.description), ("token_type_hint", "jti"),
            ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
            ("client_assertion", authentication),
        ])
    }

    /// While calls are taken there is patience with what waits for its first round, and with the event itself where
    /// none is refused; that is noted once a day, and more often where patience is short. The row of `delivery` is
    /// locked first, as by who settles.
    private func write(_ turn: Turn, of work: Work, begun: Date) async throws {
        let now = clock.now(), pace = TimeInterval(turn.made) / TimeInterval(self.pace)
        let from = max(begun.addingTimeInterval(pace), now.addingTimeInterval(turn.rest ?? 0))
        let isTaken = !turn.told.isEmpty, isSmooth = turn.failure == nil
        let noted = now.addingTimeInterval(-min(86_400, patience / 4))
        _ = try await database.batch([
            EventSettlement.lock(work.service),
            AssertionReach.forget(turn.told),
            """
            update outbox set called_after = \(turn.after)
            where service = \(work.service) and seq = \(work.event.seq)
            """,
            """
            update outbox set tried_from = \(now) where \(isTaken) and service = \(work.service)
                and settled_at is null and coalesce(tried_from, created_at) < \(noted)
                and (rounds = 0 or \(isSmooth) and seq = \(work.event.seq))
            """,
            """
            update delivery set calls_from = \(from), failures = case when \(isTaken) then 0 else failures end,
                last_error = case when \(turn.failure == nil) then null else last_error end
            where service = \(work.service)
            """,
        ])
    }

    /// Some may have been refused, or kept by a move: then there is another round.
    private func endRound(_ work: Work, _ node: NodeID) async throws -> Progress {
        let left = try await AssertionReach.below(node, at: work.service, after: nil, limit: 1, in: database)
        guard !left.isEmpty else { return .done }
        _ = try await database.execute(
            """
            update outbox set called_after = null, rounds = rounds + 1
            where service = \(work.service) and seq = \(work.event.seq)
            """)
        return .resting
    }

    // MARK: Before the first call

    /// Whether it is time, and all assertions are known. Those of before the service was called are written down here.
    private func mayBegin(_ service: String) async throws -> Bool {
        let now = clock.now()
        guard
            let row = try await database.query(
                """
                select d.calls_from, d.fill_after, s.hears_since from delivery d join service s on s.id = d.service
                where d.service = \(service)
                """
            ).first
        else { return false }
        let from: Date? = try row("calls_from"), fill: NodeID? = try row("fill_after")
        if let from, from > now { return false }
        guard let fill else { return true }
        let since: Date? = try row("hears_since")
        guard since.map({ now.timeIntervalSince($0) >= RevocationCalls.settling }) ?? true else {
            try await rest(service, until: now.addingTimeInterval(1), filled: fill)
            return false
        }
        let end = try await AssertionReach.fill(service, after: fill, at: now, in: database)
        try await rest(service, until: now, filled: end)
        return end == nil
    }

    private func rest(_ service: String, until time: Date, filled: NodeID?) async throws {
        _ = try await database.execute(
            "update delivery set calls_from = \(time), fill_after = \(filled) where service = \(service)")
    }
}
