import Base
import Database
import Foundation

/// A login under way in one browser, by a method that takes its time: a phone that is to answer.
public struct LoginAttempt: Sendable {
    /// What stands in the URL; its hash is in the table.
    public let reference: String
    /// `tiqr`, `tiqr-enrollment`, `operations`, `operations-registration`, `passkey`, `wallet-code`, or whatever else
    /// the room behind it calls what is under way.
    public let method: String
    /// What is under way at that room. Never goes to the browser.
    public let subject: String
    /// Who is asked; `nil` for whoever answers.
    public let account: UUID?
    /// A path of ours to go on at.
    public let then: String
    public let startedAt: Date
    public let expiresAt: Date

    init(
        reference: String, method: String, subject: String, account: UUID?, then: String, startedAt: Date,
        expiresAt: Date
    ) {
        (self.reference, self.method, self.subject, self.account, self.then) = (
            reference, method, subject, account, then
        )
        (self.startedAt, self.expiresAt) = (startedAt, expiresAt)
    }

    static let columns: SQL = "l.method, l.subject, l.account, l.goes_on, l.started_at, l.expires_at"

    init(_ row: Row, reference: String) throws(DatabaseError) {
        self.reference = reference
        (method, subject, account) = (try row("method"), try row("subject"), try row("account"))
        (then, startedAt, expiresAt) = (try row("goes_on"), try row("started_at"), try row("expires_at"))
    }
}
