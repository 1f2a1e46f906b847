import Foundation
import PandoClient

/// What a service writes down: assertions that were used, tokens with their ancestors, and what has ended. In a real
/// one these are tables, and each function is one transaction.
actor Ledger {
    struct Row: Sendable {
        let subject: String
        let name: String
        /// The instance behind it.
        let instance: String
        let ancestors: Set<String>
    }

    private var used: Set<String> = []
    private var ended: Set<String> = []
    private var events: Set<String> = []
    private var rows: [String: Row] = [:]

    /// A row for an assertion, once; the second time all that came of the first ends.
    func redeem(_ assertion: ServiceAssertion) throws -> Row {
        guard used.insert(assertion.id).inserted else {
            ended.insert(assertion.node)
            throw OAuthError(400, .invalidGrant, "the assertion was used before")
        }
        guard ended.isDisjoint(with: assertion.ancestors) else {
            throw OAuthError(400, .invalidGrant, "the assertion was revoked")
        }
        let name = assertion.released["name"]?.string ?? "stranger"
        return Row(
            subject: assertion.subject, name: name, instance: assertion.instance, ancestors: Set(assertion.ancestors))
    }

    func write(_ row: Row, for token: String) { rows[token] = row }

    /// That of a token which lives.
    func row(_ token: String) throws -> Row {
        guard let row = rows[token], ended.isDisjoint(with: row.ancestors) else {
            throw OAuthError(401, .invalidToken, "the token is dead")
        }
        return row
    }

    func isTaken(_ event: String) -> Bool { events.contains(event) }
    func isEnded(_ node: String) -> Bool { ended.contains(node) }

    func take(_ token: SecurityEventToken) {
        for case .ended(let node) in token.events { ended.insert(node) }
        events.insert(token.id)
    }
}
