import Administration
import ArgumentParser
import Base
import Federation
import Foundation
import Keys
import Registration
import TokenTree

extension AdminSession {
    /// The service whose own client this is.
    func service(of client: String) async throws -> String? {
        try await ServiceIndex(clock: clock).find(client: client, in: executor)?.id
    }
}

/// `tokens …`: revoking, and telling why something does not live.
struct TokensCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokens", abstract: "Revoke a node; tell why a token lives or not.",
        subcommands: [Revoke.self, Why.self])

    struct Revoke: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "End a node and all below it, at once.",
            discussion:
                """
                NODE is version:APP.VERSION, instance:ID, key:THUMBPRINT, account:NAME, password:NAME, \
                client:ID, service:ID, use:NAME/SERVICE, bundle:ID, admission:SERVICE/BUNDLE or token:JTI.
                """
        )
        @Argument var node: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions
        var question: String? {
            "End \(node) and all below it?" + (node.hasPrefix("version:") ? " Its instances can register again." : "")
        }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let named = try await NodeName(node, session).node
            var result = try await RevocationReport.revoke(named, session).object ?? [:]
            result["hint"] = try await registersAgain(named, session).map(JSONValue.string)
            return result
        }

        /// Ending a version does not keep it out, which who revokes one may have meant.
        private func registersAgain(_ named: Node, _ session: AdminSession) async throws -> String? {
            guard case .virtual(let ancestor) = named, ancestor.kind == .version,
                let version = try await AppStore(clock: session.clock).version(ancestor.name, in: session.executor),
                version.status == .allowed
            else { return nil }
            return
                """
                instances of this version can register again; `pando admin apps versions refuse \(version.app) \
                \(version.version)` keeps them out
                """
        }
    }

    struct Why: AdminQuery {
        static let configuration = CommandConfiguration(
            abstract: "Tell whether a token lives, and which rule ended it.")
        /// A token has no business in an address.
        static var route: AdminRoute? { AdminRoute("POST", "/tokens/why") }
        @Argument(
            help:
                """
                An access token, assertion or refresh token, or a jti; - is stdin, which keeps it out of the shell's \
                history.
                """
        ) var token: String
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            let text = (token == "-" ? try AdminInput.text("-") : token).trimmingCharacters(in: .whitespacesAndNewlines)
            // By a key that no longer counts too: that may be the very reason.
            let jwt = try? JWT(text),
                signer =
                    if let jwt { try await SigningKeys.origin(of: jwt, session.executor) } else {
                        nil as SigningKeyRow?
                    }
            guard let row = try await find(text, signer == nil ? nil : jwt, session) else {
                throw AdminFailure(
                    .notFound, "unknown: no token of this federation, or dead so long that its row is gone",
                    hint: Verdict.Rule.unknown.reference)
            }
            return .object(
                try await Verdict(of: row, signedBy: signer?.kid, at: session.now, in: session.executor).json.object
                    ?? [:])
        }

        private func find(_ text: String, _ jwt: JWT?, _ session: AdminSession) async throws -> TokenRow? {
            let store = session.store
            if let id = NodeID(text) { return try await store.find(id, in: session.executor) }
            if let shown = try await RefreshFamily(store: store).find(text) { return shown.family }
            guard let id = jwt?.string("jti").flatMap({ NodeID($0) }) else { return nil }
            return try await store.find(id, in: session.executor)
        }
    }
}
