import Accounts
import ArgumentParser
import Base
import Foundation
import TokenTree

/// `audit list`: who did what, when, from where, why.
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "audit", abstract: "The audit trail.", subcommands: [List.self])

    struct List: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "List the audit trail, newest first.")
        @Option(help: "A node, as for `tokens revoke`.") var node: String?
        @Option(help: "Username or UUID.") var account: String?
        @Option(help: "RFC 3339.") var since: String?
        @OptionGroup var list: ListOptions
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            let since = try self.since.map { text in
                guard let date = Date(rfc3339: text) else { throw AdminFailure(.invalid, "--since takes RFC 3339, e.g. 2026-11-21T08:00:00Z") }
                return date
            }
            let owner = try await AccountsCommand.id(account, session)
            let found = try await AuditTrail.list(node: try await label(session), account: owner, since: since, after: list.after.flatMap { Int64($0) }, limit: list.limit + 1, in: session.executor)
            return .page(found, limit: list.limit, cursor: { String($0.id) }, json: \.json)
        }

        /// An account is kept by its UUID; what no longer exists keeps its name.
        private func label(_ session: AdminSession) async throws -> String? {
            guard let node else { return nil }
            return (try? await NodeName(node, session).node.label) ?? node
        }
    }
}
