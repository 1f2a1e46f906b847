import Administration
import ArgumentParser
import Base
import Foundation
import Registration
import TokenTree
import Vocabulary

extension AppsCommand {
    struct Delete: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Delete an app with its versions and all that was registered with them.",
            discussion: """
                Its name is free then, and who takes it inherits nothing. Blocked devices and keys stay out. To keep \
                an app out for good, `apps refuse` it.
                """)
        @Argument(help: "Software id.") var app: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions
        var question: String? { "Delete \(app) with all its versions, and end all its instances?" }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let apps = AppStore(clock: session.clock)
            // Its name would be free, and by that it would be in again.
            if !session.authority.isAdministrator,
                try await apps.held(app: app, in: session.executor)?.status == .refused
            {
                throw AdminFailure(
                    .forbidden, "\(app) is refused, and only the federation's administrators let it in again")
            }
            // First: whoever adds a version or registers meanwhile waits, and is refused.
            guard let known = try await apps.setStatus(app: app, .refused, in: session.executor) else {
                throw AdminFailure(.notFound, "there is no app \(app)")
            }
            var reports: [JSONValue] = [], instances = 0
            while let version = try await apps.versions(of: app, after: nil, limit: 1, in: session.executor).first {
                let ended = try await Versions.end(version, session)
                (reports, instances) = (reports + [ended.report], instances + ended.instances)
            }
            guard try await apps.delete(app: app, in: session.executor) else {
                throw AdminFailure(.notFound, "there is no app \(app)")
            }
            try await session.audit("apps.delete", node: "app:\(app)")
            var result = known.json.object ?? [:]
            result["status"] = "deleted"
            (result["instances"], result["revoked"]) = (.integer(instances), .array(reports))
            result["dry_run"] = .bool(session.isDryRun)
            return result
        }
    }
}

extension AppsCommand.Versions {
    struct Show: AdminQuery {
        static let configuration = CommandConfiguration(
            abstract: "Show a version: its key, whether it is refused, and how many installations it has.")
        @Argument(help: "Software id.") var app: String
        @Argument(help: "As it was added.") var version: String
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            let apps = AppStore(clock: session.clock)
            let found = try await AppsCommand.Versions.find(app, version, session)
            var shown = found.json.object ?? [:]
            (shown["ordinal"], shown["jwk"]) = (.integer(Int(found.ordinal)), found.jwk)
            shown["instances"] = .integer(try await apps.instances(ofVersion: found.id, in: session.executor))
            return .object(shown)
        }
    }

    struct Update: AdminChange {
        static let configuration = CommandConfiguration(abstract: "Change what is noted of a version.")
        @Argument(help: "Software id.") var app: String
        @Argument(help: "As it was added.") var version: String
        @Option(help: "For whoever looks at it next; empty: none.") var note: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let known = try await AppsCommand.Versions.find(app, version, session)
            let wanted = try AppsCommand.Versions.note(note)
            guard
                let changed = try await AppStore(clock: session.clock).note(
                    wanted, on: known.id, in: session.executor)
            else { throw AdminFailure(.notFound, "there is no version \(known.id)") }
            let names = known.note == changed.note ? [] : ["note"]
            try await session.audit("apps.versions.update", node: "version:\(known.id)", changed: names)
            var result = changed.json.object ?? [:]
            (result["changed"], result["dry_run"]) = (JSONValue(strings: names), .bool(session.isDryRun))
            return result
        }
    }

    struct Delete: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Delete a version with all that was registered with it; its name is free then.")
        @Argument(help: "Software id.") var app: String
        @Argument(help: "As it was added.") var version: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions
        var question: String? { "Delete \(app).\(version) and end all its instances?" }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let known = try await AppsCommand.Versions.find(app, version, session)
            let ended = try await AppsCommand.Versions.end(known, session)
            var result = known.json.object ?? [:]
            result["status"] = "deleted"
            (result["instances"], result["revoked"]) = (.integer(ended.instances), ended.report)
            result["dry_run"] = .bool(session.isDryRun)
            return result
        }
    }

    static func find(_ app: String, _ version: String, _ session: AdminSession) async throws -> AppVersion {
        let id = "\(app).\(version)"
        // `a.b` has a version `c`, and `a` may have `b.c`: they are one name, so the app is looked at, too.
        guard let found = try await AppStore(clock: session.clock).version(id, in: session.executor), found.app == app
        else { throw AdminFailure(.notFound, "there is no version \(id)") }
        return found
    }

    static func note(_ text: String?) throws -> String? {
        guard let text, !text.isEmpty else { return nil }
        guard DisplayText.isFit(text, longest: 1_000) else {
            throw AdminFailure(.invalid, "--note takes 1000 characters, and no control characters")
        }
        return text
    }

    /// Status first, as with refusing: who registers by it at this moment has registered, or waits and is refused. Then
    /// its node, held in case that nothing was issued below it before, and its rows.
    static func end(
        _ version: AppVersion, _ session: AdminSession
    ) async throws -> (report: JSONValue, instances: Int) {
        let apps = AppStore(clock: session.clock), node = Ancestor(.version, version.id)
        _ = try await apps.setStatus(version.id, .refused, in: session.executor)
        try await session.revocation.hold(node, in: session.executor)
        let report = try await RevocationReport.revoke(.virtual(node), session)
        guard let instances = try await apps.delete(version: version.id, in: session.executor) else {
            throw AdminFailure(.notFound, "there is no version \(version.id)")
        }
        try await session.audit("apps.versions.delete", node: "version:\(version.id)")
        return (report, instances)
    }
}
