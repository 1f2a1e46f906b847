import Accounts
import Base
import Database
import Foundation

/// Who may run which command on what: the one place that is asked before a command runs for somebody who is not at the
/// database. docs/design/roles.md has the table.
public enum AdminPermissions {
    static let notTheirs = AdminFailure(.forbidden, "your roles do not let you do this")

    /// Whether somebody may run it on something, for menus: what it works on is asked when it runs.
    public static func mayRun(_ entry: AdminEntry, _ authority: AdminAuthority) -> Bool {
        if authority.isAdministrator || entry.rule?.audience == .anybody { return true }
        if authority.seesEverything, !entry.isChange || entry.rule?.looksWithout != nil {
            return entry.rule?.tellsSecret != true
        }
        return authority.grants.contains { entry.rule?.admits($0.role) == true }
    }

    /// The same for a place in a menu, which names nothing: who sees not everything has to name what some lists are of.
    public static func mayOpen(_ entry: AdminEntry, _ authority: AdminAuthority) -> Bool {
        let isOfNamed = entry.words.last == "list" && entry.rule?.targets.contains(where: \.isNeeded) == true
        return mayRun(entry, authority) && (authority.seesEverything || !isOfNamed)
    }

    /// What is made belongs to the only institution of whoever makes it, unless they say otherwise.
    static func completed(_ arguments: JSONObject, _ entry: AdminEntry, _ authority: AdminAuthority) -> JSONObject {
        let makes = entry.rule?.targets.contains { target in
            guard case .made = target.kind else { return false }
            return target.condition.map { AdminRule.isGiven($0, arguments) } ?? true
        }
        guard makes == true, !authority.isAdministrator, authority.institutions.count == 1,
            !AdminRule.isGiven("institution", arguments)
        else { return arguments }
        var completed = arguments
        completed["institution"] = authority.institutions.first.map(JSONValue.string)
        return completed
    }

    /// Throws `AdminFailure`: `forbidden` where no role of theirs is for such a thing, `not_found` where the thing is
    /// not theirs, as where it is not there at all. For a change, in its transaction.
    static func admit(_ entry: AdminEntry, _ arguments: JSONObject, in session: AdminSession) async throws {
        let authority = session.authority
        if authority.isAdministrator { return }
        let rule = entry.rule, looks = !entry.isChange || rule?.onlyLooks(arguments) == true
        if authority.seesEverything, looks, rule?.tellsSecret != true { return }
        guard let rule, rule.audience == .anybody || authority.grants.contains(where: { rule.admits($0.role) }) else {
            throw notTheirs
        }
        if let member = rule.withheld.first(where: { AdminRule.isGiven($0, arguments) }) {
            throw AdminFailure(.forbidden, "only the federation's administrators say \(member)")
        }
        let scopes = arguments["scope"].map { $0.strings ?? [$0.string ?? ""] } ?? []
        if let scope = scopes.first(where: { isOfAdministration($0) }) {
            throw AdminFailure(.forbidden, "only the federation's administrators give the scope \(scope.prefix(80))")
        }
        let check = AdmissionCheck(
            rule: rule, arguments: arguments, session: session, isChange: entry.isChange && !looks)
        for target in rule.targets { try await check.admit(target) }
    }

    /// What destroys needs a login that is not old (RFC 9470): somebody may have left their browser open.
    public static func requireFreshLogin(in session: AdminSession) throws {
        guard session.authority.needsLogin else { return }
        let age = session.authority.authenticatedAt.map { session.now.timeIntervalSince($0) } ?? .infinity
        guard age > session.stepUpAge else { return }
        throw AdminFailure(
            .stepUp, "this destroys something, so log in anew", hint: "--dry-run shows what it would end",
            maxAge: Int(session.stepUpAge))
    }

    /// Scopes by which whoever has them administers, whatever their place in a list.
    private static func isOfAdministration(_ scope: String) -> Bool {
        scope.split(separator: " ").contains { $0.hasPrefix("admin") || $0.hasPrefix("scim") }
    }
}
