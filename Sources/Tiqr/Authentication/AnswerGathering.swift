import Base
import Database
import Foundation
import TokenTree

/// Right answers that come at the same time are settled by one statement with one commit: whoever finds the challenge
/// still pending and the identity not blocked logs in, with a line of its own in the audit trail.
///
/// What is held comes first, since a statement sees only what was committed when it began: the lineages under which the
/// challenges were begun, then the challenges, each kind in one order everywhere. The identities come last and in any
/// order: of two that meet head on there one loses patience, and its answers go one by one. Of several answers to one
/// challenge the first is tried.
struct AnswerGathering: Sendable {
    struct RightAnswer: Sendable {
        let challenge: ChallengedPerson
        let person: ChallengedPerson.Person
        let answer: AnswerChallenge.Answer
    }

    /// Answers of one transaction.
    static let most = 32

    /// `nil`: not together with these others.
    private let together: GroupCommit<RightAnswer, Bool?>
    private let alone: GroupCommit<RightAnswer, Bool>

    init(database: Database, changes: ChangeBoard, clock: WallClock) {
        @Sendable func write(_ batch: [RightAnswer], briefly: Bool) async throws -> [Bool] {
            try await AnswerGathering.write(batch, briefly: briefly, changes: changes, at: clock.now(), in: database)
        }
        together = GroupCommit("answers", most: AnswerGathering.most) { batch in
            do {
                return try await write(batch, briefly: true)
            } catch let error as DatabaseError where !error.isOfAll || error == .timeout {
                return batch.map { _ in nil }
            }
        }
        alone = GroupCommit("answers", lanes: 4, most: 1, room: 512) { try await write($0, briefly: false) }
    }

    /// Whether it logged in, durably; the challenge or the identity had changed otherwise, or its turn is yet to come.
    ///
    /// Where one of those that came together has to wait, for a revocation or for who holds its rows, or fails, each
    /// goes by itself.
    func accept(_ answer: RightAnswer) async throws -> Bool {
        if let isAccepted = try await together.commit(answer) { return isAccepted }
        return try await alone.commit(answer)
    }

    private static func write(
        _ batch: [RightAnswer], briefly: Bool, changes: ChangeBoard, at now: Date, in database: Database
    ) async throws -> [Bool] {
        var tried: Set<String> = []
        let first = batch.filter { tried.insert($0.challenge.id).inserted },
            nodes = TokenBoundRow.nodes(of: first.map(\.challenge.lineage))
        let locks = nodes.isEmpty ? [] : [TokenBoundRow.holding(nodes, briefly: briefly)],
            settling = statement(first, holding: nodes, patience: briefly ? "100ms" : "0", at: now)
        let rows = try await database.atomically(locks + [settling]).last ?? []

        var changed: [String] = [], accepted: Set<String> = []
        for row in rows {
            let id: String = try row("id"), enrollment: String? = try row("enrollment")
            accepted.insert(id)
            changed.append(id)
            if let enrollment { changed.append(enrollment) }
        }
        await changes.announce(changed, in: database)
        return batch.map { accepted.remove($0.challenge.id) != nil }
    }

    /// The first right answer also validates the enrollment. A row for each that logged in.
    private static func statement(
        _ answers: [RightAnswer], holding nodes: [NodeID], patience: String, at now: Date
    ) -> SQL {
        """
        with patience as materialized (select set_config('lock_timeout', \(patience), true)), held as materialized (
            select x.id, x.owner, w.identity, w.account, w.method, w.origin, w.push_type, w.push_address,
                w.language, w.n
            from patience cross join \(wanted(answers)) join tiqr_authentication x on x.id = w.id
            where \(AnswerChallenge.isPending(at: now)) and \(TokenBoundRow.lineage) <@ \(nodes)
            order by x.id for update of x
        ), answered as (
            update tiqr_identity i set failures = 0, block_step = 0, blocked_until = null, last_login_at = \(now),
                push_type = coalesce(nullif(p.push_type, ''), i.push_type),
                push_address = coalesce(nullif(p.push_address, ''), i.push_address),
                language = coalesce(nullif(p.language, ''), i.language)
            from (select distinct on (h.identity) h.identity, h.push_type, h.push_address, h.language from held h
                  order by h.identity, h.push_type = '', h.n desc) p
            where i.identity = p.identity and \(AnswerChallenge.open(at: now))
            returning i.identity, i.external_id
        ), validated as (
            update tiqr_enrollment e set state = 'validated', version = e.version + 1
            from answered g where e.identity = g.identity and e.state = 'finalized'
            returning e.id, e.identity
        ), done as (
            update tiqr_authentication a set state = 'authenticated', answered_by = g.identity, method = h.method,
                authenticated_at = \(now), external_id = g.external_id, version = a.version + 1
            from held h join answered g on g.identity = h.identity where a.id = h.id
            returning a.id, a.owner, a.method, h.identity, h.account, h.origin
        ), noted as (\(TiqrAudit.logins("done", at: now)))
        select done.id, v.id as enrollment from done left join validated v on v.identity = done.identity
        """
    }

    /// Empty text is none.
    private static func wanted(_ answers: [RightAnswer]) -> SQL {
        """
        unnest(\(answers.map(\.challenge.id)), \(answers.map(\.person.identity)),
            \(answers.map { $0.challenge.account(of: $0.person)?.uuidString ?? "" }),
            \(answers.map(\.answer.method.rawValue)), \(answers.map { $0.answer.origin ?? "" }),
            \(answers.map { $0.answer.address?.type ?? "" }), \(answers.map { $0.answer.address?.address ?? "" }),
            \(answers.map { $0.answer.language?.subtag ?? "" }))
            with ordinality as w (id, identity, account, method, origin, push_type, push_address, language, n)
        """
    }
}
