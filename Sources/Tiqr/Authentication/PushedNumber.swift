import Base
import Database
import Foundation
import TokenTree

/// The number that a push brings the phone, which is told where the login began (docs/design/number-matching.md).
struct PushedNumber: Sendable, Equatable {
    enum State: String, Sendable { case due, told, wrong }

    let text: String
    let state: State

    static func fresh(_ randomness: Randomness) -> PushedNumber {
        let bytes = randomness.bytes(4), number = bytes.reduce(0) { ($0 << 8 | Int($1)) & 0xFFFF_FFFF } % 100
        return PushedNumber(text: number < 10 ? "0\(number)" : String(number), state: .due)
    }

    init(text: String, state: State) { (self.text, self.state) = (text, state) }

    init?(_ row: Row) throws(DatabaseError) {
        let text: String? = try row("number"), state: String? = try row("number_state")
        guard let text, let state = state.flatMap(State.init(rawValue:)) else { return nil }
        self.init(text: text, state: state)
    }

    /// Two digits, as somebody typed them; `nil` for anything else.
    static func typed(_ text: String) -> String? {
        let digits = text.filter { !$0.isWhitespace }
        return digits.utf8.count == 2 && digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? digits : nil
    }
}

extension AuthenticationView {
    /// Nothing is left to be told: there was no number, or it was told.
    var isMatched: Bool { number.map { $0.state == .told } ?? true }
}

extension TiqrLogin {
    /// What somebody typed of the number of the authentication, once, before or after the phone's answer; of those who
    /// tell at once one does. A wrong one ends it. Nothing where none is due any more.
    func tell(_ number: String, of id: String, actor: AuditActor) async throws {
        let now = tiqr.clock.now()
        try await tiqr.database.atomically { transaction in
            let rows = try await transaction.query(
                """
                update tiqr_authentication x set version = x.version + 1,
                    number_state = case when x.number = \(number) then 'told' else 'wrong' end,
                    (state, failures) = (
                        select w.state, w.failures from (values ('failed', 5)) w (state, failures)
                        where x.number <> \(number) and x.state = 'pending'
                        union all select x.state, x.failures limit 1)
                where x.id = \(id) and x.owner = 'house' and x.number_state = 'due'
                    and (x.state = 'authenticated' or \(AnswerChallenge.isPending(at: now)))
                returning x.number_state, x.identity, x.external_id
                """)
            guard let row = rows.first, try row("number_state", as: String.self) == "wrong" else { return }
            let identity: String? = try row("identity"), account: String? = try row("external_id")
            let refusal = TiqrAudit.refusal(
                "wrong_number", actor, about: identity ?? "", account: account.flatMap { UUID(uuidString: $0) })
            try await AuditTrail.write(refusal, at: now, in: transaction)
        }
        await tiqr.changes.announce(id, in: tiqr.database)
    }
}
