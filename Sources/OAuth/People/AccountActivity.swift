import Accounts
import Base
import Database
import Federation
import Foundation
import Registration
import TokenTree
import Vocabulary

/// What happened at an account of late, from the audit trail, and what its person can do about a line that was not
/// them.
public final class AccountActivity: Sendable {
    /// Lines that are shown.
    public static let most = 60

    public enum Kind: String, Sendable, CaseIterable {
        case login, loginAgain, appLogin, newPhone, refusedLogin, passwordChanged, refusedPassword, consent
        case phoneChanged, ended, factorChanged, byOperator, other
        /// By a link in a mail: another password, the first, the end of what somebody else did.
        case passwordReset, firstPassword, cutByMail
        case addressChanged, addressVerified, codesMade, codesUsed, codesRemoved
        case branchEnded, consentWithdrawn, exported, listEmptied, refusedDeletion
        /// By an operator: a link for the first password, and services that the person may not use, or may again.
        case invited, refusedAtService, allowedAtService

        var isByOperator: Bool {
            switch self {
            case .byOperator, .invited, .refusedAtService, .allowedAtService: true
            default: false
            }
        }

        /// Somebody tried, and came to nothing.
        public var isRefusal: Bool {
            switch self {
            case .refusedLogin, .refusedPassword, .refusedDeletion: true
            default: false
            }
        }
    }

    public struct Entry: Sendable {
        /// For its person alone.
        public let id: String
        public let kind: Kind
        public let at: Date
        /// The network of the address from which it came: the /24 of an IPv4, the /48 of an IPv6 one. `nil` where there
        /// was none.
        public let place: String?
        /// How often within the minute.
        public let count: Int
        /// What it was done by or to.
        public let subject: Subject?
        /// What it was about, as people call it.
        public let names: [Name]
        /// As the audit trail calls it.
        public let action: String
    }

    public enum Subject: Sendable, Equatable {
        case instance(String), session(String), client(String), browsers
    }

    public enum Name: Sendable, Equatable {
        case text(String)
        /// What a browser says of itself.
        case browser(String)
    }

    /// What a line names: `kind` is the first word of a node, or what the line calls it.
    private struct Topic: Hashable { let kind: String, id: String }

    /// What is there still of an entry, and can be ended.
    public enum Cut: Sendable, Equatable {
        case phone(id: String, name: String?)
        case browser(id: String, device: String?)
        case application(id: String, name: String)
        /// It was done in a browser, and the trail does not say in which.
        case browsers
    }

    let database: Database
    let names: PairwiseNames
    let own: OwnAccount
    /// First words of actions of what one logs in with.
    private let factors: Set<String>

    init(database: Database, names: PairwiseNames, own: OwnAccount, factors: Set<String>) {
        (self.database, self.names, self.own, self.factors) = (database, names, own, factors)
    }

    /// Newest first.
    public func list(_ account: UUID) async throws -> [Entry] {
        let person = account.uuidString.lowercased()
        let nodes: SQL = """
            select 'instance:' || i.id from app_instance i where i.account = \(account)
            union all
            select 'session:' || s.id from browser_session s where s.account = \(account)
            """
        let lines = try await PersonTrail.list(account, nodes: nodes, limit: AccountActivity.most, in: database)
        let known = try await titles(Set(lines.flatMap { topics($0, person) }), of: account)
        return lines.map { line in
            // Not by its cursor: a line that is still being counted gets another.
            let label = ["activity", line.at.rfc3339, line.action, line.outcome, line.node ?? "", line.actor]
            let kind = kind(line)
            return Entry(
                id: names.branch(label.joined(separator: "\u{0}"), of: account), kind: kind, at: line.at,
                // Where operators sit is nobody's business.
                place: kind.isByOperator ? nil : AccountActivity.place(line.origin), count: line.count,
                subject: subject(line, kind, person), names: topics(line, person).flatMap { known[$0] ?? [] },
                action: line.action)
        }
    }

    /// Throws 404 for what is no line of this person's, or is too old to be shown.
    public func find(_ id: String, of account: UUID) async throws -> Entry {
        guard let entry = try await list(account).first(where: { $0.id == id }) else {
            throw OAuthError(.notFound, "no such activity of yours")
        }
        return entry
    }

    /// `nil` where nothing of it is there any more, or never was: a refused login let nobody in.
    public func cut(_ entry: Entry, of account: UUID) async throws -> Cut? {
        switch entry.subject {
        case .instance(let id)?:
            guard let instance = try await own.instances.find(id, in: database), instance.account == account,
                !instance.isRevoked
            else { return nil }
            return .phone(id: id, name: instance.name ?? instance.deviceType)
        case .session(let id)?:
            return try await own.sessions.list(of: account, in: database).first { $0.id == id }
                .map { .browser(id: id, device: $0.device) }
        case .client(let id)?:
            return try await own.consents.list(of: account, in: database).first { $0.client.id == id }
                .map { .application(id: id, name: $0.client.name) }
        case .browsers?:
            return try await own.sessions.ids(of: account, in: database).count > 1 ? .browsers : nil
        case nil: return nil
        }
    }

    /// An address as precisely as it tells where somebody was.
    static func place(_ origin: String?) -> String? {
        guard let address = origin.flatMap({ IPAddress($0) })?.unmapped else { return nil }
        let kept = address.isIPv6 ? 6 : 3
        let zeros = [UInt8](repeating: 0, count: address.bytes.count - kept)
        return "\(IPAddress(bytes: Array(address.bytes.prefix(kept)) + zeros))/\(kept * 8)"
    }

    private func kind(_ line: PersonTrailLine) -> Kind {
        if line.actor.hasPrefix("admin:") { return AccountActivity.byOperator[line.action] ?? .byOperator }
        let isRefused = line.outcome == "refused"
        if !isRefused, let kind = AccountActivity.byAction[line.action] { return kind }
        return switch line.action {
        case "login" where isRefused: .refusedLogin
        case "login.app" where isRefused: .refusedLogin
        case "login": .login
        case "login.again": .loginAgain
        case "login.app": line.isFirst ? .newPhone : .appLogin
        case "password": isRefused ? .refusedPassword : .passwordChanged
        case "consent", "consent.device": .consent
        case "account.delete" where isRefused: .refusedDeletion
        case let action where factors.contains(String(action.prefix { $0 != "." })):
            isRefused ? .refusedLogin : .factorChanged
        default: .other
        }
    }

    /// What operators do that has a name of its own.
    private static let byOperator: [String: Kind] = [
        "accounts.invite": .invited, "accounts.refuse": .refusedAtService, "accounts.allow": .allowedAtService,
    ]

    /// Actions that are what they are, whatever else stands in the line.
    private static let byAction: [String: Kind] = [
        "instances.change": .phoneChanged, "revoke": .ended, "branches.end": .branchEnded,
        "consent.withdraw": .consentWithdrawn, "password.reset": .passwordReset, "password.first": .firstPassword,
        "email.change": .addressChanged, "email.verify": .addressVerified, "recovery.make": .codesMade,
        "recovery.use": .codesUsed, "recovery.remove": .codesRemoved, "account.cut": .cutByMail,
        "account.export": .exported, "disclosures.empty": .listEmptied,
    ]

    /// Who did it: of logins and of what was allowed that is the node of the line. Elsewhere the node is what it was
    /// done to, which is the last thing to end.
    private func subject(_ line: PersonTrailLine, _ kind: Kind, _ person: String) -> Subject? {
        switch kind {
        case _ where kind.isByOperator || kind.isRefusal: return nil
        case .login, .loginAgain, .appLogin, .newPhone, .consent: return subject(line.node, person)
        default:
            if line.actor == "account:\(person)" || line.actor.hasPrefix("browser:") { return .browsers }
            return subject(line.actor, person)
        }
    }

    /// What the line itself names, by identifiers. Of refusals nothing: whoever knows a username brings these about,
    /// with a phone that they call what they like.
    private func topics(_ line: PersonTrailLine, _ person: String) -> [Topic] {
        guard !kind(line).isRefusal else { return [] }
        var topics: [Topic] = []
        let node = (line.node ?? "").split(separator: ":", maxSplits: 1).map(String.init)
        if node.count == 2 {
            let own = node[1].hasPrefix(person + "/") ? String(node[1].dropFirst(person.count + 1)) : nil
            switch (node[0], own) {
            case ("instance", _), ("session", _): topics.append(Topic(kind: node[0], id: node[1]))
            case ("grant", let client?): topics.append(Topic(kind: "client", id: client))
            case ("use", let service?): topics.append(Topic(kind: "service", id: service))
            default: break
            }
        }
        for kind in ["client", "service", "bundle"] {
            if let id = line.detail[kind]?.string { topics.append(Topic(kind: kind, id: id)) }
        }
        return topics
    }

    /// Of phones and browsers those that are this person's. What is gone has no name any more; a third-party app that
    /// this federation does not know is called what the tree calls it.
    private func titles(_ topics: Set<Topic>, of account: UUID) async throws -> [Topic: [Name]] {
        guard !topics.isEmpty else { return [:] }
        func ids(_ kind: String) -> [String] { topics.filter { $0.kind == kind }.map(\.id).sorted() }
        let rows = try await database.query(
            """
            select 'instance' as kind, i.id, coalesce(i.name, i.device_type) as name, a.name as app
            from app_instance i join app a on a.id = i.app
            where i.account = \(account) and i.id = any (\(ids("instance")))
            union all
            select 'session', b.id, b.device, null from browser_session b
            where b.account = \(account) and b.id = any (\(ids("session")))
            union all
            select 'client', c.id, c.name, null from client c where c.id = any (\(ids("client")))
            union all
            select 'service', s.id, s.name, null from service s where s.id = any (\(ids("service")))
            union all
            select 'bundle', w.id, coalesce(a.name, w.id), null
            from unnest(\(ids("bundle"))) as w (id) left join app a on a.id = w.id
            """)
        var titles: [Topic: [Name]] = [:]
        for row in rows {
            let (kind, id): (String, String) = (try row("kind"), try row("id"))
            let (name, app): (String?, String?) = (try row("name"), try row("app"))
            let texts = [name, app].compactMap(\.self)
            titles[Topic(kind: kind, id: id)] = texts.map { kind == "session" ? Name.browser($0) : Name.text($0) }
        }
        return titles
    }

    private func subject(_ label: String?, _ person: String) -> Subject? {
        let parts = (label ?? "").split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { return nil }
        switch parts[0] {
        case "instance": return .instance(parts[1])
        case "session": return .session(parts[1])
        case "grant" where parts[1].hasPrefix(person + "/"):
            return .client(String(parts[1].dropFirst(person.count + 1)))
        default: return nil
        }
    }
}
