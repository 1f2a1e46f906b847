import Accounts
import Administration
import ArgumentParser
import Base
import Crawler
import Federation
import Foundation
import Server
import TokenTree

extension ServicesCommand {
    /// `services propose`: anybody who is logged in, for a service of theirs.
    struct Propose: AdminChange {
        static let route: AdminRoute? = AdminRoute("POST", "/proposals")
        static let configuration = CommandConfiguration(
            abstract: "Propose a service of yours to the federation.",
            discussion: """
                Then put `proof` at `proof_url`, and `services proposals prove` has it read. \
                pando admin services propose https://grades.uni.example --claim email --why 'to send marks'
                """)
        @Argument(help: "Base URL.") var base: String
        @Option(help: "Its name for people; the host by default.") var name: String?
        @Option(help: "A claim that it asks for, each with a --why; may be repeated.") var claim: [String] = []
        @Option(help: "What it needs the claim for that stands at the same place; may be repeated.")
        var why: [String] = []
        @Option(help: "For whom, by username or UUID, where it is the operator who types.") var account: String?
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func validate() throws {
            guard claim.count == why.count else { throw ValidationError("each --claim goes with a --why") }
            guard claim.count == Set(claim).count else { throw ValidationError("each --claim once") }
        }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let address = try address(try session.composition.settings)
            try ClaimOptions.check(claim)
            let wishes = try zip(claim, why).map { claim, why in
                let why = why.trimmingCharacters(in: .whitespacesAndNewlines)
                guard (1...500).contains(why.count) else {
                    throw AdminFailure(.invalid, "--why has 1 to 500 characters: what is \(claim) for?")
                }
                return ServiceProposal.Wish(claim: claim, why: why)
            }
            let name = (name ?? address.host).trimmingCharacters(in: .whitespacesAndNewlines)
            guard (1...200).contains(name.count) else { throw AdminFailure(.invalid, "--name has 1 to 200 characters") }
            let known = try await ServiceIndex(clock: session.clock).find(address.withoutQuery, in: session.executor)
            if let known, known.status != .removed {
                throw AdminFailure(.conflict, "\(known.base) is a service of the federation already")
            }
            let proposer = try await proposer(session)
            let made = try await session.proposals.propose(
                address, name: name, wishes: wishes, by: proposer.id, in: session.executor)
            try await session.audit("services.propose", node: "proposal:\(made.id)", account: proposer.id)
            return made.json
        }

        /// Held, so that the limit is one.
        private func proposer(_ session: AdminSession) async throws -> Account {
            var id = session.authority.account
            if let account {
                let named = try await session.account(account)
                guard id == nil || id == named.id || session.authority.isAdministrator else {
                    throw AdminFailure.noAccount(account)
                }
                id = named.id
            }
            guard let id else { throw AdminFailure(.usage, "--account says for whom") }
            let store = AccountStore(clock: session.clock)
            guard let held = try await store.hold(id, in: session.executor), held.status == .active else {
                throw AdminFailure(.conflict, "the account is not active")
            }
            return held
        }

        private func address(_ settings: Settings) throws -> WebAddress {
            guard let address = WebAddress(base), address.query == nil else {
                throw AdminFailure(
                    .invalid, "\(base.prefix(200)) is not an absolute http(s) URL without userinfo and query")
            }
            let admitted = try CrawlerSettings(settings, version: Version.text).admits(base: address.withoutQuery)
            guard address.scheme == "https" || admitted || settings.allowsLoopbackServices && address.isLoopback else {
                throw AdminFailure(.invalid, "\(base.prefix(200)) must be https")
            }
            return address
        }
    }
}

extension AdminSession {
    var proposals: ServiceProposalStore { ServiceProposalStore(clock: clock, randomness: randomness) }

    /// One that whoever asks may see: their own, and all where they see everything. `isChange`: that they may change;
    /// who only looks at everything changes no more than their own.
    func proposal(_ id: String, isChange: Bool = false, locking: Bool = false) async throws -> ServiceProposal {
        guard let found = try await proposals.find(id, locking: locking, in: executor),
            found.proposer == authority.account
                || (isChange ? authority.isAdministrator : authority.seesEverything)
        else { throw AdminFailure(.notFound, "there is no proposal \(id.prefix(80))") }
        return found
    }
}
