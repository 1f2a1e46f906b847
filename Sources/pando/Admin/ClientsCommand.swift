import ArgumentParser
import Base
import Foundation
import Registration
import TokenTree

/// `clients …`: web clients and machines.
struct ClientsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "clients", abstract: "Web clients and machines.", subcommands: [Create.self, List.self, Show.self, Delete.self, Invite.self])

    struct Create: AdminChange {
        static let configuration = CommandConfiguration(abstract: "Make a client; its secret is printed once.")
        @Option var name: String
        @Option(help: "May be repeated.") var redirectURI: [String] = []
        @Option(help: "May be repeated; authorization_code and refresh_token by default.") var grant: [String] = []
        @Option(help: "May be repeated; openid profile email by default.") var scope: [String] = []
        @Option(help: "client_secret_basic, private_key_jwt or none.") var authMethod: String = "client_secret_basic"
        @Option(help: "File with its JWK set; - is stdin.", completion: .file()) var jwks: String?
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func perform(_ session: AdminSession) async throws -> JSONObject {
            guard let method = WebClient.AuthMethod(rawValue: authMethod) else { throw AdminFailure(.usage, "--auth-method takes client_secret_basic, private_key_jwt or none") }
            var draft = WebClientDraft(name: name, authMethod: method, redirectURIs: redirectURI)
            if !grant.isEmpty { draft.grantTypes = grant }
            if !scope.isEmpty { draft.scope = scope.joined(separator: " ") }
            if let jwks {
                guard let value = try? JSONReader.read(try AdminInput.text(jwks).utf8) else { throw AdminFailure(.invalid, "\(jwks) is not JSON") }
                draft.jwks = value
            }
            let (client, secret) = try await session.clients.create(draft, in: session.executor)
            try await session.audit("clients.create", node: "client:\(client.id)")
            var result = client.json
            if let secret { result["client_secret"] = .string(secret) }
            return result
        }
    }

    struct List: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "List clients, oldest first.")
        @OptionGroup var list: ListOptions
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            let found = try await session.clients.list(after: list.after, limit: list.limit + 1, in: session.executor)
            return .page(found, limit: list.limit, cursor: \.id, json: { .object($0.json) })
        }
    }

    struct Show: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "Show a client.")
        @Argument(help: "client_id.") var id: String
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult { .object(try await ClientsCommand.find(id, session).json) }
    }

    struct Delete: AdminChange {
        static let configuration = CommandConfiguration(abstract: "Delete a client and end its tokens.")
        @Argument(help: "client_id.") var id: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions
        var question: String? { "Delete the client \(id) and end its tokens?" }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let client = try await ClientsCommand.find(id, session)
            if let service = try await session.service(of: id) { throw AdminFailure(.conflict, "this is the client of service \(service)", hint: "pando admin services remove \(service)") }
            let revoked = try await CutReport.cut(.virtual(Ancestor(.client, id)), session)
            _ = try await session.clients.delete(id, in: session.executor)
            try await session.audit("clients.delete", node: "client:\(id)")
            var result = client.json
            result["revoked"] = revoked
            return result
        }
    }

    struct Invite: AdminChange {
        static let configuration = CommandConfiguration(abstract: "Make an initial access token for POST /register; printed once.")
        @Option(help: "How many clients may register with it.") var uses = 1
        @Option(help: "Seconds.") var expiresIn = 86_400
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func validate() throws {
            guard (1...10_000).contains(uses), (1...31_536_000).contains(expiresIn) else { throw ValidationError("--uses takes 1 to 10000, --expires-in up to a year") }
        }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let (token, expires) = try await session.clients.invite(uses: uses, lifetime: TimeInterval(expiresIn), in: session.executor)
            try await session.audit("clients.invite")
            return ["initial_access_token": .string(token), "uses": .integer(uses), "expires_at": .string(expires.rfc3339)]
        }
    }

    private static func find(_ id: String, _ session: AdminSession) async throws -> WebClient {
        guard let client = try await session.clients.find(id, in: session.executor) else { throw AdminFailure(.notFound, "there is no client \(id)") }
        return client
    }
}
