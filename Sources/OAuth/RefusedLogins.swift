import Accounts
import Base
import Database
import Foundation
import TokenTree

/// What the audit trail says of logins that were refused. Anybody can be refused as often as they like, so it is a line
/// a minute with a count (`AuditTally`). Of user names that nobody has there is none, not even without the name: people
/// type passwords there, and strangers would write the trail.
struct RefusedLogins: Sendable {
    enum Action: String, Sendable {
        case browser = "login"
        case app = "login.app"
        /// The old password, asked for before a new one.
        case password
        /// The password, asked for before the account is deleted.
        case deletion = "account.delete"
    }

    let action: Action
    let database: Database
    let clock: WallClock

    func note(_ refused: PasswordLogin.Refused, by actor: AuditActor) async throws {
        switch refused {
        case .wrong(let account, let cause): try await note(account, cause.rawValue, by: actor)
        case .tooMany(_, let account): try await note(account, "too_many_attempts", by: actor)
        }
    }

    /// `reason` is a stable word or a sentence of ours, never of who asks. `account`: who is known to be meant; for
    /// `nil` nothing is written.
    func note(
        _ account: UUID?, _ reason: String, by actor: AuditActor, in executor: (any SQLExecutor)? = nil,
        method: String = "pwd"
    ) async throws {
        if [.browser, .app].contains(action) { OAuthMetrics.shared.login([method], outcome: reason) }
        guard let account else { return }
        let entry = AuditEntry(
            actor: actor.because(reason), action: action.rawValue, node: "account:\(account.uuidString.lowercased())",
            account: account,
            outcome: "refused")
        try await AuditTally.count(entry, at: clock.now(), in: executor ?? database)
    }
}
