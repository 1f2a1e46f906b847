import ArgumentParser
import Base
import Database

/// A command of `pando admin`. ArgumentParser makes it of words, so what it works on comes when it runs.
public protocol AdminCommand: ParsableCommand {
    /// Where the administration API has it; `nil` where its words say it (`AdminEntry`).
    static var route: AdminRoute? { get }
    /// A call as people type it, behind `pando admin`; `nil` where what its declaration needs is example enough
    /// (`CommandExample`).
    static var example: String? { get }
    func run(on runner: AdminRunner) async throws
}

/// A command that only looks.
public protocol AdminQuery: AdminCommand {
    var common: AdminOptions { get }
    /// Which members of a list people want to see on a terminal, the most wanted first; none: all that there is room
    /// for.
    static var columns: [String] { get }
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

extension AdminCommand {
    public static var route: AdminRoute? { nil }
    public static var example: String? { nil }
}

extension AdminQuery {
    public static var columns: [String] { [] }

    public func run(on runner: AdminRunner) async throws {
        try await runner.run(common) { session in
            try await AdminOutput.repeated(every: common.watch) {
                var result = try await answer(session)
                if common.format == .table, Terminal.current().width != nil {
                    result = try await PeopleNames.replaced(in: result, by: session.executor)
                }
                try AdminOutput.write(result, common, preferred: Self.columns, now: session.now)
            }
        }
    }
}

extension AdminChange {
    public var question: String? { nil }

    public func run(on runner: AdminRunner) async throws {
        guard common.watch == nil else { throw AdminFailure(.usage, "--watch is for commands that only look") }
        if let question, !change.yes, !change.dryRun { try AdminRunner.ask(question) }
        try await runner.run(common, reason: change.reason) { session in
            try AdminOutput.write(.object(try await result(in: session)), common, now: session.now)
        }
    }

    /// Does it in a transaction of its own. `beside` runs in the same one, before it; what it throws undoes all.
    public func result(
        in session: AdminSession, beside: @Sendable (AdminSession) async throws -> Void = { _ in }
    ) async throws -> JSONObject {
        let work: (Transaction) async throws -> JSONObject = {
            let inside = session.inside($0, isDryRun: change.dryRun)
            try await beside(inside)
            return try await perform(inside)
        }
        var result =
            change.dryRun ? try await session.database.rollingBack(work) : try await session.database.atomically(work)
        if change.dryRun || result["dry_run"] != nil { result["dry_run"] = .bool(change.dryRun) }
        return result
    }
}
