import ArgumentParser
import Base
import Database

/// A command of `pando admin`. ArgumentParser makes it of words, so what it works on comes when it runs.
public protocol AdminCommand: ParsableCommand {
    func run(on runner: AdminRunner) async throws
}

/// A command that only looks.
public protocol AdminQuery: AdminCommand {
    var common: AdminOptions { get }
    func answer(_ session: AdminSession) async throws -> AdminResult
}

/// A command that changes something, in one transaction, which `--dry-run` rolls back.
public protocol AdminChange: AdminCommand {
    var common: AdminOptions { get }
    var change: ChangeOptions { get }
    /// What is destroyed, as a question; `nil` when nothing is.
    var question: String? { get }
    func perform(_ session: AdminSession) async throws -> JSONObject
}

extension AdminQuery {
    public func run(on runner: AdminRunner) async throws {
        try await runner.run(common) { session in
            AdminOutput.write(try await answer(session), json: common.json)
        }
    }
}

extension AdminChange {
    public var question: String? { nil }

    public func run(on runner: AdminRunner) async throws {
        if let question, !change.yes, !change.dryRun { try AdminRunner.ask(question) }
        try await runner.run(common, reason: change.reason) { session in
            let work: (Transaction) async throws -> JSONObject = {
                try await perform(session.inside($0, isDryRun: change.dryRun))
            }
            var result =
                change.dryRun
                ? try await session.database.rollingBack(work) : try await session.database.atomically(work)
            if change.dryRun || result["dry_run"] != nil { result["dry_run"] = .bool(change.dryRun) }
            AdminOutput.write(.object(result), json: common.json)
        }
    }
}
