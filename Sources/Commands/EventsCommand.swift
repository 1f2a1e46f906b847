import Accounts
import Administration
import ArgumentParser
import Base
import Federation
import Foundation

/// `events …`: how far the news of revocations has come.
struct EventsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events", abstract: "Delivery of revocation events.",
        subcommands: [Status.self, Retry.self, EventsDeadCommand.self])

    struct Status: AdminQuery {
        static let configuration = CommandConfiguration(
            abstract: "Last, acknowledged, lag, dead letters and failures per service.")
        @Argument(help: "Id or base URL; all by default.") var service: String?
        @OptionGroup var list: ListOptions
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            let id = if let service { try await ServicesCommand.find(service, session).id } else { String?.none }
            return .list(
                try await Outbox.status(
                    service: id, of: InstitutionFilter(visible: session.authority.visible), at: session.now,
                    in: session.executor), next: nil)
        }
    }

    struct Retry: AdminChange {
        static let configuration = CommandConfiguration(abstract: "Try now instead of at the appointed time.")
        @Argument(help: "Id or base URL.") var service: String
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        func perform(_ session: AdminSession) async throws -> JSONObject {
            let id = try await ServicesCommand.find(service, session).id
            try await Outbox.retry(service: id, at: session.now, in: session.executor)
            try await session.audit("events.retry", node: "service:\(id)")
            return try await Outbox.status(service: id, at: session.now, in: session.executor).first?.object ?? [:]
        }
    }
}
