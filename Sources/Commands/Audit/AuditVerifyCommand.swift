import Administration
import ArgumentParser
import Base
import TokenTree

/// Days of the chain, on the command line.
struct AuditDayOptions: ParsableArguments {
    @Option(help: "From this day on, as 2026-11-21, or the day of an RFC 3339 time; UTC.") var since: String?
    @Option(help: "Until this day, with it.") var until: String?

    func first() throws -> String? { try AuditDayOptions.day(since, "--since") }
    func last() throws -> String? { try AuditDayOptions.day(until, "--until") }

    static func day(_ text: String?, _ option: String) throws -> String? {
        guard let text else { return nil }
        guard let day = AuditDay(text) else {
            throw AdminFailure(.invalid, "\(option) takes a day, e.g. 2026-11-21, or a time by RFC 3339")
        }
        return day.text
    }
}

extension AuditCommand {
    struct Verify: AdminQuery {
        static let configuration = CommandConfiguration(
            abstract: "See whether a line of the audit trail was changed, taken out, put in or moved.",
            discussion: """
                Leaves 7 where something is not as it was: `problems` names kind, line, day and place. What somebody \
                with the database rewrote to its end is found by a head that was published before: `audit heads`.
                """)
        @Option(help: "This day alone, as 2026-11-21.") var day: String?
        @OptionGroup var days: AuditDayOptions
        @OptionGroup var common: AdminOptions

        func validate() throws {
            guard day == nil || days.since == nil && days.until == nil else {
                throw ValidationError("--day, or --since and --until")
            }
        }

        func run(on runner: AdminRunner) async throws {
            try await runner.run(common) { session in
                let report = try await report(session)
                try AdminOutput.write(.object(report.json), common)
                await session.database.close()
                if !report.isIntact { throw ExitCode(AdminFailure.Code.partial.exitStatus) }
            }
        }

        func answer(_ session: AdminSession) async throws -> AdminResult {
            .object(try await report(session).json)
        }

        private func report(_ session: AdminSession) async throws -> AuditCheck.Report {
            let one = try AuditDayOptions.day(day, "--day")
            return try await AuditCheck(in: session.executor).run(
                since: try one ?? days.first(), until: try one ?? days.last())
        }
    }

    struct Chain: AdminChange {
        static let configuration = CommandConfiguration(
            abstract: "Give lines their places in the chain now; a running server does it every fifteen seconds.")
        @OptionGroup var change: ChangeOptions
        @OptionGroup var common: AdminOptions

        /// In transactions of its own, which commit: a line that has its place keeps it.
        func perform(_ session: AdminSession) async throws -> JSONObject {
            let chain = AuditChain(database: session.database, clock: session.clock)
            let lines = session.isDryRun ? try await chain.waiting() : try await chain.round()
            return ["lines": .integer(lines), "dry_run": .bool(session.isDryRun)]
        }
    }

    struct Heads: AdminQuery {
        static let configuration = CommandConfiguration(
            abstract: "List the days of the chain with their hashes, oldest first: what to publish.")
        @OptionGroup var days: AuditDayOptions
        @OptionGroup var list: ListOptions
        @OptionGroup var common: AdminOptions

        func answer(_ session: AdminSession) async throws -> AdminResult {
            let heads = try await AuditHead.list(
                since: try days.first(), until: try days.last(),
                after: try AuditDayOptions.day(list.after, "--after"), limit: list.limit + 1, in: session.executor)
            return .page(heads, limit: list.limit, cursor: \.day, json: { .object($0.json) })
        }
    }
}
