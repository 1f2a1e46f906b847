import Administration
import ArgumentParser
import Base
import Federation
import Foundation
import Keys
import Registration
import TokenTree
import Vocabulary

/// `clients …`: web clients and machines.
struct ClientsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clients", abstract: "Web clients and machines.",
        subcommands: [
            Create.self, Update.self, List.self, Show.self, RotateSecret.self, Delete.self, Invite.self,
        ])

    struct Create: AdminChange {
        static let configuration = CommandConfiguration(abstract: "Make a client; its secret is printed once.")
        @Option var name: String
        @Option(help: "May be repeated.") var redirectURI: [String] = []
        @Option(help: "Where a browser may go after logout; may be repeated.") var postLogoutRedirectURI: [String] = []
        @Option(help: "May be repeated; authorization_code and refresh_token by default.") var grant: [String] = []
        @Option(help: "May be repeated; openid profile email by default.") var scope: [String] = []
        @OptionGroup var claims: ClaimOptions
        @Option(help: "\(WebClient.AuthMethod.allCases.map(\.rawValue).joined(separator: ", ")).") var authMethod:
            String = "client_secret_basic"
        @Option(help: "File with its JWK set; - is stdin.", completion: .file()) var jwks: String?
        @Option(help: "URL of its JWK set.") var jwksURI: String?
        @Option(
            help:
                """
                For tls_client_auth: the name in its certificate, as dns:NAME, uri:URI, ip:ADDRESS, email:MAIL or \
                subject:DN.
                """
        ) var certificateName: String?
        @Flag(help: "An app on people's devices: private-use redirect schemes, and any port on a loopback address.")
        var native = false
        @Option(help: "pairwise (by default) or public: whether people are known to it under a name of their own.")
        var subjectType: String = "pairwise"
        @Option(help: "URL that is told when a person logs out.") var backchannelLogoutURI: String?
        @Flag(name: .customLong("require-par"), help: "Take its authorization requests pushed only (RFC 9126).")
        var requiresPushedRequests = false
        @Flag(name: .customLong("dpop-bound"), help: "Give it tokens bound to a key only (RFC 9449).") var isDPoPBound =
            false
        @Flag(
            name: .customLong("certificate-bound"), help: "Give it tokens bound to its TLS certificate only (RFC 8705)."
        ) var isCertificateBound = false
        @OptionGroup var settings: ClientSettingOptions
        @OptionGroup var institution: InstitutionOption
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func perform(_ session: AdminSession) async throws -> JSONObject {
            guard let method = WebClient.AuthMethod(rawValue: authMethod) else {
                throw AdminFailure(
                    .usage,
                    "--auth-method takes \(WebClient.AuthMethod.allCases.map(\.rawValue).joined(separator: ", "))")
            }
            guard !name.isEmpty else { throw AdminFailure(.invalid, "--name is empty") }
            var draft = WebClientDraft(
                name: name, authMethod: method, jwksURI: jwksURI, redirectURIs: redirectURI, metadata: try metadata(),
                claims: try claims.wanted(beside: AttributeRelease.ofScopes))
            try settings.apply(to: &draft.metadata, algorithms: try session.composition.keys.algorithms)
            if !grant.isEmpty { draft.grantTypes = grant }
            if !scope.isEmpty { draft.scope = scope.joined(separator: " ") }
            if let jwks {
                guard let value = try? JSONReader.read(try AdminInput.text(jwks).utf8) else {
                    throw AdminFailure(.invalid, "\(jwks) is not JSON")
                }
                draft.jwks = value
            }
            let (client, secret) = try await session.clients.create(draft, in: session.executor)
            try await session.audit("clients.create", node: "client:\(client.id)")
            try await institution.assign(.client(client.id), session)
            var result = try ClientsCommand.facts(try await ClientsCommand.find(client.id, session), session)
            if let secret { result["client_secret"] = .string(secret) }
            return result
        }

        private func metadata() throws -> ClientMetadata {
            var metadata = ClientMetadata()
            guard let type = ClientMetadata.SubjectType(rawValue: subjectType) else {
                throw AdminFailure(.usage, "--subject-type takes pairwise or public")
            }
            (metadata.subjectType, metadata.applicationType) = (type, native ? .native : .web)
            (metadata.postLogoutRedirectURIs, metadata.backchannelLogoutURI) = (
                postLogoutRedirectURI, backchannelLogoutURI
            )
            (metadata.wantsPushedRequest, metadata.isDPoPBound, metadata.isCertificateBound) = (
                requiresPushedRequests, isDPoPBound, isCertificateBound
            )
            metadata.certificateName = try certificateName.map(ClientChangeOptions.certificateName)
            return metadata
        }
    }

    struct List: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "List clients, oldest first.")
        @OptionGroup var institution: InstitutionListOption
        @OptionGroup var list: ListOptions
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            let found = try await session.clients.list(
                of: institution.filter(session), after: list.after, limit: list.limit + 1, in: session.executor)
            return .page(
                found, limit: list.limit, cursor: \.id,
                json: { client in
                    var listed = client.json
                    listed["institution"] = JSONValue(client.institution)
                    return .object(listed)
                })
        }
    }

    struct Show: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "Show a client.")
        @Argument(help: "client_id.") var id: String
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            .object(try ClientsCommand.facts(try await ClientsCommand.find(id, session), session))
        }
    }

    struct Delete: AdminChange {
        static let configuration = CommandConfiguration(abstract: "Delete a client and end its tokens.")
        @Argument(help: "client_id.") var id: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions
        var question: String? { "Delete the client \(id) and end its tokens?" }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let client = try await ClientsCommand.find(id, session)
            if let service = try await session.service(of: id) {
                throw AdminFailure(
                    .conflict, "this is the client of service \(service)",
                    hint: "pando admin services remove \(service)")
            }
            // The row first, as a client that deletes itself does: whoever is issuing holds it and then waits for the
            // tree.
            _ = try await session.clients.delete(id, in: session.executor)
            try await session.revocation.hold(Ancestor(.client, id), in: session.executor)
            let revoked = try await RevocationReport.revoke(.virtual(Ancestor(.client, id)), session)
            try await session.audit("clients.delete", node: "client:\(id)")
            var result = client.json
            result["revoked"] = revoked
            return result
        }
    }

    struct Invite: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Make an initial access token for POST /register; printed once.")
        @Option(help: "How many clients may register with it.") var uses = 1
        @Option(help: "Seconds.") var expiresIn = 86_400
        @Option(
            help:
                """
                A grant type that they may have; may be repeated. By default \
                \(RegistrationPolicy.standardGrantTypes.joined(separator: ", ")).
                """
        ) var grant: [String] = []
        @Option(
            help:
                """
                A scope that they may have; may be repeated. By default \
                \(RegistrationPolicy.standardScopes.joined(separator: ", ")).
                """
        ) var scope: [String] = []
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func validate() throws {
            guard (1...10_000).contains(uses), (1...31_536_000).contains(expiresIn) else {
                throw ValidationError("--uses takes 1 to 10000, --expires-in up to a year")
            }
        }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let policy = RegistrationPolicy(
                grantTypes: grant.isEmpty ? nil : grant, scopes: scope.isEmpty ? nil : scope)
            let invitations = InvitationStore(clock: session.clock, randomness: session.randomness)
            let epoch = try await session.store.generations(of: [.epoch], in: session.executor)
            let (token, id, expires) = try await invitations.make(
                uses: uses, lifetime: TimeInterval(expiresIn), policy: policy, below: epoch, in: session.executor)
            try await session.audit("clients.invite", node: "invitation:\(id)")
            var result: JSONObject = [
                "id": .string(id), "initial_access_token": .string(token), "uses": .integer(uses),
                "expires_at": .string(expires.rfc3339),
            ]
            for (name, value) in policy.json { result[name] = value }
            return result
        }
    }

    /// Client information, with what was left to the server, and what it is let know, which is no metadata of its own.
    static func facts(_ client: WebClient, _ session: AdminSession) throws -> JSONObject {
        var facts = client.json
        if client.metadata.idTokenAlgorithm == nil, Scope(client.scope)?.contains("openid") == true {
            let usual = SigningAlgorithm.usualForIDTokens(among: try session.composition.keys.algorithms)
            facts["id_token_signed_response_alg"] = .string(usual.rawValue)
        }
        facts["institution"] = JSONValue(client.institution)
        facts["claims"] = client.claims.map { JSONValue(strings: $0) }
        if let until = client.oldSecretUntil(at: session.now) { facts["old_secret_until"] = .string(until.rfc3339) }
        if let until = client.oldKeysUntil(at: session.now) { facts["old_keys_until"] = .string(until.rfc3339) }
        facts["access_token_lifetime"] = client.lifetimes.accessToken.map { .integer($0) }
        facts["refresh_lifetime"] = client.lifetimes.refresh.map { .integer($0) }
        return facts
    }

    static func find(_ id: String, locking: Bool = false, _ session: AdminSession) async throws -> WebClient {
        guard let client = try await session.clients.find(id, locking: locking, in: session.executor) else {
            throw AdminFailure(.notFound, "there is no client \(id)")
        }
        return client
    }
}
