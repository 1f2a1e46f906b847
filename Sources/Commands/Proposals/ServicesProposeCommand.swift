import Accounts
import Administration
import ArgumentParser
import Base
import Crawler
import Federation
import Foundation
import Server
import TokenTree
import Vocabulary

extension ServicesCommand {
    /// `services propose`: anybody who is logged in, for a service of theirs.
    struct Propose: AdminChange {
        static let route: AdminRoute? = AdminRoute("POST", "/proposals")
        static let configuration = CommandConfiguration(
            abstract: "Propose a service of yours to the federation.",
            discussion: """
                By its base URL, or by the URL of its RSD document alone: that is read at once, as a crawl reads it, \
                and shown as `document`. Then put `proof` at `proof_url`, and `services proposals prove` has it read. \
                pando admin services propose https://grades.uni.example --claim email --why 'to send marks'
                """)
        @Argument(help: "Base URL; with --rsd the homePageLink of the document by default.") var base: String?
        @Option(help: "URL of its RSD document, which says what is not said here.") var rsd: String?
        @Option(help: "Its name for people; that of the document or the host by default.") var name: String?
        @Option(help: "A claim that it asks for, each with a --why; may be repeated.") var claim: [String] = []
        @Option(help: "What it needs the claim for that stands at the same place; may be repeated.")
        var why: [String] = []
        @Option(help: "For whom, by username or UUID, where it is the operator who types.") var account: String?
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func validate() throws {
            guard claim.count == why.count else { throw ValidationError("each --claim goes with a --why") }
            guard claim.count == Set(claim).count else { throw ValidationError("each --claim once") }
            guard base != nil || rsd != nil else {
                throw ValidationError("name the base URL, or the document by --rsd")
            }
        }

        /// What its document says.
        func prepare(_ session: AdminSession) async throws -> (any Sendable)? {
            guard let rsd else { return nil }
            let settings = try session.composition.settings
            return try await ProposedDocument.read(
                rsd, at: try address(rsd, isBase: false, settings),
                base: try base.map { try address($0, isBase: true, settings) }, settings, clock: session.clock)
        }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let read = session.prepared as? ProposedDocument
            let address = try address(
                base ?? read?.base.withoutQuery ?? "", isBase: true, try session.composition.settings)
            try ClaimOptions.check(claim)
            let wishes = try zip(claim, why).map { claim, why in
                let why = why.trimmingCharacters(in: .whitespacesAndNewlines)
                guard (1...500).contains(why.count) else {
                    throw AdminFailure(.invalid, "--why has 1 to 500 characters: what is \(claim) for?")
                }
                return ServiceProposal.Wish(claim: claim, why: why)
            }
            let name = (name ?? read?.name ?? address.host).trimmingCharacters(in: .whitespacesAndNewlines)
            guard DisplayText.isFit(name, longest: 200) else {
                throw AdminFailure(.invalid, "--name takes 1 to 200 characters, and no control characters")
            }
            let known = try await ServiceIndex(clock: session.clock).find(address.withoutQuery, in: session.executor)
            if let known, known.status != .removed {
                throw AdminFailure(.conflict, "\(known.base) is a service of the federation already")
            }
            let proposer = try await proposer(session)
            let made = try await session.proposals.propose(
                address, name: name, wishes: wishes, by: proposer.id, rsd: rsd, document: read?.json,
                in: session.executor)
            try await session.audit("services.propose", node: "proposal:\(made.id)", account: proposer.id)
            return try await Proposals.describe(made, session)
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

        /// A document may be at an address with a query, a service is not.
        private func address(_ text: String, isBase: Bool, _ settings: Settings) throws -> WebAddress {
            guard let address = WebAddress(text), !isBase || address.query == nil else {
                let without = isBase ? "userinfo and query" : "userinfo"
                throw AdminFailure(
                    .invalid, "\(text.prefix(200)) is not an absolute http(s) URL without \(without)")
            }
            let admitted = try CrawlerSettings(settings, version: Version.text).admits(base: address.withoutQuery)
            guard address.scheme == "https" || admitted || settings.allowsLoopbackServices && address.isLoopback else {
                throw AdminFailure(.invalid, "\(text.prefix(200)) must be https")
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
