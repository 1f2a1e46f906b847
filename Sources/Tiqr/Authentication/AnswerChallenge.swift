import Base
import Database
import Foundation
import OCRA
import TokenTree

/// Answers to challenges. What is compared was read before; what it comes to is settled by one statement, which holds
/// the challenge, then the identity, and does nothing when by then the challenge is not pending or the identity is
/// blocked. So of 20 guesses at once five count, and a right one that arrives behind the fifth wrong one is refused.
struct AnswerChallenge: Sendable {
    let database: Database
    let identities: IdentityStore
    let links: LinkKeys
    let changes: ChangeBoard
    let clock: WallClock

    struct Answer: Sendable {
        let response: String
        let method: AnswerMethod
        /// Taken over by a right answer only.
        var address: PushAddress? = nil
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
                try await refuse("blocked", challenge, person, answer, at: clock.now(), in: database)
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
            suite: try OCRASuite(person.suite), key: secret, input: input, response: answer.response)
        return try await isRight ? accept(challenge, person, answer) : count(challenge, person, answer)
    }

    /// The first right answer also validates the enrollment. `nil` when the challenge or the identity had changed.
    private func accept(
        _ challenge: ChallengedPerson, _ person: ChallengedPerson.Person, _ answer: Answer
    ) async throws -> Verdict? {
        let now = clock.now(), type = answer.address?.type, address = answer.address?.address
        let settled = try await database.atomically { transaction -> Row? in
            try await TokenBoundRow.hold("tiqr_authentication", "x.id = \(challenge.id)", in: transaction)
            let row = try await transaction.query(
                """
                with held as (\(held(challenge, at: now))), answered as (
                    update tiqr_identity i set failures = 0, block_step = 0, blocked_until = null,
                        last_login_at = \(now),
                        push_type = coalesce(\(type), i.push_type), push_address = coalesce(\(address), i.push_address)
                    from held where i.identity = \(person.identity) and \(AnswerChallenge.open(at: now))
                    returning i.identity
                ), validated as (
                    update tiqr_enrollment e set state = 'validated', version = e.version + 1
                    from answered where e.identity = answered.identity and e.state = 'finalized'
                    returning e.id
                ), done as (
                    update tiqr_authentication a set state = 'authenticated', answered_by = answered.identity,
                        method = \(answer.method.rawValue),
                        authenticated_at = \(now), external_id = \(person.externalID), version = a.version + 1
                    from held, answered where a.id = held.id
                    returning a.id
                )
                select done.id, (select validated.id from validated) as enrollment from done
                """
            ).first
            guard let row else { return nil }
            try await TiqrAudit.write(
                "tiqr.login", TiqrAudit.phone(person.identity, origin: answer.origin), about: person.identity,
                account: challenge.account(of: person),
                ["method": .string(answer.method.rawValue), "owner": .string(challenge.owner)], at: now, in: transaction
            )
            return row
        }
        guard let settled else { return nil }
        await changes.announce(challenge.id, in: database)
        let enrollment: String? = try settled("enrollment")
        if let enrollment { await changes.announce(enrollment, in: database) }
        return .right
    }

    /// The fifth blocks, and the fifth at one challenge ends that.
    private func count(
        _ challenge: ChallengedPerson, _ person: ChallengedPerson.Person, _ answer: Answer
    ) async throws -> Verdict? {
        let now = clock.now(), limit = BlockLadder.attempts
        let isLast: SQL = "i.failures + 1 >= \(limit)"
        let pause: SQL =
            """
            least(\(BlockLadder.firstMinutes) * 2 ^ least(i.block_step, 20), \(BlockLadder.longestMinutes)) * \
            interval '1 minute'
            """
        let counted = try await database.atomically { transaction -> Row? in
            let row = try await transaction.query(
                """
                with held as (\(held(challenge, at: now))), counted as (
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
                )
                select counted.failures, counted.blocked_until, struck.state from counted, struck
                """
            ).first
            guard let row else { return nil }
            try await refuse("wrong_answer", challenge, person, answer, at: now, in: transaction)
            let until: Date? = try row("blocked_until")
            if let until {
                try await TiqrAudit.write(
                    "tiqr.block", TiqrAudit.phone(person.identity, origin: answer.origin), about: person.identity,
                    account: challenge.account(of: person), outcome: "attempts", ["until": .string(until.rfc3339)],
                    at: now, in: transaction)
            }
            return row
        }
        guard let counted else { return nil }
        let state: String = try counted("state")
        if state == "failed" { await changes.announce(challenge.id, in: database) }
        let ladder = BlockLadder(forGood: false, until: try counted("blocked_until"), failures: try counted("failures"))
        if let minutes = ladder.minutesLeft(at: now) { return .blocked(minutes: minutes) }
        return .wrong(attemptsLeft: ladder.attemptsLeft)
    }

    private func refuse(
        _ why: String, _ challenge: ChallengedPerson, _ person: ChallengedPerson.Person, _ answer: Answer, at now: Date,
        in executor: any SQLExecutor
    ) async throws {
        try await TiqrAudit.refuse(
            why, TiqrAudit.phone(person.identity, origin: answer.origin), about: person.identity,
            account: challenge.account(of: person),
            at: now, in: executor)
    }

    /// The challenge, held if it is still pending. Every answer takes this lock first and the identity's second.
    private func held(_ challenge: ChallengedPerson, at now: Date) -> SQL {
        """
        select x.id from tiqr_authentication x
        where x.id = \(challenge.id) and x.state = 'pending' and x.expires_at > \(now) and not \(TiqrID.isRevoked)
            for update of x
        """
    }

    private static func open(at now: Date) -> SQL {
        "not i.blocked_for_good and (i.blocked_until is null or i.blocked_until <= \(now))"
    }
}
