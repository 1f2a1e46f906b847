import Base

/// Who may run which command on what: the one place that is asked before a command runs for somebody who is not at the
/// database. docs/design/roles.md has the table.
public enum AdminPermissions {
    /// Throws `AdminFailure` of code `forbidden`.
    static func admit(
        _ command: any AdminCommand, _ entry: AdminEntry, _ arguments: JSONObject, in session: AdminSession
    ) async throws {
        if session.authority.isAdministrator || (!entry.isChange && session.authority.seesEverything) { return }
        throw AdminFailure(.forbidden, "your roles do not let you do this")
    }
}
