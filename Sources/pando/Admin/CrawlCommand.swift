import ArgumentParser
import Base
import Crawler
import Foundation

/// `crawl …`: reading what services publish.
struct CrawlCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "crawl", abstract: "Read what services publish.", subcommands: [Run.self, Status.self, Show.self])

    /// The crawler keeps its own transactions, so this is no `AdminChange`: its dry run fetches and reads but writes nothing.
    struct Run: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Crawl now, whatever the schedule says, and wait for the result.")
        @Argument(help: "Ids or base URLs; all by default.") var services: [String] = []
        @Flag(help: "Only what is due.") var due = false
        @OptionGroup var change: ChangeOptions
        @OptionGroup var list: ListOptions
        @OptionGroup var common: AdminOptions

        func run() async throws {
            try await AdminRunner.run(common, reason: change.reason) { composition, actor in
                let session = AdminSession(composition: composition, executor: composition.database, actor: actor)
                let ids = try await services.asyncMap { try await ServicesCommand.find($0, session).id }
                let progress = CrawlProgress(isOn: isatty(STDERR_FILENO) != 0 && !common.json)
                let results = try await composition.crawler.crawl(ids, dueOnly: due, dryRun: change.dryRun, progress: { progress.show($0) })
                AdminOutput.write(.list(results.map(\.json), next: nil), json: common.json)
                await composition.database.close()
                if results.contains(where: { $0.outcome == .failed }) { throw ExitCode(AdminFailure.Code.partial.exitStatus) }
            }
        }
    }

    struct Status: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "Health of the services' documents.")
        @Argument(help: "Ids or base URLs; all by default.") var services: [String] = []
        @OptionGroup var list: ListOptions
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            let ids = try await services.asyncMap { try await ServicesCommand.find($0, session).id }
            let rows = try await session.composition.crawler.status(services: ids, after: list.after, limit: list.limit + 1)
            return .page(rows, limit: list.limit, cursor: { $0["service"]?.string ?? "" }, json: { $0 })
        }
    }

    struct Show: AdminQuery {
        static let configuration = CommandConfiguration(abstract: "The document as discovery would give it.")
        @Argument(help: "Id or base URL.") var service: String
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            let id = try await ServicesCommand.find(service, session).id
            guard let document = try await session.composition.crawler.show(id)?.object else { throw AdminFailure(.notFound, "\(service) has no good document yet") }
            return .object(document)
        }
    }
}

/// One plain line per service, on a terminal.
struct CrawlProgress: Sendable {
    let isOn: Bool

    func show(_ result: CrawlResult) {
        guard isOn else { return }
        FileHandle.standardError.write(Data("  \(result.service)  \(result.outcome)\n".utf8))
    }
}
