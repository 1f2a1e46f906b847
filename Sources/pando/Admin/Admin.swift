import ArgumentParser

/// `pando admin`: design/cli.md.
struct Admin: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Administer the federation: people, apps, instances, services, tokens.",
        discussion: "stdout is the result, stderr everything else. --json may stand anywhere; --dry-run shows what a change would do.",
        subcommands: [
            AccountsCommand.self, AppsCommand.self, InstancesCommand.self, ServicesCommand.self, ClientsCommand.self, TokensCommand.self, TreeCommand.self,
            TiqrCommand.self, OperationsCommand.self, PasskeysCommand.self, WalletsCommand.self, KeysCommand.self, CrawlCommand.self, EventsCommand.self,
            AuditCommand.self, EpochCommand.self,
        ]
    )
}

enum AdminArguments {
    /// `--json` may stand anywhere after `admin`; it is moved to where ArgumentParser looks for it.
    static func normalised(_ arguments: [String]) -> [String] {
        guard arguments.first == "admin" else { return arguments }
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        let head = arguments[..<end]
        guard head.contains("--json") else { return arguments }
        return head.filter { $0 != "--json" } + ["--json"] + arguments[end...]
    }
}
