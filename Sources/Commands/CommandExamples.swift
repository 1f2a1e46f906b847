/// Calls of commands for which what they need is no good example, or none at all: one that changes something has to be
/// told what.
extension AccountsCommand.Invite {
    static var example: String? { "--username grace --email grace@example.org --language fr" }
}

extension AccountsCommand.List {
    static var example: String? { "--query example.org --sort -created_at" }
}

extension AccountsCommand.Update {
    static var example: String? { "grace --email grace@example.org --require-factor any" }
}

extension AppsCommand.Update {
    static var example: String? { "org.example.app --claim email --claim name" }
}

extension InstancesCommand.List {
    static var example: String? { "--account grace --status live -o wide" }
}

extension ClientsCommand.Update {
    static var example: String? { "CLIENT_ID --web-origin https://app.example.org" }
}

extension TokensCommand.Revoke {
    static var example: String? { "version:org.example.app.7 --dry-run" }
}

extension EventsCommand.Status {
    static var example: String? { "--watch 5" }
}

extension AuditCommand.List {
    static var example: String? { "--account grace --since 2026-11-21T08:00:00Z -o json" }
}

extension ServicesUpdateCommand {
    static var example: String? { "learn --claim email --notify push" }
}
