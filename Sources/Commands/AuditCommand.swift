import Accounts
import Administration
import ArgumentParser
import Base
import Foundation
import TokenTree

/// `audit …`: who did what, when, from where, why; and that nobody has changed it since (docs/audit.md).
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "The audit trail.",
        subcommands: [List.self, Show.self, Verify.self, Prove.self, Heads.self, Export.self, Chain.self])

    struct List: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "List the audit trail, newest first.")
        @Option(help: "A node, as for `tokens revoke`.") var node: String?
        @Option(help: "Username or UUID.") var account: String?
        @Option(help: "An action with all below it: login is login.app too.") var action: String?
        @Option(help: "done, refused, …") var outcome: String?
        @Option(help: "Who did it, e.g. admin:root.") var actor: String?
        @Option(help: "From this moment on; RFC 3339.") var since: String?
        @Option(help: "Before this moment; RFC 3339.") var until: String?
        @OptionGroup var list: ListOptions
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            var filter = AuditFilter(
                node: try await label(session), account: try await owner(session), action: action, outcome: outcome,
                actor: actor,
                since: try List.time(since, "--since"), until: try List.time(until, "--until"), after: try cursor(),
                limit: list.limit + 1
            )
            if let visible = session.authority.visible { filter.visible = visible.lines }
            let found = try await AuditTrail.list(filter, in: session.executor)
            return .page(found, limit: list.limit, cursor: { String($0.id) }, json: \.json)
        }

        private func cursor() throws -> Int64? {
            guard let after = list.after else { return nil }
            guard let id = Int64(after) else { throw AdminFailure(.invalid, "--after takes what `next` gave") }
            return id
        }

        private static func time(_ text: String?, _ option: String) throws -> Date? {
            guard let text else { return nil }
            guard let date = Date(rfc3339: text) else {
                throw AdminFailure(.invalid, "\(option) takes RFC 3339, e.g. 2026-11-21T08:00:00Z")
            }
            return date
        }

        /// Lines outlive the account that they are about, so a UUID is taken as it is.
        private func owner(_ session: AdminSession) async throws -> UUID? {
            if let id = account.flatMap({ UUID(uuidString: $0) }) { return id }
            return try await session.accountID(account)
        }

        private func label(_ session: AdminSession) async throws -> String? {
            guard let node else { return nil }
            return await AuditCommand.label(node, session)
        }
    }

    /// An account is kept by its UUID; what no longer exists keeps its name.
    static func label(_ node: String, _ session: AdminSession) async -> String {
        (try? await NodeName(node, session).node.label) ?? node
    }
}
