import Administration
import ArgumentParser
import Base
import Federation
import Foundation
import Registration
import TokenTree
import Vocabulary

extension AppsCommand {
    struct Update: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Change an app's name, and what of a person its instances are told.")
        @Argument var app: String
        @Option(help: "Its name for people.") var name: String?
        @Option(help: "An attribute that its instances are told, instead of all; may be repeated.")
        var claim: [String] = []
        @Flag(help: "Tell its instances all but what institutions say.") var allClaims = false
        @OptionGroup var institution: InstitutionOption
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func validate() throws {
            guard claim.isEmpty || !allClaims else { throw ValidationError("--claim or --all-claims, not both") }
            guard name != nil || !claim.isEmpty || allClaims || !institution.isEmpty else {
                throw ValidationError("name what is to change: --name, --claim, --all-claims or --institution")
            }
        }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            try ClaimOptions.check(claim)
            let filter: [String]?? = allClaims ? .some(nil) : claim.isEmpty ? nil : .some(Set(claim).sorted())
            guard let known = try await AppStore(clock: session.clock).app(app, in: session.executor) else {
                throw AdminFailure(.notFound, "there is no app \(app)")
            }
            if let name, !DisplayText.isFit(name, longest: 200) {
                throw AdminFailure(.invalid, "--name takes 1 to 200 characters, and no control characters")
            }
            try await institution.assign(.app(app), session)
            guard
                let updated = try await AppStore(clock: session.clock).update(
                    app: app, name: name, claims: filter, in: session.executor)
            else { throw AdminFailure(.notFound, "there is no app \(app)") }
            let (before, after) = (known.json.object ?? [:], updated.json.object ?? [:])
            let changed = after.names.filter { after[$0] != before[$0] }
            try await session.audit("apps.update", node: "app:\(app)", changed: changed)
            var result = after
            (result["changed"], result["dry_run"]) = (JSONValue(strings: changed), .bool(session.isDryRun))
            return result
        }
    }

    struct Refuse: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Keep an app out, with versions to come, and end all that was registered with it.")
        @Argument var app: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions
        var question: String? { "Refuse \(app) in all versions and end all its instances?" }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            var result = try await AppsCommand.set(app, .refused, session)
            var reports: [JSONValue] = [], cursor: Int64?
            let apps = AppStore(clock: session.clock)
            while true {
                let page = try await apps.versions(of: app, after: cursor, limit: 100, in: session.executor)
                for version in page {
                    let node = Node.virtual(Ancestor(.version, version.id))
                    reports.append(try await RevocationReport.revoke(node, session))
                }
                guard page.count == 100, let last = page.last else { break }
                cursor = last.ordinal
            }
            result["revoked"] = .array(reports)
            return result
        }
    }

    struct Allow: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Let a refused app register again, but for versions that are refused; what was ended stays so.")
        @Argument var app: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func perform(_ session: AdminSession) async throws -> JSONObject {
            try await AppsCommand.set(app, .allowed, session)
        }
    }

    /// Status first, then the revocation, as with a version.
    private static func set(
        _ app: String, _ status: AppVersion.Status, _ session: AdminSession
    ) async throws -> JSONObject {
        let apps = AppStore(clock: session.clock)
        guard let known = try await apps.app(app, in: session.executor),
            let changed = try await apps.setStatus(app: app, status, in: session.executor)
        else { throw AdminFailure(.notFound, "there is no app \(app)") }
        try await session.audit(status == .refused ? "apps.refuse" : "apps.allow", node: "app:\(app)")
        var result = changed.json.object ?? [:]
        result["already"] = .bool(known.status == status)
        return result
    }
}
