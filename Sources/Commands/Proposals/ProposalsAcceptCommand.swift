import Accounts
import Administration
import ArgumentParser
import Base
import Federation
import Foundation
import Registration
import TokenTree

extension ServicesCommand.Proposals {
    struct Accept: AdminChange {
        static let route: AdminRoute? = AdminRoute("POST", "/proposals/{proposal}/accept")
        static let configuration = CommandConfiguration(
            abstract: "Make a proposed service one of the federation, and its proposer its owner.",
            discussion: """
                Of the claims that it asks for, it is let know those that are named. Its secret nobody is told: its \
                owner makes one by `services rotate-secret`.
                """)
        @Argument(help: "Its id.") var proposal: String
        @Option(help: "Short id of the service; by default what its document says, or made of the host.")
        var id: String?
        @Option(help: "A claim of those that it asks for; may be repeated.") var claim: [String] = []
        @Flag(help: "All claims that it asks for.") var allClaims = false
        @OptionGroup var institution: InstitutionOption
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func validate() throws {
            guard claim.isEmpty || !allClaims else { throw ValidationError("--claim or --all-claims, not both") }
            guard id.map({ ServicesCommand.isID($0) }) ?? true else {
                throw ValidationError("--id takes lower-case letters, digits and hyphens")
            }
        }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let known = try await session.proposal(proposal, isChange: true, locking: true)
            guard known.status == .proven else {
                throw AdminFailure(
                    .conflict, "the proposal is \(known.status.rawValue): control of the service is to be shown first",
                    hint: "pando admin services proposals prove \(known.id)")
            }
            let service = try await enter(known, session)
            guard let owner = RoleGrant(account: known.proposer, role: .serviceOwner, service: service.id) else {
                throw AdminFailure(.failed, "nobody becomes its owner")
            }
            _ = try await session.roles.grant(owner, by: session.actor.name, in: session.executor)
            let decided = try await session.proposals.decide(
                known.id, .accepted, by: session.actor.name, reason: session.actor.reason, service: service.id,
                in: session.executor)
            try await session.proposals.refuseOthers(
                at: known.base, but: known.id, by: session.actor.name, in: session.executor)
            try await session.audit(
                "services.proposals.accept", node: "service:\(service.id)", account: known.proposer)
            return try await ServicesCommand.Proposals.describe(decided, session)
        }

        private func enter(_ known: ServiceProposal, _ session: AdminSession) async throws -> FederationService {
            // Held: who suspends them waits, and finds them an owner.
            let person = try await AccountStore(clock: session.clock).find(
                known.proposer, locking: true, in: session.executor)
            guard let person, person.status == .active else {
                throw AdminFailure(.conflict, "the proposer is suspended")
            }
            let wished = known.wishes.map(\.claim)
            if let unasked = claim.first(where: { !wished.contains($0) }) {
                throw AdminFailure(
                    .invalid, "it does not ask for \(unasked.prefix(80))", hint: "services update adds claims later")
            }
            guard let address = WebAddress(known.base) else {
                throw AdminFailure(.invalid, "\(known.base) is no URL any more")
            }
            let draft = WebClientDraft(
                name: known.name, authMethod: .basic, grantTypes: ["client_credentials"], scope: "")
            let (client, _) = try await session.clients.create(draft, in: session.executor)
            let index = ServiceIndex(clock: session.clock)
            let service = try await index.add(
                id: try await identifier(known, address, index, session), name: known.name, base: address,
                client: client.id, claims: allClaims ? wished : wished.filter(claim.contains), rsd: known.rsd,
                allowsLoopback: address.isLoopback, notify: .auto, in: session.executor)
            try await institution.assign(.service(service.id), session)
            return try await index.move(service.id, to: .active, in: session.executor)
        }

        /// That of its document only where no other service has it: nobody chose it.
        private func identifier(
            _ known: ServiceProposal, _ address: WebAddress, _ index: ServiceIndex, _ session: AdminSession
        ) async throws -> String {
            if let id { return id }
            if let own = known.document?["id"]?.string, try await index.find(own, in: session.executor) == nil {
                return own
            }
            return ServicesCommand.identifier(address, session.randomness)
        }
    }
}
