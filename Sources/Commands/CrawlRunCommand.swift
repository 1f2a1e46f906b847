import Accounts
import Administration
import ArgumentParser
import Base
import Crawler
import Foundation
import TokenTree

extension CrawlCommand {
    /// `crawl run`. The crawler keeps its own transactions, and its dry run fetches and reads but writes nothing: as a
    /// change, which servers run for others, it crawls before its transaction begins. At the database results are
    /// written as they come.
    struct Run: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Crawl now, whatever the schedule says, and wait for the result.",
            discussion: """
                Through a server (--server, the administration API) it takes 1 to \(atOnce) services that are named, \
                since a request waits for their results.
                """)
        static let route: AdminRoute? = AdminRoute("POST", "/crawl/run")
        /// Of one request.
        static let atOnce = 20

        @Argument(help: "Ids or base URLs; all by default.") var services: [String] = []
        @Flag(help: "Only what is due.") var due = false
        @OptionGroup var change: ChangeOptions
        @OptionGroup var list: ListOptions
        @OptionGroup var common: AdminOptions

        func run(on runner: AdminRunner) async throws {
            guard common.watch == nil else { throw AdminFailure(.usage, "--watch is for commands that only look") }
            var hasFailures = false
            let isRemote = try await runner.remotely(common) { told in
                let results = try Run.results(told)
                hasFailures = results.contains { $0["outcome"]?.string == CrawlResult.Outcome.failed.rawValue }
                try AdminOutput.write(.list(results, next: nil), common)
            }
            if !isRemote {
                try await runner.run(common, reason: change.reason) { hasFailures = try await write($0) }
            }
            if hasFailures { throw ExitCode(AdminFailure.Code.partial.exitStatus) }
        }

        /// Of what a server tells.
        private static func results(_ told: AdminResult) throws -> [JSONValue] {
            switch told {
            case .list(let results, _): return results
            case .object(let object):
                guard let results = object["items"]?.array else {
                    throw AdminFailure(.failed, "the server told no results")
                }
                return results
            }
        }

        func prepare(_ session: AdminSession) async throws -> (any Sendable)? {
            guard !services.isEmpty, services.count <= Run.atOnce else {
                throw AdminFailure(
                    .usage, "a server crawls 1 to \(Run.atOnce) services at a request; name them",
                    hint: "all that is due is crawled by itself; pando admin crawl run at the server takes any number")
            }
            return try await session.composition.crawler.crawl(
                try await ids(session), dueOnly: due, dryRun: change.dryRun)
        }

        func perform(_ session: AdminSession) async throws -> JSONObject {
            guard let results = session.prepared as? [CrawlResult] else { throw AdminFailure(.failed, "no results") }
            for result in results {
                try await note(in: session, node: "service:\(result.service)", hasFailed: result.outcome == .failed)
            }
            return ["items": .array(results.map(\.json)), "next": .null]
        }

        /// Returns whether one of them failed.
        private func write(_ session: AdminSession) async throws -> Bool {
            let progress = ProgressLine(isOn: isatty(STDERR_FILENO) != 0 && !common.json)
            var output = try CrawlOutput(json: common.json, isDryRun: change.dryRun)
            var failed: Set<String> = [], count = 0
            let named = try await ids(session)
            do {
                try await session.composition.crawler.crawl(
                    named, dueOnly: due, dryRun: change.dryRun
                ) { services in
                    progress.begin(services.count)
                    output.begin(services)
                } each: { result in
                    progress.show(failed: result.outcome == .failed)
                    if result.outcome == .failed, !named.isEmpty { failed.insert(result.service) }
                    count += 1
                    try output.add(result)
                }
            } catch {
                progress.end()
                throw error
            }
            progress.end()
            if !change.dryRun {
                // Of all services a line: each of its own would say nothing that its history does not.
                for id in named { try await note(in: session, node: "service:\(id)", hasFailed: failed.contains(id)) }
                if named.isEmpty {
                    try await note(
                        in: session, node: nil, hasFailed: output.hasFailures, ["services": .integer(count)])
                }
            }
            try output.end()
            await session.database.close()
            return output.hasFailures
        }

        /// Who asked; what came of it in the document is in the trail as `crawl.changed`, by the crawler itself.
        private func note(
            in session: AdminSession, node: String?, hasFailed: Bool, _ detail: JSONObject = [:]
        ) async throws {
            let entry = AuditEntry(
                actor: session.actor, action: "crawl.run", node: node, outcome: hasFailed ? "failed" : "done",
                detail: detail)
            try await AuditTrail.write(entry, at: session.now, in: session.executor)
        }

        private func ids(_ session: AdminSession) async throws -> [String] {
            var seen: Set<String> = []
            return try await services.asyncMap { try await ServicesCommand.find($0, session).id }
                .filter { seen.insert($0).inserted }
        }
    }
}
