import Administration
import ArgumentParser
import Base
import Federation
import Foundation
import TokenTree

/// `services update`: what an operator has said of a service, said anew.
struct ServicesUpdateCommand: AdminChange {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Change a service's name, claims, or how it hears of what has ended.")
    @Argument(help: "Id or base URL.") var service: String
    @Option(help: "Name as it is shown to people.") var name: String?
    @OptionGroup var claims: ClaimOptions
    @OptionGroup var hearing: HearingOptions
    @OptionGroup var lineage: LineageOptions
    @OptionGroup var change: ChangeOptions
    @OptionGroup var common: AdminOptions

    func perform(_ session: AdminSession) async throws -> JSONObject {
        let known = try await ServicesCommand.find(service, session)
        guard known.status != .removed else { throw AdminFailure(.invalid, "\(known.id) was removed") }
        let endpoint = try hearing.endpoint(
            try session.composition.settings, allowLoopback: known.allowsLoopback)
        let wanted = ServiceChange(
            name: name, claims: try claims.wanted(beside: known.claims), notify: try hearing.wish(),
            revocationEndpoint: endpoint.map { named -> String? in named.text },
            hasLineage: lineage.lineage)
        guard !wanted.isEmpty else { throw AdminFailure(.usage, "nothing is to be changed") }
        let changed = try await ServiceIndex(clock: session.clock).update(known.id, wanted, in: session.executor)
        try await session.audit("services.update", node: "service:\(known.id)")
        return try await ServicesCommand.describe(changed, session)
    }
}
