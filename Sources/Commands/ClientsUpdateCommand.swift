import Administration
import ArgumentParser
import Base
import Federation
import Registration
import TokenTree
import Vocabulary

extension ClientsCommand {
    /// `clients update`: at once, for requests that are under way too.
    struct Update: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Change what a client is registered with, and what it may know of people.",
            discussion: """
                What is not named stays as it is; an empty text is none, or the usual again. Tokens live on, but \
                refresh tokens that need a grant or scope which is taken away end: `ended` counts them, with --dry-run \
                before.
                """)
        @Argument(help: "client_id.") var id: String
        @OptionGroup var options: ClientChangeOptions
        @OptionGroup var settings: ClientSettingOptions
        @OptionGroup var claims: ClaimOptions
        @OptionGroup var institution: InstitutionOption
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func validate() throws {
            guard
                !options.isEmpty || !settings.isEmpty || !institution.isEmpty || claims.noClaims
                    || !claims.claim.isEmpty
            else {
                throw ValidationError("Name a setting to change.")
            }
        }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let client = try await ClientsCommand.find(id, locking: true, session)
            if let service = try await session.service(of: id), !options.isEmpty {
                throw AdminFailure(
                    .conflict, "this is the client of service \(service)",
                    hint: "pando admin services update \(service)")
            }
            var draft = WebClientDraft(client)
            try options.apply(to: &draft)
            try settings.apply(to: &draft.metadata, algorithms: try session.composition.keys.algorithms)
            if let wanted = try claims.wanted(beside: client.claims ?? AttributeRelease.ofScopes) {
                draft.claims = wanted
            }
            try await institution.assign(.client(client.id), session)
            let hasPeople = try await hasPeople(client, draft, session)
            var (changed, secret) = try await session.clients.update(client, to: draft, in: session.executor)
            changed = try await options.keys.keepingOld(of: client, changed, session)
            let lifetimes = try options.lifetimes(
                of: client, longest: try session.composition.settings.longestAccessToken)
            if lifetimes != client.lifetimes {
                changed = try await session.clients.set(lifetimes, of: client, in: session.executor)
            }
            try await session.clients.widen(changed, in: session.executor)
            let moved = client.institution == changed.institution ? [] : ["institution"]
            let names = client.changes(to: changed) + moved
            let ended = try await end(client, changed, session)
            try await session.audit("clients.update", node: "client:\(id)", changed: names)
            var result = try ClientsCommand.facts(changed, session)
            if let secret { result["client_secret"] = .string(secret) }
            result["changed"] = JSONValue(strings: names)
            result["ended"] = ended
            result["warnings"] = JSONValue(strings: warnings(client, changed, hasPeople: hasPeople))
            result["dry_run"] = .bool(session.isDryRun)
            return result
        }

        /// Asked before anything is changed: what people are called there may not change under them.
        private func hasPeople(
            _ client: WebClient, _ draft: WebClientDraft, _ session: AdminSession
        ) async throws -> Bool {
            let hasPeople = try await session.clients.hasPeople(client, in: session.executor)
            guard draft.metadata.subjectType == client.metadata.subjectType || !hasPeople else {
                throw AdminFailure(
                    .conflict, "people have logged in to this client, and would be others to it",
                    hint: "another client with the other --subject-type")
            }
            return hasPeople
        }

        private func warnings(_ client: WebClient, _ changed: WebClient, hasPeople: Bool) -> [String] {
            guard hasPeople, changed.metadata.subjectType == .pairwise,
                client.metadata.sector != changed.metadata.sector
            else { return [] }
            return [
                """
                its redirect URIs are of another host now, so people are known to it by other names from their next \
                login on
                """
            ]
        }

        /// Refresh tokens do not say which grant they came by: as long as one is left that gives any, they go on.
        private func end(
            _ client: WebClient, _ changed: WebClient, _ session: AdminSession
        ) async throws -> JSONValue {
            let lost = (Scope(client.scope)?.names ?? []).filter { !(Scope(changed.scope)?.names ?? []).contains($0) }
            let givers = [GrantType.authorizationCode, .deviceCode].map(\.rawValue)
            func refreshes(_ client: WebClient) -> Bool {
                client.grantTypes.contains(GrantType.refreshToken.rawValue)
                    && givers.contains(where: client.grantTypes.contains)
            }
            let all = refreshes(client) && !refreshes(changed)
            guard all || !lost.isEmpty else { return ["refresh_tokens": 0, "because": []] }
            let families = try await session.clients.families(
                of: client, all: all, scopes: lost, in: session.executor)
            for family in families {
                _ = try await session.revocation.revoke(.token(family), by: session.actor, in: session.executor)
            }
            let because =
                lost.map { "scope \($0)" }
                + client.grantTypes.filter { all && !changed.grantTypes.contains($0) }.map { "grant \($0)" }
            return ["refresh_tokens": .integer(families.count), "because": JSONValue(strings: because)]
        }
    }
}
