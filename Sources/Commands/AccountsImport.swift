import Accounts
import Administration
import Base
import Database
import Foundation
import OAuth
import TokenTree

/// A run of `accounts import`: reads, does some hundred lines at once, counts and reports.
struct AccountsImport {
    /// Does `work` in a transaction, whichever that is.
    typealias Work = (any SQLExecutor, AdminSession) async throws -> Void
    typealias Chunk = (_ work: Work) async throws -> Void

    private static let chunkSize = 500
    /// Refusals that the result itself tells.
    private static let mostTold = 100

    private let command: AccountsCommand.Import
    private let session: AdminSession
    private let progress: ProgressLine?
    private let recovery: AccountRecovery?
    private var report: ImportReportFile?
    private var importing: DirectoryImport
    private var columns: ImportColumns?
    private var counts: [DirectoryImport.Outcome.Kind: Int] = [:]
    private var told: [JSONValue] = [], links: [JSONValue] = []
    private var seen: Set<UUID> = []
    private var done = 0
    /// A line was refused of which nobody knows whom it means.
    private var hasUnknown = false
    /// A line suspended somebody.
    private(set) var suspends = false

    var hasRefusals: Bool { counts[.refused, default: 0] > 0 }

    /// `file`: of the report.
    init(
        _ command: AccountsCommand.Import, _ session: AdminSession, file: String?, progress: ProgressLine?
    ) async throws {
        (self.command, self.session, self.progress) = (command, session, progress)
        let authority = session.authority
        if let visible = authority.visible {
            guard let institution = command.institution, visible.institutions.contains(institution) else {
                throw AdminFailure(.forbidden, "name an institution of yours: --institution")
            }
        }
        if let institution = command.institution,
            try await InstitutionStore(clock: session.clock).find(institution, in: session.executor) == nil
        {
            throw AdminFailure(.notFound, "there is no institution \(institution)")
        }
        let scope: DirectoryScope =
            authority.isAdministrator ? .federation : .institution(command.institution ?? "")
        importing = DirectoryImport(
            try session.composition.directory,
            .init(institution: command.institution, updates: command.update, scope: scope), by: session.actor)
        recovery = command.invite ? try session.recovery : nil
        if let recovery, !recovery.queue.isOn, progress != nil, file == nil, !command.change.dryRun {
            throw AdminFailure(
                .usage, "mail is off, so links would lead nowhere", hint: "--report FILE takes them down")
        }
        report = try file.map { try ImportReportFile($0) }
        if let progress, let lines = try InputPieces.lines(command.file) { progress.begin(lines) }
    }

    // MARK: Lines

    mutating func lines(_ chunk: Chunk) async throws {
        let separators: [String: Character] = ["comma": ",", "semicolon": ";", "tab": "\t"]
        var pieces = try InputPieces(command.file)
        var reader = CSVReader(separator: separators[command.separator] ?? ",")
        var waiting: [CSVReader.Line] = []
        while let piece = try pieces.next() {
            waiting += reader.read(piece)
            while waiting.count >= AccountsImport.chunkSize {
                try await take(Array(waiting.prefix(AccountsImport.chunkSize)), chunk)
                waiting.removeFirst(AccountsImport.chunkSize)
            }
        }
        waiting += reader.finish()
        if !waiting.isEmpty { try await take(waiting, chunk) }
        guard columns != nil else { throw AdminFailure(.invalid, "the file has no header line") }
    }

    private mutating func take(_ lines: [CSVReader.Line], _ chunk: Chunk) async throws {
        var lines = lines[...]
        let columns: ImportColumns
        if let known = self.columns {
            columns = known
        } else {
            guard case .success(let names)? = lines.popFirst()?.fields else {
                throw AdminFailure(.invalid, "the header line cannot be read: is the file CSV in UTF-8?")
            }
            columns = try ImportColumns(names, map: command.map, isStrict: command.strict)
            self.columns = columns
        }
        var fit: [DirectoryLine] = []
        for line in lines {
            do { fit.append(try columns.line(line)) } catch let problem as ImportColumns.Problem {
                try count([.init(.refused, line: line.number, reason: problem.description)])
            }
        }
        let (unique, twice) = importing.unique(fit)
        try count(twice)
        try await run(unique, chunk)
    }

    /// Where somebody else takes a name meanwhile, the lines are done one by one, and one is refused.
    private mutating func run(_ lines: [DirectoryLine], _ chunk: Chunk) async throws {
        guard !lines.isEmpty else { return }
        do { try await attempt(lines, chunk) } catch DatabaseError.unique {
            guard lines.count > 1 else {
                return try count([
                    .init(
                        .refused, line: lines[0].number, username: lines[0].username,
                        reason: "the username or external_id is somebody else's")
                ])
            }
            guard progress != nil else { throw AdminFailure(.conflict, "somebody else took a username meanwhile") }
            for line in lines { try await run([line], chunk) }
        }
    }

    private mutating func attempt(_ lines: [DirectoryLine], _ chunk: Chunk) async throws {
        let importing = importing, recovery = recovery, language = command.language
        var outcomes: [DirectoryImport.Outcome] = [], links: [UUID: String] = [:]
        try await chunk { executor, session in
            (outcomes, links) = (try await importing.run(lines, in: executor), [:])
            guard let recovery else { return }
            for case let outcome in outcomes where outcome.kind == .new {
                guard let person = outcome.person, person.account.status == .active else { continue }
                links[person.id] = try await recovery.invite(person.account, language: language, in: executor)
                let entry = AuditEntry(
                    actor: session.actor, action: "accounts.invite", node: "account:\(person.name)", account: person.id)
                try await AuditTrail.write(entry, at: session.now, in: executor)
            }
        }
        try count(outcomes, links: command.change.dryRun ? [:] : links)
    }

    // MARK: Who is not in the file

    /// Nobody is suspended for a line that could not be read.
    mutating func suspend(_ chunk: Chunk) async throws {
        guard !hasUnknown else {
            throw AdminFailure(
                .invalid, "nobody was suspended: it is not known whom all lines of the file mean",
                hint: "put right the lines that were refused, and run it again")
        }
        let missing = try await importing.missing(beside: seen, in: session.executor), importing = importing
        for start in stride(from: 0, to: missing.count, by: AccountsImport.chunkSize) {
            let people = Array(missing[start..<min(start + AccountsImport.chunkSize, missing.count)])
            var outcomes: [DirectoryImport.Outcome] = []
            try await chunk { executor, _ in outcomes = try await importing.suspend(people, in: executor) }
            try count(outcomes)
        }
    }

    // MARK: What came of it

    private mutating func count(_ outcomes: [DirectoryImport.Outcome], links: [UUID: String] = [:]) throws {
        for outcome in outcomes {
            counts[outcome.kind, default: 0] += 1
            if let person = outcome.person { seen.insert(person.id) }
            if outcome.line != nil { done += 1 }
            if outcome.suspends { suspends = true }
            let link = outcome.person.flatMap { links[$0.id] }
            // On the command line they stand in the report.
            if progress == nil, let link, let person = outcome.person {
                self.links.append(["username": .string(person.account.username), "link": .string(link)])
            }
            try report?.write(outcome, link: link)
            guard outcome.kind == .refused else { continue }
            if outcome.person == nil { hasUnknown = true }
            if told.count < AccountsImport.mostTold { told.append(ImportReportFile.line(outcome)) }
            if command.strict {
                throw AdminFailure(
                    .invalid,
                    "\(outcome.line.map { "line \($0)" } ?? outcome.username ?? ""): \(outcome.reason ?? "")",
                    hint: "without --strict the rest goes on; what was done before stays on the command line")
            }
        }
        progress?.show(done: done, failed: counts[.refused, default: 0])
    }

    func result(withLinks: Bool) -> JSONObject {
        var result = JSONObject()
        for kind in DirectoryImport.Outcome.Kind.allCases where kind != .refused {
            result[kind.rawValue] = .integer(counts[kind, default: 0])
        }
        result["refused"] = .integer(counts[.refused, default: 0])
        if let ignored = columns?.ignored, !ignored.isEmpty { result["ignored_columns"] = JSONValue(strings: ignored) }
        if !told.isEmpty { result["refusals"] = .array(told) }
        if let recovery { result["mailed"] = .bool(recovery.queue.isOn) }
        if withLinks, !links.isEmpty { result["links"] = .array(links) }
        result["dry_run"] = .bool(command.change.dryRun)
        return result
    }
}
