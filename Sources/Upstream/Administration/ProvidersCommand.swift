import Accounts
import Administration
import ArgumentParser
import Base
import Foundation

/// `providers …`: institutions' own identity providers (docs/upstream.md).
struct ProvidersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "providers", abstract: "Identity providers of institutions, at which their people log in.",
        subcommands: [List.self, Show.self, Add.self, Update.self, Remove.self, Check.self])

    struct List: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "List providers.")
        @OptionGroup var list: ListOptions
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            let service = try session.providers.service
            let found = try await service.providers.list(
                after: list.after, limit: list.limit + 1, of: session.authority.visible?.institutions,
                in: session.executor)
            return .page(
                found, limit: list.limit, cursor: \.id, json: { .object($0.json(service.issuer)) })
        }
    }

    struct Show: AdminQuery {
        static let configuration = CommandConfiguration(
            abstract: "Show a provider, with the addresses that it has to know.")
        @Argument(help: "Its id.") var provider: String
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            .object(try await session.provider(provider).json(try session.providers.service.issuer))
        }
    }

    struct Add: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Let an institution's people log in at its own provider.",
            discussion: """
                Register this server there first, with the redirect URI that the answer names, as \
                ISSUER/login/institution/ID/callback. `providers check` says whether it can be asked.
                """)
        static let example: String? =
            "https://login.example.org --institution example.org --client-id pando --client-secret secret.txt"
        @Argument(help: "Its issuer, letter by letter as its metadata has it.") var issuer: String
        @Option(help: "Whose it is.") var institution: String
        @Option(help: "This server's client id there.") var clientID: String
        @Option(help: "What names it in addresses; as usual the institution's id.") var id: String?
        @OptionGroup var options: ProviderOptions
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let service = try session.providers.service
            guard let address = WebAddress(issuer), ProviderMetadata.isAllowed(issuer, service.allowsLoopback),
                address.query == nil
            else { throw AdminFailure(.invalid, "\(issuer) is no https URL without query") }
            let store = InstitutionStore(clock: session.clock)
            guard let owner = try await store.find(institution, in: session.executor) else {
                throw AdminFailure(.notFound, "there is no institution \(institution)")
            }
            let id = id ?? institution, method = try options.method() ?? .basic, secret = try options.secret()
            guard id.wholeMatch(of: #/[a-z0-9][a-z0-9.\-]{0,63}/#) != nil else {
                throw AdminFailure(.invalid, "an id has lower-case letters, digits, dots and hyphens")
            }
            guard (secret != nil) == (method != .privateKeyJWT) else {
                throw AdminFailure(
                    .usage, "--client-secret goes with client_secret_basic and client_secret_post, and with no other")
            }
            let draft = ProviderDraft(
                id: id, issuer: issuer, institution: institution, name: options.name ?? owner.name,
                clientID: clientID, authMethod: method, secret: secret,
                scope: try options.scopes() ?? "openid profile email", linkBy: try options.rule() ?? .subject,
                creates: options.create ?? false, asksUserInfo: options.userinfo ?? false,
                claims: try options.claims() ?? [:], levels: try options.levels() ?? [:])
            do { try await service.providers.add(draft, in: session.executor) } catch let taken as ProviderStore.Taken {
                throw AdminFailure(.conflict, "\(taken.what) is taken")
            }
            try await session.audit("providers.add", node: "provider:\(id)")
            return try await session.provider(id).json(service.issuer)
        }
    }

    struct Update: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Change what is said of a provider; --map and --level take the place of all before.")
        static let example: String? = "example.org --name University --create"
        @Argument(help: "Its id.") var provider: String
        @Option(help: "This server's client id there.") var clientID: String?
        @Flag(inversion: .prefixedNo, help: "Whether people may log in at it.") var enabled: Bool?
        @OptionGroup var options: ProviderOptions
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let service = try session.providers.service, before = try await session.provider(provider)
            let method = try options.method(), secret = try options.secret()
            let wanted = method ?? before.authMethod
            guard secret == nil || wanted != .privateKeyJWT else {
                throw AdminFailure(.usage, "private_key_jwt needs no --client-secret")
            }
            guard wanted == .privateKeyJWT || secret != nil || before.sealedSecret != nil else {
                throw AdminFailure(.usage, "\(wanted.rawValue) needs --client-secret")
            }
            let change = ProviderChange(
                name: options.name, clientID: clientID, authMethod: method, secret: secret,
                scope: try options.scopes(), linkBy: try options.rule(), creates: options.create,
                asksUserInfo: options.userinfo, claims: try options.claims(), levels: try options.levels(),
                isEnabled: enabled)
            do {
                guard try await service.providers.update(provider, change, in: session.executor) else {
                    throw AdminFailure(.notFound, "there is no provider \(provider)")
                }
            } catch let taken as ProviderStore.Taken {
                throw AdminFailure(.conflict, "\(taken.what) is taken")
            }
            try await session.audit("providers.update", node: "provider:\(provider)")
            return try await session.provider(provider).json(service.issuer)
        }
    }

    struct Remove: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Remove a provider, with the links of people to it.",
            discussion: """
                Accounts stay; who has no password sets one by a link (accounts invite). Browser sessions that began \
                there go on until you revoke them: logout from there reaches them no more.
                """)
        @Argument(help: "Its id.") var provider: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions
        var question: String? { "Remove the provider \(provider)? Its people log in there no more." }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let found = try await session.provider(provider), service = try session.providers.service
            let rows = try await session.executor.query(
                "select count(l.subject) as number from upstream_link l where l.provider = \(provider)")
            let links: Int = try rows.first.map { try $0("number") } ?? 0
            try await service.providers.remove(provider, in: session.executor)
            try await session.audit("providers.remove", node: "provider:\(provider)")
            var result = found.json(service.issuer)
            result["removed"] = true
            result["links_removed"] = .integer(links)
            return result
        }
    }

    struct Check: AdminQuery {
        static let configuration = CommandConfiguration(
            abstract: "Ask a provider now whether people could log in at it.")
        @Argument(help: "Its id.") var provider: String
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            .object(try await session.providers.check(try await session.provider(provider)))
        }
    }
}
