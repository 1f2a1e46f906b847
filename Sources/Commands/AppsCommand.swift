import Administration
import ArgumentParser
import Base
import Foundation
import Keys
import Registration
import TokenTree

/// `apps …`: apps and the keys of their versions.
struct AppsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apps", abstract: "Apps and their versions.",
        subcommands: [
            Create.self, List.self, Show.self, AppsLegacyCommand.self, Versions.self, Update.self, Refuse.self,
            Allow.self, Delete.self,
        ])

    struct Create: AdminChange {
        static let configuration = CommandConfiguration(abstract: "Make an app.")
        @Argument(help: "Software id, e.g. ch.eduid.app.") var app: String
        @Option(help: "Name as it is shown to people.") var name: String
        @Flag(help: "Of the first generation: its devices need not say what they are.") var legacy = false
        @OptionGroup var institution: InstitutionOption
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let apps = AppStore(clock: session.clock)
            if let taken = try await apps.app(app, in: session.executor) {
                throw AdminFailure(.conflict, "\(app) is taken by the app \(taken.name), of \(taken.createdAt.rfc3339)")
            }
            let made = try await apps.create(app: app, name: name, isLegacy: legacy, in: session.executor)
            try await institution.assign(.app(app), session)
            try await session.audit("apps.create", node: "app:\(app)")
            return try await apps.app(app, in: session.executor)?.json.object ?? made.json.object ?? [:]
        }
    }

    struct List: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "List apps.")
        @OptionGroup var institution: InstitutionListOption
        @OptionGroup var list: ListOptions
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            let found = try await AppStore(clock: session.clock).apps(
                of: institution.filter(session), after: list.after, limit: list.limit + 1, in: session.executor)
            return .page(found, limit: list.limit, cursor: \.id, json: \.json)
        }
    }

    struct Show: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "Show an app.")
        @Argument(help: "Id of the app.") var app: String
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            guard let app = try await AppStore(clock: session.clock).app(app, in: session.executor) else {
                throw AdminFailure.missing(.app, app)
            }
            return .object(app.json.object ?? [:])
        }
    }

    struct Versions: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "versions", abstract: "Versions of an app.",
            subcommands: [Add.self, List.self, Show.self, Update.self, Refuse.self, Allow.self, Delete.self])

        struct Add: AdminChange {
            static let configuration = CommandConfiguration(
                abstract: "Add a version by its public key; it is newer than all added before.")
            @Argument(help: "Id of the app.") var app: String
            @Argument(help: "Version of the app.") var version: String
            @Option(help: "File with the public JWK; - is stdin.", completion: .file()) var jwk: String
            @Option(help: "For whoever looks at it next.") var note: String?
            @OptionGroup var change: ChangeOptions
            @OptionGroup var common: AdminOptions

            func perform(_ session: AdminSession) async throws -> JSONObject {
                guard let value = try? JSONReader.read(try AdminInput.text(jwk).utf8) else {
                    throw AdminFailure(.invalid, "the key: \(jwk) is not JSON")
                }
                let key = try await JSONWebKey(value), apps = AppStore(clock: session.clock)
                guard try await apps.app(app, in: session.executor) != nil else {
                    throw AdminFailure.missing(.app, app, hint: "pando admin apps create \(app) --name …")
                }
                if let taken = try await apps.version("\(app).\(version)", in: session.executor) {
                    throw AdminFailure(
                        .conflict, "\(taken.id) is taken by the key \(taken.thumbprint), of \(taken.createdAt.rfc3339)")
                }
                let made = try await apps.add(
                    version: version, to: app, key: key, note: try Versions.note(note), in: session.executor)
                try await session.audit("apps.versions.add", node: "version:\(made.id)")
                return made.json.object ?? [:]
            }
        }

        struct List: AdminQuery {
            static let configuration = CommandConfiguration(abstract: "List versions, oldest first.")
            @Argument(help: "Id of the app.") var app: String
            @OptionGroup var list: ListOptions
            @OptionGroup var common: AdminOptions

            func answer(_ session: AdminSession) async throws -> AdminResult {
                let apps = AppStore(clock: session.clock)
                guard try await apps.app(app, in: session.executor) != nil else {
                    throw AdminFailure.missing(.app, app)
                }
                let found = try await apps.versions(
                    of: app, after: list.after.flatMap { Int64($0) }, limit: list.limit + 1, in: session.executor)
                return .page(found, limit: list.limit, cursor: { String($0.ordinal) }, json: \.json)
            }
        }

        struct Refuse: AdminChange {
            static let configuration = CommandConfiguration(
                abstract: "Keep a version out, and end all that was registered with it.")
            @Argument(help: "Id of the app.") var app: String
            @Argument(help: "Version of the app.") var version: String
            @OptionGroup var change: ChangeOptions
            @OptionGroup var common: AdminOptions
            var question: String? { "Refuse \(app).\(version) and end all its instances?" }

            func perform(_ session: AdminSession) async throws -> JSONObject {
                try await Versions.set(app, version, .refused, session)
            }
        }

        struct Allow: AdminChange {
            static let configuration = CommandConfiguration(
                abstract: "Let a refused version register again; what was ended stays so.")
            @Argument(help: "Id of the app.") var app: String
            @Argument(help: "Version of the app.") var version: String
            @OptionGroup var change: ChangeOptions
            @OptionGroup var common: AdminOptions

            func perform(_ session: AdminSession) async throws -> JSONObject {
                try await Versions.set(app, version, .allowed, session)
            }
        }

        /// Status first, then the revocation: Registration/Doc.swift tells why.
        private static func set(
            _ app: String, _ version: String, _ status: AppVersion.Status, _ session: AdminSession
        ) async throws -> JSONObject {
            let apps = AppStore(clock: session.clock), id = "\(app).\(version)"
            // `a` with `b.c` is no way to version `c` of the app `a.b`, which may be somebody else's.
            guard let known = try await apps.version(id, in: session.executor), known.app == app,
                let changed = try await apps.setStatus(id, status, in: session.executor)
            else {
                throw AdminFailure.missing(.version, id)
            }
            var result = changed.json.object ?? [:]
            result["already"] = .bool(known.status == status)
            if status == .refused {
                result["revoked"] = try await RevocationReport.revoke(.virtual(Ancestor(.version, id)), session)
            }
            try await session.audit(
                status == .refused ? "apps.versions.refuse" : "apps.versions.allow", node: "version:\(id)")
            return result
        }
    }
}
