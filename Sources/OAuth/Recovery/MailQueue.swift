import Base
import Database
import Foundation

/// Rows of `mail`: what is to be sent, sealed, since links are in it. Written in the transaction of what it is about;
/// emptied by the worker that has the words (`MailWorker`).
public final class MailQueue: Sendable {
    public static let channel = "pando_mail"
    /// Seconds for which a notice is tried.
    static let longest: TimeInterval = 2 * 86_400
    /// Rows of a whole server that wait at once; what comes after is dropped. What strangers ask for is counted by
    /// itself: however much that is, people are told what happened to their account.
    static let most = 100_000, mostOfStrangers = 10_000

    /// Somebody has set a mail server. Without one nothing is ever queued.
    public let isOn: Bool
    /// What sees to the rest when nobody knows a language.
    private let key: MasterKey
    let clock: WallClock

    /// `key` is 32 bytes that outlive a change of the master key.
    public init(isOn: Bool, key: SecretBytes, clock: WallClock) throws {
        (self.isOn, self.key, self.clock) = (isOn, try MasterKey(key), clock)
    }

    /// Queues one where mail is on. `lasts`: seconds after which it is not worth sending.
    func add(
        _ mail: QueuedMail, of account: UUID?, lasting lasts: TimeInterval = longest, in executor: any SQLExecutor
    ) async throws {
        guard isOn else { return }
        let id = Randomness.system.uuid(), now = clock.now(),
            sealed = try key.seal(SecretBytes(mail.json.bytes), row: MailQueue.row(id))
        let most = account == nil ? MailQueue.mostOfStrangers : MailQueue.most
        let alike: SQL = account == nil ? "account is null" : "account is not null"
        _ = try await executor.execute(
            """
            with made as (
                insert into mail (id, account, sealed, created_at, expires_at, next_try)
                select \(id), \(account), \(sealed), \(now), \(now.addingTimeInterval(lasts)), \(now)
                where (select count(*) from (select from mail where \(alike) limit \(most)) m) < \(most)
                returning 1
            )
            select pg_notify(\(MailQueue.channel), '') where exists (select from made)
            """)
    }

    /// `nil`: sealed by another key.
    public func open(_ sealed: [UInt8], id: UUID) -> QueuedMail? {
        guard let opened = try? key.open(sealed, row: MailQueue.row(id)) else { return nil }
        return opened.expose { try? JSONReader.read($0) }.flatMap { QueuedMail($0) }
    }

    /// Drops what is not worth sending any more.
    func forget(in executor: any SQLExecutor) async throws {
        _ = try await executor.execute("delete from mail where expires_at < \(clock.now())")
    }

    private static func row(_ id: UUID) -> String { "mail \(id.uuidString.lowercased())" }
}
