import Accounts
import Base
import Database
import Foundation
import Registration
import TokenTree

/// Tells people by mail what happened to their account, with a link that ends it, should it have been somebody else.
/// Written in the transaction of what it tells; nothing where mail is off, or nobody knows an address.
public final class AccountNotices: Sendable {
    /// What a link in a notice ends, as its row says.
    enum Cut: Sendable, Equatable {
        case device(instance: String)
        /// A login in a browser that the account was never used in.
        case browser(session: String)
        case factor(name: String, id: String)
        /// A factor that is gone: it does not come back, but whoever took it away is thrown out.
        case removal(name: String)
        case password
        /// The address becomes again what it was.
        case address(before: String)

        var detail: JSONObject {
            switch self {
            case .device(let instance): ["of": "device", "instance": .string(instance)]
            case .browser(let session): ["of": "browser", "session": .string(session)]
            case .factor(let name, let id): ["of": "factor", "factor": .string(name), "id": .string(id)]
            case .removal(let name): ["of": "removal", "factor": .string(name)]
            case .password: ["of": "password"]
            case .address(let before): ["of": "address", "before": .string(before)]
            }
        }

        init?(_ detail: JSONObject) {
            switch (detail["of"]?.string, detail["instance"]?.string, detail["factor"]?.string, detail["id"]?.string) {
            case ("device", let instance?, _, _): self = .device(instance: instance)
            case ("factor", _, let name?, let id?): self = .factor(name: name, id: id)
            case ("removal", _, let name?, _): self = .removal(name: name)
            case ("password", _, _, _): self = .password
            case ("browser", _, _, _):
                guard let session = detail["session"]?.string else { return nil }
                self = .browser(session: session)
            case ("address", _, _, _):
                guard let before = detail["before"]?.string else { return nil }
                self = .address(before: before)
            default: return nil
            }
        }
    }

    let issuer: String
    let store: TokenStore
    let links: AccountLinkStore
    let queue: MailQueue
    let clock: WallClock
    private let languages = AccountLanguage()

    init(issuer: String, store: TokenStore, links: AccountLinkStore, queue: MailQueue, clock: WallClock) {
        (self.issuer, self.store, self.links, self.queue, self.clock) = (issuer, store, links, queue, clock)
    }

    var areSent: Bool { queue.isOn }

    /// Which language a person reads, from the browser in which they log in.
    public func note(language: String?, of account: UUID, in transaction: any SQLExecutor) async throws {
        guard queue.isOn, let language else { return }
        try await languages.set(language, of: account, in: transaction)
    }

    /// A phone has its person's first token. `known`: it had one before.
    func deviceAdded(_ instance: AppInstance, to account: Account, in transaction: any SQLExecutor) async throws {
        let name = instance.name ?? instance.deviceType ?? instance.app
        try await tell(.device, account, subject: name, cut: .device(instance: instance.id), in: transaction)
    }

    /// Somebody is in by a browser from which the account was never used. `device` is what that says of itself.
    func browserEntered(
        _ session: String, device: String?, as account: Account, in transaction: any SQLExecutor
    ) async throws {
        try await tell(.browser, account, subject: device, cut: .browser(session: session), in: transaction)
    }

    /// A person logs in with something new: `name` is the factor's, `id` what it is called there.
    public func factorAdded(_ name: String, id: String, to account: Account, in executor: any SQLExecutor) async throws
    {
        try await tell(.factor, account, subject: name, cut: .factor(name: name, id: id), in: executor)
    }

    /// Their person took away what they logged in with, or somebody in their browser did.
    public func factorRemoved(_ name: String, from account: Account, in transaction: any SQLExecutor) async throws {
        try await tell(.factorRemoved, account, subject: name, cut: .removal(name: name), in: transaction)
    }

    public func passwordChanged(of account: Account, in transaction: any SQLExecutor) async throws {
        try await tell(.password, account, cut: .password, in: transaction)
    }

    /// To the address that it was: whoever has the new one knows.
    public func addressChanged(
        of account: Account, from before: String?, to now: String, in transaction: any SQLExecutor
    ) async throws {
        guard let before, before.lowercased() != now.lowercased() else { return }
        try await tell(.address, account, to: before, subject: now, cut: .address(before: before), in: transaction)
    }

    /// An app that its person does not use is disconnected at `end`, unless they open it before: nothing to end for
    /// somebody else, so there is no link that does.
    public func deviceIdle(_ instance: AppInstance, until end: Date, in transaction: any SQLExecutor) async throws {
        guard queue.isOn, let id = instance.account,
            let account = try await AccountStore(clock: clock).find(id, in: transaction), let to = account.email
        else { return }
        let mail = QueuedMail(
            .idle, to: to, name: account.username, language: try await languages.find(account.id, in: transaction),
            at: end, subject: instance.name ?? instance.deviceType ?? instance.app, link: "\(issuer)/account")
        try await queue.add(mail, of: account.id, in: transaction)
    }

    /// A link that ends something hangs from the epoch alone: it takes away, and gives nothing, so it is good although
    /// the account was suspended and let in again meanwhile.
    private func tell(
        _ kind: QueuedMail.Kind, _ account: Account, to address: String? = nil, subject: String? = nil, cut: Cut,
        in executor: any SQLExecutor
    ) async throws {
        guard queue.isOn, let to = address ?? account.email else { return }
        let epoch = try await store.generations(of: [.epoch], in: executor)
        let secret = try await links.open(.cut, of: account.id, below: epoch, detail: cut.detail, in: executor)
        let mail = QueuedMail(
            kind, to: to, name: account.username, language: try await languages.find(account.id, in: executor),
            at: clock.now(), subject: subject, cut: "\(issuer)/recover/cut?link=\(secret)")
        try await queue.add(mail, of: account.id, in: executor)
    }
}
