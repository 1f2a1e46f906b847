import Administration
import ArgumentParser
import Base
import Federation
import Foundation
import Registration
import TokenTree

/// `services update`: what an operator has said of a service, said anew.
struct ServicesUpdateCommand: AdminChange {
    static let configuration = CommandConfiguration(
        commandName: "update",
        abstract:
            "Change where a service is, how it authenticates, what it may know, and how it hears of what has ended.",
        discussion: """
            What is not named stays as it is. A service that moves keeps its id, its policy, its history and the names \
            by which it knows people; nothing ends.
            """)
    @Argument(help: "Id or base URL.") var service: String
    @OptionGroup var options: ServiceChangeOptions
    @OptionGroup var keys: KeyChangeOptions
    @OptionGroup var claims: ClaimOptions
    @OptionGroup var hearing: HearingOptions
    @OptionGroup var lineage: LineageOptions
    @OptionGroup var institution: InstitutionOption
    @OptionGroup var change: ChangeOptions
    @OptionGroup var common: AdminOptions

    func perform(_ session: AdminSession) async throws -> JSONObject {
        var known = try await ServicesCommand.find(service, session)
        guard known.status != .removed else { throw AdminFailure(.invalid, "\(known.id) was removed") }
        let settings = try session.composition.settings, before = try await ServicesCommand.describe(known, session)
        let base = try options.newBase(known, settings)
        let endpoint = try hearing.endpoint(settings, allowLoopback: known.allowsLoopback)
        var wanted = ServiceChange(
            claims: try claims.wanted(beside: known.claims), notify: try hearing.wish(),
            revocationEndpoint: endpoint.map { named -> String? in named.text }, hasLineage: lineage.lineage)
        try options.apply(to: &wanted, of: known, at: try base ?? address(of: known), settings)
        guard !wanted.isEmpty || options.base != nil || !keys.isEmpty || !institution.isEmpty else {
            throw AdminFailure(.usage, "nothing is to be changed")
        }
        try refuseBuiltIn(known, session)
        try await institution.assign(.service(known.id), session)
        let index = ServiceIndex(clock: session.clock)
        if let base { known = try await index.move(known, toBase: base, in: session.executor) }
        if !wanted.isEmpty { known = try await index.update(known.id, wanted, in: session.executor) }
        let (names, secret) = try await changeClient(of: known, session)
        var result = try await ServicesCommand.describe(known, session)
        let changed = Set(result.names.filter { result[$0] != before[$0] } + names).sorted()
        try await session.audit("services.update", node: "service:\(known.id)", changed: changed)
        if let secret { result["client_secret"] = .string(secret) }
        result["changed"] = JSONValue(strings: changed)
        result["dry_run"] = .bool(session.isDryRun)
        return result
    }

    private func address(of service: FederationService) throws -> WebAddress {
        guard let address = WebAddress(service.base) else {
            throw AdminFailure(.failed, "\(service.base) is no URL")
        }
        return address
    }

    /// The next start would move it back to where this server serves it.
    private func refuseBuiltIn(_ service: FederationService, _ session: AdminSession) throws {
        let isBuiltIn = try session.composition.services.contains { $0.role?.profile.id == service.id }
        guard isBuiltIn,
            options.base != nil || options.tokenEndpoint != nil || options.eventsEndpoint != nil || !keys.isEmpty
        else { return }
        throw AdminFailure(
            .conflict, "\(service.id) is a service of this very server: its address follows from the issuer")
    }

    /// Its client at the IdP: names of what changed, and the secret where it has one only now.
    private func changeClient(
        of service: FederationService, _ session: AdminSession
    ) async throws -> (names: [String], secret: String?) {
        guard !keys.isEmpty else { return ([], nil) }
        let client = try await ClientsCommand.find(service.clientID, locking: true, session)
        var draft = WebClientDraft(client)
        try keys.apply(to: &draft, methods: [.basic, .privateKeyJWT])
        let (replaced, secret) = try await session.clients.update(client, to: draft, in: session.executor)
        let changed = try await keys.keepingOld(of: client, replaced, session)
        return (client.changes(to: changed), secret)
    }
}
