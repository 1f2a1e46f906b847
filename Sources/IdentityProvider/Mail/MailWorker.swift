import Accounts
import Base
import Database
import Foundation
import Logging
import Mail
import OAuth
import Pages

/// Empties the queue of mail: finds the words for what waits, and hands it to the mail server; again with growing
/// pauses for two days, where that is away. What somebody typed who forgot a password is looked at here, where nobody
/// waits for an answer that could tell whether there is such an account.
public struct MailWorker: Sendable {
    /// What a process that has a mail server sends with.
    public struct Sending: Sendable {
        let from: MailSender
        let language: Language
        let send: @Sendable (MailMessage) async -> SMTPServer.Outcome

        /// `language`: by its code, of those of whom nobody knows theirs. `send` bounds its own time by
        /// `SMTPServer.timeLimit`.
        public init(
            from: MailSender, language: String,
            send: @escaping @Sendable (MailMessage) async -> SMTPServer.Outcome
        ) {
            (self.from, self.language, self.send) = (from, Language(rawValue: language) ?? .en, send)
        }
    }

    static let longest: TimeInterval = 2 * 86_400
    /// Ten seconds, doubling to an hour.
    static let pause = RetryPause(first: 10, longest: 3_600)

    let recovery: AccountRecovery
    let sending: Sending
    let issuer: String
    let brand: Brand
    let database: Database
    let clock: WallClock
    let logger: Logger

    public init(
        _ recovery: AccountRecovery, _ sending: Sending, issuer: String, brand: Brand = .pando, database: Database,
        clock: WallClock,
        logger: Logger
    ) {
        (self.recovery, self.sending, self.issuer, self.brand) = (recovery, sending, issuer, brand)
        (self.database, self.clock, self.logger) = (database, clock, logger)
    }

    /// Until cancelled.
    public func run() async { await queue.run() }

    /// One round over what is due; how many there were.
    @discardableResult
    public func sendDue() async throws -> Int { try await queue.sendDue() }

    private var queue: DeliveryQueue {
        DeliveryQueue(
            "mail", MailWorker.table, in: database, channel: MailQueue.channel,
            lease: TimeInterval(SMTPServer.timeLimit * 2), pause: MailWorker.pause, clock: clock, logger: logger,
            send: send)
    }

    /// One server takes it all, so there is one receiver; and one for what strangers ask for, so that letters wait
    /// neither behind that nor the other way round. A row that is sent or given up is deleted.
    private static let table = DeliveryTable(
        "mail", key: "id", receivers: "select v.receiver from (values ('mail server'), ('requests')) v (receiver)",
        rows: "mail d where (r.receiver = 'requests') = (d.account is null)", expires: "expires_at",
        columns: "d.id, d.sealed",
        tally: .attempts("attempts"), patience: DeliveryTable.Patience(since: "created_at", lasts: longest),
        matching: { row throws(DatabaseError) in "d.id = \(try row("id", as: UUID.self))" })

    private func send(_ row: Row) async throws -> DeliveryOutcome {
        let id: UUID = try row("id")
        guard let mail = recovery.queue.open(try row("sealed"), id: id) else {
            return .refused("sealed by another key")
        }
        if mail.kind == .asked {
            try await recovery.answer(mail)
            return .delivered
        }
        guard let to = MailAddress(mail.to) else { return .refused("no address that servers take") }
        let language = mail.language.flatMap { Language(rawValue: $0) } ?? sending.language
        let letter = MailLetter(mail, language, issuer: issuer, brand: brand)
        let message = MailMessage(
            from: sending.from, to: to, subject: letter.subject, text: letter.text, html: letter.html,
            date: clock.now(), id: id.uuidString.lowercased(), language: language.rawValue)
        switch await sending.send(message) {
        case .sent: return .delivered
        case .later(let reason): return .later(reason)
        case .refused(let reason): return .refused(reason)
        }
    }
}
