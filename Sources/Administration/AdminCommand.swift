import ArgumentParser
import Base
import Database

/// A command of `pando admin`. ArgumentParser makes it of words, so what it works on comes when it runs.
public protocol AdminCommand: ParsableCommand {
    /// Where the administration API has it; `nil` where its words say it (`AdminEntry`).
    static var route: AdminRoute? { get }
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
    /// What is to be known first and takes time, such as what a service answers: it is asked before the transaction
    /// begins, and `AdminSession.prepared` there.
    func prepare(_ session: AdminSession) async throws -> (any Sendable)?
    func perform(_ session: AdminSession) async throws -> JSONObject
}

extension AdminCommand {
    public static var route: AdminRoute? { nil }
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
    public func prepare(_ session: AdminSession) async throws -> (any Sendable)? { nil }

    public func run(on runner: AdminRunner) async throws {
        if let question, !change.yes, !change.dryRun { try AdminRunner.ask(question) }
        try await runner.run(common, reason: change.reason) { session in
            AdminOutput.write(.object(try await result(in: session)), json: common.json)
        }
    }

    /// Does it in a transaction of its own. `beside` runs in the same one, before it; what it throws undoes all.
    public func result(
        in session: AdminSession, beside: @Sendable (AdminSession) async throws -> Void = { _ in }
    ) async throws -> JSONObject {
        let prepared = try await prepare(session)
        let work: (Transaction) async throws -> JSONObject = {
            let inside = session.inside($0, isDryRun: change.dryRun, prepared: prepared)
            try await beside(inside)
            return try await perform(inside)
        }
        var result =
            change.dryRun ? try await session.database.rollingBack(work) : try await session.database.atomically(work)
        if change.dryRun || result["dry_run"] != nil { result["dry_run"] = .bool(change.dryRun) }
        return result
    }
}
