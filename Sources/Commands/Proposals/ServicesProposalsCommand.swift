import Accounts
import Administration
import ArgumentParser
import Base
import Crawler
import Federation
import Foundation
import Registration
import Server
import ServiceCheck
import TokenTree

extension ServicesCommand {
    /// `services proposals …`: what people propose, until the federation decides.
    struct Proposals: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "proposals", abstract: "Services that people propose themselves.",
            subcommands: [List.self, Show.self, Prove.self, Withdraw.self, Accept.self, Refuse.self])

        struct List: AdminQuery {
            static let route: AdminRoute? = AdminRoute("GET", "/proposals")
            static let configuration = CommandConfiguration(
                abstract: "List proposals, newest first: your own, or all where you see everything.")
            @Option(help: "proposed, proven, accepted, refused or withdrawn.") var status: String?
            @OptionGroup var list: ListOptions
            @OptionGroup var common: AdminOptions

            func validate() throws {
                guard status.map({ ServiceProposal.Status(rawValue: $0) != nil }) ?? true else {
                    throw ValidationError("--status takes proposed, proven, accepted, refused or withdrawn")
                }
            }

            func answer(_ session: AdminSession) async throws -> AdminResult {
                let found = try await session.proposals.list(
                    proposer: session.authority.seesEverything ? nil : session.authority.account,
                    status: status.flatMap { ServiceProposal.Status(rawValue: $0) }, after: list.after,
                    limit: list.limit + 1, in: session.executor)
                return .page(found, limit: list.limit, cursor: \.id, json: { .object($0.json) })
            }
        }

        struct Show: AdminQuery {
            static let route: AdminRoute? = AdminRoute("GET", "/proposals/{proposal}")
            static let configuration = CommandConfiguration(
                abstract: "Show a proposal, what it asks for, and what a check of the service found.")
            @Argument(help: "Its id.") var proposal: String
            @OptionGroup var common: AdminOptions

            func answer(_ session: AdminSession) async throws -> AdminResult {
                .object(try await Proposals.describe(try await session.proposal(proposal), session))
            }
        }

        struct Prove: AdminChange {
            static let route: AdminRoute? = AdminRoute("POST", "/proposals/{proposal}/prove")
            static let configuration = CommandConfiguration(
                abstract: "Have the proof read at the service, and the service checked.",
                discussion:
                    "The file is asked as a crawl asks: no redirect is followed, and no address inside a network.")
            @Argument(help: "Its id.") var proposal: String
            @OptionGroup var change: ChangeOptions
            @OptionGroup var common: AdminOptions

            /// What the service answers.
            func prepare(_ session: AdminSession) async throws -> (any Sendable)? {
                let known = try await session.proposal(proposal, isChange: true)
                guard known.status.isOpen else { throw AdminFailure(.conflict, "the proposal is decided already") }
                let proof = try ProofOfControl(session.composition.settings, clock: session.clock)
                try await proof.require(of: known)
                return try await proof.report(on: known)
            }

            func perform(_ session: AdminSession) async throws -> JSONObject {
                guard let report = session.prepared as? JSONObject else {
                    throw AdminFailure(.failed, "the service was not asked")
                }
                let known = try await session.proposal(proposal, isChange: true, locking: true)
                let proven = try await session.proposals.prove(known.id, report: .object(report), in: session.executor)
                try await session.audit(
                    "services.proposals.prove", node: "proposal:\(known.id)", account: known.proposer)
                return try await Proposals.describe(proven, session)
            }
        }

        struct Withdraw: AdminChange {
            static let route: AdminRoute? = AdminRoute("POST", "/proposals/{proposal}/withdraw")
            static let configuration = CommandConfiguration(abstract: "Take a proposal back.")
            @Argument(help: "Its id.") var proposal: String
            @OptionGroup var change: ChangeOptions
            @OptionGroup var common: AdminOptions

            func perform(_ session: AdminSession) async throws -> JSONObject {
                try await Proposals.close(proposal, .withdrawn, "services.proposals.withdraw", session)
            }
        }

        struct Refuse: AdminChange {
            static let route: AdminRoute? = AdminRoute("POST", "/proposals/{proposal}/refuse")
            static let configuration = CommandConfiguration(
                abstract: "Refuse a proposal; its proposer is told the --reason.")
            @Argument(help: "Its id.") var proposal: String
            @OptionGroup var change: ChangeOptions
            @OptionGroup var common: AdminOptions

            func perform(_ session: AdminSession) async throws -> JSONObject {
                try await Proposals.close(proposal, .refused, "services.proposals.refuse", session)
            }
        }

        /// Without a service that comes of it.
        private static func close(
            _ proposal: String, _ status: ServiceProposal.Status, _ action: String, _ session: AdminSession
        ) async throws -> JSONObject {
            let known = try await session.proposal(proposal, isChange: true, locking: true)
            let decided = try await session.proposals.decide(
                known.id, status, by: session.actor.name, reason: session.actor.reason, in: session.executor)
            try await session.audit(action, node: "proposal:\(known.id)", account: known.proposer)
            return decided.json
        }

        static func describe(_ proposal: ServiceProposal, _ session: AdminSession) async throws -> JSONObject {
            var described = proposal.json
            let person = try await AccountStore(clock: session.clock).find(proposal.proposer, in: session.executor)
            described["username"] = JSONValue(person?.username)
            described["document"] = proposal.document ?? .null
            described["report"] = proposal.report ?? .null
            return described
        }
    }
}
