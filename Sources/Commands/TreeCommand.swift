import Administration
import ArgumentParser
import Base
import Foundation
import OAuth
import Registration
import TokenTree

/// `tree …`: what hangs below a node, here and at the built-in services.
struct TreeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tree", abstract: "Look at the token tree.", subcommands: [Show.self, Find.self])

    struct Show: AdminQuery {
        static let configuration = CommandConfiguration(
            abstract: "Show what hangs below a node.",
            discussion:
                """
                A part of it, where there is much: more says how many children of a node are not told, null that \
                nobody counted them; is_least that there are more than that. Go on by --after, or with one of the \
                children.
                """
        )
        @Argument(help: "A node, as for `tokens revoke`.") var node: String
        @Option(help: "How many levels.") var depth = 10
        @Option(help: "How many children of a node are told.") var limit = 100
        @Option(help: "Go on after this cursor.") var after: String?
        @OptionGroup var common: AdminOptions

        func validate() throws {
            guard (1...1_000).contains(limit) else { throw ValidationError("--limit takes 1 to 1000") }
            guard (0...50).contains(depth) else { throw ValidationError("--depth takes 0 to 50") }
        }

        func answer(_ session: AdminSession) async throws -> AdminResult {
            let named = try await NodeName(node, session)
            let growth = try TreeGrowth(session, depth: depth, limit: limit, after: after)
            if let token = named.token { return .object(try await growth.below(token)) }
            guard case .virtual(let ancestor) = named.node else {
                throw AdminFailure(.notFound, "\(node) does not exist")
            }
            return .object(try await growth.below(ancestor))
        }
    }

    /// Who looks for a person by name, or has a jti from a log, knows no kind of node.
    struct Find: AdminQuery {
        static let configuration = CommandConfiguration(
            abstract: "Find the nodes that a text may mean: a username, an app, a service, a client_id, a jti.")
        static let route: AdminRoute? = AdminRoute("GET", "/tree/find")
        @Argument(help: "A node, or a name of one.") var text: String
        @OptionGroup var common: AdminOptions

        /// In the order in which people mean them.
        private static let kinds: [Ancestor.Kind] = [
            .account, .service, .client, .instance, .version, .key, .session, .bundle,
        ]

        func answer(_ session: AdminSession) async throws -> AdminResult {
            var found: [JSONValue] = []
            func add(_ node: String) async throws {
                do {
                    let named = try await NodeName(node, session)
                    found.append([
                        "node": .string(named.token.map { "token:\($0.id)" } ?? named.node.label),
                        "kind": .string(named.token?.body.kind.rawValue ?? String(node.prefix { $0 != ":" })),
                        "name": .string(named.token == nil ? String(node.drop { $0 != ":" }.dropFirst()) : text),
                    ])
                } catch let failure as AdminFailure where [.notFound, .usage].contains(failure.code) {}
            }
            let word = text.trimmingCharacters(in: .whitespacesAndNewlines)
            guard !word.isEmpty, word.utf8.count <= 300, !word.utf8.contains(0) else {
                throw AdminFailure(.usage, "a text of 1 to 300 bytes")
            }
            if word.contains(":") { try await add(word) }
            for kind in Find.kinds { try await add("\(kind.rawValue):\(word)") }
            if NodeID(word) != nil { try await add("token:\(word)") }
            let versions = try await AppStore(clock: session.clock).versions(
                of: word, after: nil, limit: 50, in: session.executor)
            for version in versions {
                try await add("version:\(version.id)")
            }
            return .list(found, next: nil)
        }
    }
}
