import Base
import Database
import Foundation
import OAuth
import OCRA
import TokenTree

/// Answers to challenges. What is compared was read before; what it comes to is settled by one statement, which holds
/// the challenge, then the identity, and does nothing when by then the challenge is not pending or the identity is
/// blocked. So of 20 guesses at once five count, and a right one that arrives behind the fifth wrong one is refused.
///
/// An answer costs a reading and a writing, and where somebody may wait for what it changed, a notification. Readings,
/// and what comes of right answers, are shared by all that come meanwhile.
struct AnswerChallenge: Sendable {
    let database: Database
    let identities: IdentityStore
    let links: LinkKeys
    let changes: ChangeBoard
    let clock: WallClock
    let challenged: SharedReading<ChallengedPerson.PhoneKey, ChallengedPerson>
    private let metrics: OAuthMetrics
    private let gathering: AnswerGathering

    init(
        database: Database, identities: IdentityStore, links: LinkKeys, changes: ChangeBoard, clock: WallClock,
        metrics: OAuthMetrics
    ) {
        (self.database, self.identities, self.links) = (database, identities, links)
        (self.changes, self.clock, self.metrics) = (changes, clock, metrics)
        challenged = SharedReading("challenges") { keys in
            try await ChallengedPerson.read(keys, at: clock.now(), in: database)
        }
        gathering = AnswerGathering(database: database, changes: changes, clock: clock)
    }

    struct Answer: Sendable {
        let response: String
        let method: AnswerMethod
        /// Taken over by a right answer only.
        var address: PushAddress? = nil
        /// As the address.
        var language: PhoneLanguage? = nil
        var origin: String? = nil
    }

    enum Verdict: Sendable {
        case right
        case wrong(attemptsLeft: Int)
        case blocked(minutes: Int)
        case notPending
        case otherIdentity
    }

    /// `session` is the session key's bytes. `again` reads challenge and person anew: asked when they changed under
    /// way.
    func settle(
        _ first: ChallengedPerson?, _ answer: Answer, session: [UInt8], again: () async throws -> ChallengedPerson?
    ) async throws -> Verdict {
        var read = first
        for _ in 0..<4 {
            guard let challenge = read, challenge.isPending else { return .notPending }
            guard let person = challenge.person else { return .otherIdentity }
            if let minutes = person.ladder.minutesLeft(at: clock.now()) {
                let refusal = refusal("blocked", challenge, person, answer)
                try await AuditTally.count(refusal, at: clock.now(), in: database)
                measure("blocked", challenge)
                return .blocked(minutes: minutes)
            }
            if let verdict = try await attempt(challenge, person, answer, session) { return verdict }
            read = try await again()
        }
        throw DatabaseError.serialization
    }

    private func attempt(
        _ challenge: ChallengedPerson, _ person: ChallengedPerson.Person, _ answer: Answer, _ session: [UInt8]
    ) async throws -> Verdict? {
        let secret = try identities.secret(sealed: person.secret, by: person.sealedBy, of: person.identity)
        let input = OCRAInput(question: challenge.question, session: session)
        let isRight = OCRAAlgorithm.verify(
            suite: try OCRASuite.read(person.suite), key: secret, input: input, response: answer.response)
        // Goes on when its task is cancelled, as a right one does: who gives up waiting for the answer is counted.
        guard isRight else { return try await Task { try await count(challenge, person, answer) }.value }
        let right = AnswerGathering.RightAnswer(challenge: challenge, person: person, answer: answer)
        return try await gathering.accept(right) ? .right : nil
    }

    /// The fifth blocks, and the fifth at one challenge ends that. `nil` when the challenge or the identity had
    /// changed.
    private func count(
        _ challenge: ChallengedPerson, _ person: ChallengedPerson.Person, _ answer: Answer
    ) async throws -> Verdict? {
        let now = clock.now(), counting = counting(challenge, person, answer, at: now)
        guard let counted = try await database.atomically([counting]).first?.first else { return nil }
        measure("wrong_answer", challenge)
        let state: String = try counted("state")
        if state == "failed" { await changes.announce(challenge.id, in: database) }
        let ladder = BlockLadder(forGood: false, until: try counted("blocked_until"), failures: try counted("failures"))
        if let minutes = ladder.minutesLeft(at: now) { return .blocked(minutes: minutes) }
        return .wrong(attemptsLeft: ladder.attemptsLeft)
    }

    /// Only logins here are measured as such: what services ask their people with tiqr is theirs, and its right answers
    /// are in no measure of ours.
    private func measure(_ why: String, _ challenge: ChallengedPerson) {
        if challenge.isLoginHere { metrics.login(["tiqr"], outcome: why) }
    }

    /// One statement, with its lines of the audit trail.
    private func counting(
        _ challenge: ChallengedPerson, _ person: ChallengedPerson.Person, _ answer: Answer, at now: Date
    ) -> SQL {
        let limit = BlockLadder.attempts, isLast: SQL = "i.failures + 1 >= \(limit)"
        let pause: SQL =
            """
            least(\(BlockLadder.firstMinutes) * 2 ^ least(i.block_step, 20), \(BlockLadder.longestMinutes)) * \
            interval '1 minute'
            """
        let refused = AuditTally.counting(refusal("wrong_answer", challenge, person, answer), at: now, if: "struck")
        let blocked = TiqrAudit.block(
            "counted", TiqrAudit.phone(person.identity, origin: answer.origin), about: person.identity,
            account: challenge.account(of: person), at: now)
        return """
            with held as (
                select x.id from tiqr_authentication x
                where x.id = \(challenge.id) and \(AnswerChallenge.isPending(at: now)) for update of x
            ), counted as (
                update tiqr_identity i set
                    failures = case when \(isLast) then 0 else i.failures + 1 end,
                    blocked_until = case when \(isLast) then \(now)::timestamptz + \(pause) end,
                    block_step = case when \(isLast) then i.block_step + 1 else i.block_step end
                from held where i.identity = \(person.identity) and \(AnswerChallenge.open(at: now))
                returning i.failures, i.blocked_until
            ), struck as (
                update tiqr_authentication a set failures = a.failures + 1,
                    state = case when a.failures + 1 >= \(limit) then 'failed' else a.state end,
                    version = case when a.failures + 1 >= \(limit) then a.version + 1 else a.version end
                from held, counted where a.id = held.id
                returning a.state
            ), refused as (\(refused)), blocked as (\(blocked))
            select counted.failures, counted.blocked_until, struck.state from counted, struck
            """
    }

    private func refusal(
        _ why: String, _ challenge: ChallengedPerson, _ person: ChallengedPerson.Person, _ answer: Answer
    ) -> AuditEntry {
        TiqrAudit.refusal(
            why, TiqrAudit.phone(person.identity, origin: answer.origin), about: person.identity,
            account: challenge.account(of: person))
    }

    /// Of challenge `x`. Every answer locks it first and the identity second.
    static func isPending(at now: Date) -> SQL {
        "x.state = 'pending' and x.expires_at > \(now) and not \(TiqrID.isRevoked)"
    }

    /// Of identity `i`: it is not blocked.
    static func open(at now: Date) -> SQL {
        "not i.blocked_for_good and (i.blocked_until is null or i.blocked_until <= \(now))"
    }
}
