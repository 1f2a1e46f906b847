import Accounts
import Base
import Database
import Foundation

/// Who may run a command on what, besides the federation's own roles: administrators run all of them, auditors those
/// that look and tell no secret. A command without a rule is the federation's.
public struct AdminRule: Sendable {
    /// Whom it is for, of those whose role is of a part of the federation.
    public enum Audience: Sendable, Equatable {
        /// Nobody: the rule says something of auditors.
        case nobody
        case institutions
        case institutionsAndOwners
        /// Anybody who is logged in, with a role or without: what is not theirs, the command itself does not show.
        case anybody
    }

    public let words: String
    let audience: Audience
    let targets: [AdminTarget]
    /// Members that only the federation may say.
    let withheld: [String]
    /// Not for auditors.
    let tellsSecret: Bool
    /// A change that only looks where this member is missing.
    let looksWithout: String?

    private init(
        _ words: String, _ audience: Audience, _ targets: [AdminTarget], withheld: [String] = [],
        tellsSecret: Bool = false, looksWithout: String? = nil
    ) {
        (self.words, self.audience, self.targets, self.withheld) = (words, audience, targets, withheld)
        (self.tellsSecret, self.looksWithout) = (tellsSecret, looksWithout)
    }

    /// For administrators of the institution that what is named belongs to. Without a name, the command shows no more
    /// than `AdminAuthority.visible`.
    public static func institutions(
        _ words: String, _ targets: AdminTarget..., withholding withheld: [String] = []
    ) -> AdminRule {
        AdminRule(words, .institutions, targets, withheld: withheld)
    }

    /// For owners of the service that is named, too.
    public static func owners(
        _ words: String, _ targets: AdminTarget..., withholding withheld: [String] = [], looksWithout: String? = nil
    ) -> AdminRule {
        AdminRule(words, .institutionsAndOwners, targets, withheld: withheld, looksWithout: looksWithout)
    }

    public static func anybody(_ words: String) -> AdminRule { AdminRule(words, .anybody, []) }

    /// A query that auditors may not run either.
    public static func secret(_ words: String) -> AdminRule { AdminRule(words, .nobody, [], tellsSecret: true) }

    /// Whether roles of this kind run it on something.
    func admits(_ role: Role) -> Bool {
        switch (audience, role) {
        case (.nobody, _): false
        case (_, .administrator), (.anybody, _): true
        case (_, .institutionAdministrator): true
        case (.institutionsAndOwners, .serviceOwner): true
        case (_, .auditor), (_, .serviceOwner): false
        }
    }

    /// Whether these arguments change nothing.
    func onlyLooks(_ arguments: JSONObject) -> Bool {
        looksWithout.map { !AdminRule.isGiven($0, arguments) } ?? false
    }

    /// It gives a role.
    var grants: Bool {
        targets.contains { target in
            guard case .granted = target.kind else { return false }
            return true
        }
    }

    static func isGiven(_ member: String, _ arguments: JSONObject) -> Bool {
        switch arguments[member] {
        case nil, .null, .bool(false): false
        case .array(let items): !items.isEmpty
        default: true
        }
    }

    /// A line of docs/design/roles.md.
    var row: String {
        func cell(_ role: Role) -> String {
            if audience == .anybody { return "yes" }
            return admits(role) ? (targets.isEmpty ? "shows theirs" : "theirs") : "–"
        }
        let found = targets.map(\.text).joined(separator: ", ")
        let held = withheld.map { "`\($0)`" }.joined(separator: ", ")
        return "| `\(words)` | \(cell(.institutionAdministrator)) | \(cell(.serviceOwner)) | \(found) | \(held) |"
    }
}

/// By which argument what a command works on is found, and of what kind it is.
public struct AdminTarget: Sendable {
    /// The account that a thing of a product is for; `nil` where there is no such thing, or it is nobody's.
    public typealias Find = @Sendable (_ name: String, _ executor: any SQLExecutor) async throws -> UUID?

    enum Kind: Sendable {
        case account, service, app, client, instance, institution, node, token
        /// What is made belongs to the institution that the member names.
        case made
        /// The institution or service of a role, and whom it is given to.
        case granted, withdrawn
        case thing(Find)
    }

    let kind: Kind
    let member: String
    /// Without the member, there is no target, and the command is for them all the same.
    private(set) var isOptional = false
    /// Where this member is there.
    private(set) var condition: String?

    private init(_ kind: Kind, _ member: String) { (self.kind, self.member) = (kind, member) }

    /// Without its member, nobody of a part of the federation runs the command.
    var isNeeded: Bool { !isOptional && condition == nil }

    public static let account = AdminTarget(.account, "account")
    public static let service = AdminTarget(.service, "service")
    public static let services = AdminTarget(.service, "services")
    public static let app = AdminTarget(.app, "app")
    public static let client = AdminTarget(.client, "id")
    public static let instance = AdminTarget(.instance, "id")
    public static let institution = AdminTarget(.institution, "institution")
    public static let node = AdminTarget(.node, "node")
    public static let token = AdminTarget(.token, "token")
    public static let made = AdminTarget(.made, "institution")
    static let granted = AdminTarget(.granted, "role")
    static let withdrawn = AdminTarget(.withdrawn, "role")

    /// What a product keeps for an account.
    public static func thing(_ member: String, find: @escaping Find) -> AdminTarget {
        AdminTarget(.thing(find), member)
    }

    public var whereNamed: AdminTarget {
        var target = self
        target.isOptional = true
        return target
    }

    func with(_ member: String) -> AdminTarget {
        var target = self
        target.condition = member
        return target
    }

    fileprivate var text: String {
        "`\(member)`" + (isOptional ? " where named" : "") + (condition.map { " with `\($0)`" } ?? "")
    }
}
