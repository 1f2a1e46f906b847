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

extension InstitutionsCommand.Create {
    static var example: String? { "example.org --name University --domain example.org" }
}

extension InstitutionsCommand.Update {
    static var example: String? { "example.org --domain example.net" }
}

extension RolesCommand.Grant {
    static var example: String? { "grace institution-administrator --institution example.org" }
}

extension RolesCommand.Withdraw {
    static var example: String? { "grace institution-administrator --institution example.org" }
}

extension AccountsCommand.Export {
    static var example: String? { "--institution example.org" }
}

extension AppsCommand.Versions.Update {
    static var example: String? { "org.example.app 7 --note beta" }
}

extension ServicesCommand.Propose {
    static var example: String? { "https://learn.example.org --claim email --why notices" }
}

extension ServicesCommand.Proposals.Accept {
    static var example: String? { "PROPOSAL --claim email --id learn" }
}

extension AuditCommand.Show {
    static var example: String? { "4711" }
}

extension AuditCommand.Prove {
    static var example: String? { "version:org.example.app.7 --at 2026-11-21T08:00:00Z" }
}

extension StatisticsCommand.Show {
    static var example: String? { "--since 7d --step day" }
}
