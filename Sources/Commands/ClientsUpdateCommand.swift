import Administration
import ArgumentParser
import Base
import Federation
import Registration
import TokenTree

extension ClientsCommand {
    /// `clients update`: at once, for requests that are under way too.
    struct Update: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Change what a client's library wants otherwise than is usual, and what it may know of people.",
            discussion: "What is not named stays as it is; an empty text is the usual again.")
        @Argument(help: "client_id.") var id: String
        @OptionGroup var settings: ClientSettingOptions
        @OptionGroup var claims: ClaimOptions
        @OptionGroup var institution: InstitutionOption
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func validate() throws {
            guard !settings.isEmpty || !institution.isEmpty || claims.noClaims || !claims.claim.isEmpty else {
                throw ValidationError("Name a setting to change.")
            }
        }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let client = try await ClientsCommand.find(id, locking: true, session)
            var draft = WebClientDraft(client)
            try settings.apply(to: &draft.metadata, algorithms: try session.composition.keys.algorithms)
            if let wanted = try claims.wanted(beside: client.claims ?? AttributeRelease.ofScopes) {
                draft.claims = wanted
            }
            try await institution.assign(.client(client.id), session)
            let (changed, _) = try await session.clients.update(client, to: draft, in: session.executor)
            let moved = client.institution == changed.institution ? [] : ["institution"]
            let names = client.changes(to: changed) + moved
            let entry = AuditEntry(
                actor: session.actor, action: "clients.update", node: "client:\(id)",
                detail: ["changed": JSONValue(strings: names)])
            try await AuditTrail.write(entry, at: session.now, in: session.executor)
            return try ClientsCommand.facts(changed, session)
        }
    }
}
