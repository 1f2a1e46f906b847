import ArgumentParser
import Base
import Database
import Foundation
import Logging
import Server
import TokenTree

/// What a command works with: the composition, and the transaction in which everything it does happens.
struct AdminSession: Sendable {
    let composition: Composition
    let executor: any SQLExecutor
    let actor: AuditActor
    /// Everything is undone afterwards.
    var isDryRun = false

    var now: Date { composition.clock.now() }

    func audit(_ action: String, node: String? = nil, account: UUID? = nil) async throws {
        try await AuditTrail.write(AuditEntry(actor: actor, action: action, node: node, account: account), at: now, in: executor)
    }
}

/// What a command tells.
enum AdminResult: Sendable {
    case object(JSONObject)
    case list([JSONValue], next: String?)
}

extension JSONObject {
    /// What a change tells: the thing as it became, and whether it was so before.
    func told(already: Bool) -> JSONObject {
        var members = self
        members["already"] = .bool(already)
        return members
    }

    /// And how many browser sessions of an account ended with it; `nil` where it is no account's.
    func told(browsersEnded: Int?) -> JSONObject {
        var members = self
        if let browsersEnded { members["browsers_ended"] = .integer(browsersEnded) }
        return members
    }
}

/// What blocking or removing a phone does besides, of either kind.
enum PhoneEnding {
    static let help = """
        Where an account logs in with it, sessions of that account's browsers end that showed such a phone, and with them what applications got there. Phones, devices \
        and applications with offline_access go on until you revoke them (tokens revoke account:NAME).
        """
}

/// A command that only looks.
protocol AdminQuery: AsyncParsableCommand {
    var common: AdminOptions { get }
    func answer(_ session: AdminSession) async throws -> AdminResult
}

/// A command that changes something, in one transaction, which `--dry-run` rolls back.
protocol AdminChange: AsyncParsableCommand {
    var common: AdminOptions { get }
    var change: ChangeOptions { get }
    /// What is destroyed, as a question; `nil` when nothing is.
    var question: String? { get }
    func perform(_ session: AdminSession) async throws -> JSONObject
}

extension AdminQuery {
    func run() async throws {
        try await AdminRunner.run(common, reason: nil) { composition, actor in
            AdminOutput.write(try await answer(AdminSession(composition: composition, executor: composition.database, actor: actor)), json: common.json)
        }
    }
}

extension AdminChange {
    var question: String? { nil }

    func run() async throws {
        if let question, !change.yes, !change.dryRun { try AdminRunner.ask(question) }
        try await AdminRunner.run(common, reason: change.reason) { composition, actor in
            let work: (Transaction) async throws -> JSONObject = { try await perform(AdminSession(composition: composition, executor: $0, actor: actor, isDryRun: change.dryRun)) }
            var result = change.dryRun ? try await composition.database.rollingBack(work) : try await composition.database.atomically(work)
            if change.dryRun || result["dry_run"] != nil { result["dry_run"] = .bool(change.dryRun) }
            AdminOutput.write(.object(result), json: common.json)
        }
    }
}

enum AdminRunner {
    /// Opens what the configuration names, runs, and turns every error into one that scripts can read.
    static func run(_ options: AdminOptions, reason: String?, _ body: (Composition, AuditActor) async throws -> Void) async throws {
        try await connected(options, connections: 4) { settings, database, logger in
            let composition = try await Composition(settings, database: database, logger: logger, isServing: false)
            try await body(composition, actor(reason))
        }
    }

    /// The same without a composition, which opens sealed keys: for what must work when these are sealed by another master key.
    static func connected(_ options: AdminOptions, connections: Int, _ body: (Settings, Database, Logger) async throws -> Void) async throws {
        do {
            var values = try await options.configuration.values()
            values.offer("warning", for: .logLevel, origin: "pando admin")
            try DevelopmentDatabase.offer(to: &values)
            let settings = try Settings(values)
            let logger = Bootstrap.logging(settings)
            let database = try settings.connect(connections: connections, forCommand: true, logger)
            try await body(settings, database, logger)
            await database.close()
        } catch let failure as ValidationError {
            throw failure
        } catch let exit as ExitCode {
            throw exit
        } catch {
            throw AdminFailure(error)
        }
    }

    /// Who runs the command, and from where.
    static func actor(_ reason: String?) -> AuditActor {
        let environment = ProcessInfo.processInfo.environment
        return AuditActor(name: "admin:\(environment["SUDO_USER"] ?? NSUserName())", origin: environment["SSH_CLIENT"].flatMap { $0.split(separator: " ").first.map(String.init) } ?? "cli", reason: reason)
    }

    /// Only people are asked, where they can answer. Nobody is there in a script: that must have said `--yes` (cli.md, "Manners").
    static func ask(_ question: String) throws {
        guard isatty(STDIN_FILENO) != 0, isatty(STDERR_FILENO) != 0 else {
            throw AdminFailure(.usage, "\(question) Nobody is here to answer, so nothing was changed.", hint: "--yes does it; --dry-run tells what it would do, and what would end")
        }
        FileHandle.standardError.write(Data("\(question) [y/N] ".utf8))
        guard let answer = readLine(), ["y", "yes"].contains(answer.lowercased()) else { throw AdminFailure(.failed, "nothing was changed") }
    }
}

/// When no database is configured, the one that `pando dev` runs here.
enum DevelopmentDatabase {
    static func offer(to values: inout ConfigurationValues) throws {
        let state = values[.stateDirectory]
        values.offer("\(state)/master.key", for: .masterKeyFile, origin: "pando dev")
        guard values[.database].isEmpty, FileManager.default.fileExists(atPath: "\(state)/postgres") else { return }
        values.offer("true", for: .allowLoopbackServices, origin: "pando dev")
        values.offer(try PrivatePostgres(directory: "\(state)/postgres").url(), for: .database, origin: "pando dev")
    }
}
