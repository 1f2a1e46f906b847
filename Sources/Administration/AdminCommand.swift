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
    /// What is to be known first and takes time, such as what a service answers: it is asked before the transaction
    /// begins, and `AdminSession.prepared` there.
    func prepare(_ session: AdminSession) async throws -> (any Sendable)?
    func perform(_ session: AdminSession) async throws -> JSONObject
}

/// What goes into the transaction of a change besides the change itself.
public struct AdminBeside: Sendable {
    public typealias Before = @Sendable (AdminSession) async throws -> Void
    public typealias After = @Sendable (AdminSession, JSONObject) async throws -> Void

    public static let nothing = AdminBeside()

    let before: Before
    let after: After

    /// `after` gets what the change tells.
    public init(before: @escaping Before = { _ in }, after: @escaping After = { _, _ in }) {
        (self.before, self.after) = (before, after)
    }
}

extension AdminCommand {
    public static var route: AdminRoute? { nil }
    public static var example: String? { nil }
}

extension AdminQuery {
    public static var columns: [String] { [] }

    /// A list, which may be read where it is a little old.
    static var isList: Bool { _commandName == "list" }

    /// `answer`, by a read replica where that may be.
    func answered(_ session: AdminSession) async throws -> AdminResult {
        Self.isList ? try await session.listing { try await answer($0) } : try await answer(session)
    }

    public func run(on runner: AdminRunner) async throws {
        if try await runner.remotely(common, { try AdminOutput.write($0, common, preferred: Self.columns) }) { return }
        try await runner.run(common) { session in
            try await AdminOutput.repeated(every: common.watch) {
                var result = try await answered(session)
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
    public func prepare(_ session: AdminSession) async throws -> (any Sendable)? { nil }

    public func run(on runner: AdminRunner) async throws {
        guard common.watch == nil else { throw AdminFailure(.usage, "--watch is for commands that only look") }
        if let question, !change.yes, !change.dryRun { try AdminRunner.ask(question) }
        if try await runner.remotely(common, { try AdminOutput.writeDone($0, common) }) { return }
        try await runner.run(common, reason: change.reason) { session in
            try AdminOutput.writeDone(.object(try await result(in: session)), common, now: session.now)
        }
    }

    /// Does it in a transaction of its own, in which `beside` runs too; what that throws undoes all.
    public func result(in session: AdminSession, beside: AdminBeside = .nothing) async throws -> JSONObject {
        let prepared = try await prepare(session)
        let work: (Transaction) async throws -> JSONObject = {
            let inside = session.inside($0, isDryRun: change.dryRun, prepared: prepared)
            try await beside.before(inside)
            var result = try await perform(inside)
            if change.dryRun || result["dry_run"] != nil { result["dry_run"] = .bool(change.dryRun) }
            try await beside.after(inside, result)
            return result
        }
        guard !change.dryRun else { return try await session.database.rollingBack(work) }
        let result = try await session.database.atomically(work)
        session.changed()
        return result
    }
}
