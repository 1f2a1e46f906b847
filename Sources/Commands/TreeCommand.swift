import Administration
import ArgumentParser
import Base
import Foundation
import OAuth
import Registration
import TokenTree

/// `tree show`: what hangs below a node, here and at the built-in services.
struct TreeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tree", abstract: "Look at the token tree.", subcommands: [Show.self])

    struct Show: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "Show what hangs below a node.")
        @Argument(help: "A node, as for `tokens revoke`.") var node: String
        @Option(help: "How many levels.") var depth = 10
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            let named = try await NodeName(node, session)
            if let token = named.token { return .object(try await below(token, session)) }
            guard case .virtual(let ancestor) = named.node else {
                throw AdminFailure(.notFound, "\(node) does not exist")
            }
            return .object(try await below(ancestor, session))
        }

        private func below(_ token: TokenRow, _ session: AdminSession) async throws -> JSONObject {
            let view = TreeView(store: session.store)
            let rows = try await view.tokens(below: [token.family], anchors: [token.body.anchor], in: session.executor)
            return try await forest(rows, session).first?.object ?? [:]
        }

        private func below(_ ancestor: Ancestor, _ session: AdminSession) async throws -> JSONObject {
            let view = TreeView(store: session.store)
            let generations = try await view.generations(of: ancestor, in: session.executor)
            let isOpen = try await view.generation(of: ancestor, in: session.executor) != nil
            let earlier = try await EarlierUses.tokens(of: ancestor, at: session.now, in: session.executor)
            let rows = try await view.tokens(below: generations + earlier, in: session.executor)
            let trees = try await forest(rows, session)
            let children = ancestor.kind == .version ? try await instances(of: ancestor.name, trees, session) : trees
            return Show.virtual(
                ancestor, status: isOpen ? "live" : generations.isEmpty ? "live" : "revoked", children: children)
        }

        /// Tokens by parent; those of built-in services hang from the pseudonym of their assertion.
        private func forest(_ rows: [TokenRow], _ session: AdminSession) async throws -> [JSONValue] {
            let composition = try session.composition, names = composition.names, issuer = composition.settings.root
            var aliases: [NodeID: NodeID] = [:], anchors: Set<NodeID> = []
            for row in rows where row.body.kind == .assertion {
                guard let service = row.body.service else { continue }
                aliases[ForeignNode.id(names.node(row.id, at: service), of: issuer)] = row.id
                anchors.insert(ForeignNode.id(names.node(row.body.anchor, at: service), of: issuer))
            }
            let housed = try await TreeView(store: session.store).tokens(anchors: Array(anchors), in: session.executor)
                .filter { row in row.lineage.contains { aliases[$0] != nil } }
            return TreeView.forest(rows + housed, aliases: aliases, depth: depth, at: session.now)
        }

        /// Between a version and its tokens stand the instances.
        private func instances(
            of version: String, _ trees: [JSONValue], _ session: AdminSession
        ) async throws -> [JSONValue] {
            let byClient = Dictionary(grouping: trees) { $0["client_id"]?.string ?? "" }
            let store = InstanceStore(clock: session.clock)
            return try await byClient.sorted { $0.key < $1.key }.asyncMap { id, children in
                let status = try await store.find(id, in: session.executor)?.status ?? "revoked"
                return .object(
                    Show.virtual(
                        Ancestor(.instance, id), status: status == "live" ? "live" : "revoked", children: children))
            }
        }

        private static func virtual(_ ancestor: Ancestor, status: String, children: [JSONValue]) -> JSONObject {
            [
                "node": .string(ancestor.label), "kind": .string(ancestor.kind.rawValue), "status": .string(status),
                "issued_at": .null, "expires_at": .null,
                "client_id": ancestor.kind == .instance ? .string(ancestor.name) : .null, "account": .null,
                "service": .null, "children": .array(children),
            ]
        }
    }
}
