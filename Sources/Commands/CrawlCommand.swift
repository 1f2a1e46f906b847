import Accounts
import Administration
import ArgumentParser
import Base
import Crawler
import Foundation

/// `crawl …`: reading what services publish.
struct CrawlCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "crawl", abstract: "Read what services publish.",
        subcommands: [Run.self, Status.self, History.self, Show.self])

    struct Status: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "Health of the services' documents.")
        @Argument(help: "Ids or base URLs; all by default.") var services: [String] = []
        @Option(help: "Only those in this state: \(CrawlState.allCases.map(\.rawValue).joined(separator: ", ")).")
        var state: String?
        @OptionGroup var list: ListOptions
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            let ids = try await services.asyncMap { try await ServicesCommand.find($0, session).id }
            let state = try self.state.map { word in
                guard let state = CrawlState(rawValue: word) else {
                    throw AdminFailure(
                        .usage, "--state takes \(CrawlState.allCases.map(\.rawValue).joined(separator: ", "))")
                }
                return state
            }
            let rows = try await session.composition.crawler.status(
                services: ids, state: state, of: InstitutionFilter(visible: session.authority.visible),
                after: list.after, limit: list.limit + 1)
            return .page(rows, limit: list.limit, cursor: { $0["service"]?.string ?? "" }, json: { $0 })
        }
    }

    struct History: AdminQuery {
        static let configuration = CommandConfiguration(
            abstract: "What changed of a service's document, newest first; the last 100 changes are kept.")
        @Argument(help: "Id or base URL.") var service: String
        @OptionGroup var list: ListOptions
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            let id = try await ServicesCommand.find(service, session).id
            let after = try list.after.map { text in
                guard let seq = Int64(text) else {
                    throw AdminFailure(.usage, "--after takes what the list before gave as next")
                }
                return seq
            }
            let rows = try await session.composition.crawler.history(id, after: after, limit: list.limit + 1)
            return .page(rows, limit: list.limit, cursor: { $0["seq"]?.string ?? "" }, json: { $0 })
        }
    }

    struct Show: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "The document as discovery would give it.")
        /// At the address of the service itself stands its health.
        static var route: AdminRoute? { AdminRoute("GET", "/crawl/{service}/document") }
        @Argument(help: "Id or base URL.") var service: String
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            let id = try await ServicesCommand.find(service, session).id
            guard let document = try await session.composition.crawler.show(id)?.object else {
                throw AdminFailure(.notFound, "\(service) has no good document yet")
            }
            return .object(document)
        }
    }
}
