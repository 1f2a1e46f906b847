import Accounts
import Base
import Database
import Foundation
import TokenTree

/// Many people of a file, some hundred in one transaction. What is as the file has it is passed over, so a run that was
/// broken off is begun again from the start.
public struct DirectoryImport: Sendable {
    public struct Options: Sendable {
        /// Whose people they are, where no column says it.
        public let institution: String?
        /// People who are there are changed.
        public let updates: Bool
        /// Whose people may be changed, as `DirectoryAccounts` has it.
        public let scope: DirectoryScope

        public init(institution: String?, updates: Bool, scope: DirectoryScope) {
            (self.institution, self.updates, self.scope) = (institution, updates, scope)
        }
    }

    public struct Outcome: Sendable {
        public enum Kind: String, Sendable, CaseIterable { case new, changed, same, refused, suspended }

        public let kind: Kind
        /// Of the file; `nil` for who is not in it.
        public let line: Int?
        public let username: String?
        /// Who it is, also where the line was refused, as far as that is known.
        public let person: DirectoryPerson?
        public let reason: String?
        /// Whether the line put an end to what acts for the person.
        public internal(set) var suspends = false

        public init(
            _ kind: Kind, line: Int?, username: String? = nil, person: DirectoryPerson? = nil, reason: String? = nil
        ) {
            (self.kind, self.line, self.person, self.reason) = (kind, line, person, reason)
            self.username = username ?? person?.account.username
        }
    }

    private enum Step {
        case done(Outcome)
        case insert(DirectoryLine, SQL)
        case change(DirectoryLine, DirectoryPerson)
    }

    let directory: DirectoryAccounts
    let options: Options
    let actor: AuditActor
    /// What this run has met, so that nobody is in a file twice.
    private var usernames: Set<String> = [], externalIDs: Set<[UInt8]> = []

    public init(_ directory: DirectoryAccounts, _ options: Options, by actor: AuditActor) {
        (self.directory, self.options, self.actor) = (directory, options, actor)
    }

    /// Those who stand twice, here or in a chunk before, are refused at the second.
    public mutating func unique(_ lines: [DirectoryLine]) -> (fit: [DirectoryLine], refused: [Outcome]) {
        var fit: [DirectoryLine] = [], refused: [Outcome] = []
        for line in lines {
            let place = place(of: line) ?? ""
            let isNew =
                (line.username.isEmpty || usernames.insert(Username.key(line.username)).inserted)
                && (line.externalID.map { externalIDs.insert(Known.key($0, in: place)).inserted } ?? true)
            if isNew {
                fit.append(line)
            } else {
                refused.append(
                    Outcome(.refused, line: line.number, username: line.username, reason: "stands in the file twice"))
            }
        }
        return (fit, refused)
    }

    /// In the caller's transaction. Throws `DatabaseError.unique` where somebody else took a name meanwhile: then the
    /// lines are to be tried one by one.
    public func run(_ lines: [DirectoryLine], in transaction: any SQLExecutor) async throws -> [Outcome] {
        let known = try await Known(lines, self, transaction)
        let steps = lines.map { line in step(line, known) }
        let insertions = steps.compactMap { step -> SQL? in if case .insert(_, let sql) = step { sql } else { nil } }
        var made =
            insertions.isEmpty ? [] : try await directory.store.insert(insertions, in: transaction)[...]
        var outcomes: [Outcome] = [], new: [DirectoryPerson] = []
        for step in steps {
            switch step {
            case .done(let outcome): outcomes.append(outcome)
            case .insert(let line, _):
                guard let person = made.popFirst() ?? nil else {
                    outcomes.append(refused(line, nil, "the username or external_id is somebody else's"))
                    continue
                }
                new.append(person)
                outcomes.append(Outcome(.new, line: line.number, person: person))
            case .change(let line, let person):
                outcomes.append(try await change(line, person, known, transaction))
            }
        }
        if new.isEmpty { return outcomes }
        try await transaction.batch(
            new.map {
                AuditTrail.line(DirectoryAccounts.entry("accounts.create", $0, by: actor), at: directory.clock.now())
            })
        return outcomes
    }

    /// By what is there once the row is held: who was suspended meanwhile, or has another address since, stays so where
    /// the line says nothing of it.
    private func change(
        _ line: DirectoryLine, _ person: DirectoryPerson, _ known: Known, _ transaction: any SQLExecutor
    ) async throws -> Outcome {
        do {
            guard
                let held = try await directory.store.find(
                    person.id, in: options.scope, holding: true, in: transaction),
                held.institution == person.institution
            else { return refused(line, nil, "is gone") }
            if try await exceeds(held, transaction) { throw DirectoryAccounts.Refused.administrator }
            let record = try line.applied(to: held.record)
            if record == held.record { return Outcome(.same, line: line.number, person: held) }
            try record.check(beside: held.record)
            try known.admit(record, beside: held.record, in: options.scope)
            let changed = try await directory.apply(
                .init(record), to: held, in: options.scope, by: actor, transaction)
            var outcome = Outcome(.changed, line: line.number, person: changed)
            outcome.suspends = held.record.isActive && !record.isActive
            return outcome
        } catch let objection as DirectoryRecord.Objection {
            return refused(line, person, DirectoryImport.words(objection))
        } catch DirectoryAccounts.Refused.unacceptable(let objection) {
            return refused(line, person, "\(objection.member): \(objection.reason)")
        } catch DirectoryAccounts.Refused.administrator {
            return refused(line, person, "administers more than this institution: the federation changes them")
        } catch DirectoryAccounts.Refused.foreign(let attribute, let domain) {
            return refused(line, person, "\(attribute.rawValue): \(domain) is no domain of the institution")
        } catch DirectoryAccounts.Refused.taken {
            throw DatabaseError.unique(constraint: "account")
        }
    }

    /// As wherever somebody of an institution changes its people: `AdminPermissions`.
    private func exceeds(_ person: DirectoryPerson, _ transaction: any SQLExecutor) async throws -> Bool {
        guard let institution = options.scope.institution else { return false }
        return try await RoleStore.exceeds(person.id, institutions: [institution], in: transaction)
    }

    private func refused(_ line: DirectoryLine, _ person: DirectoryPerson?, _ reason: String) -> Outcome {
        Outcome(.refused, line: line.number, username: line.username, person: person, reason: reason)
    }

    // MARK: One line

    /// Whom the lines of a chunk mean.
    private struct Known {
        private var named: [String: DirectoryPerson] = [:]
        /// By bytes: of two that Swift takes for one, the database has both.
        private var called: [[UInt8]: DirectoryPerson] = [:]
        private let institutions: Set<String>
        /// Of an institution that speaks itself.
        private let speaker: Institution?

        init(_ lines: [DirectoryLine], _ run: DirectoryImport, _ transaction: any SQLExecutor) async throws {
            let places = Dictionary(grouping: lines, by: { run.place(of: $0) })
            let named = places.keys.compactMap(\.self)
            institutions = Set(
                try await transaction.query("select i.id from institution i where i.id = any (\(named))").map {
                    try $0("id")
                })
            speaker =
                if let own = run.options.scope.institution {
                    try await InstitutionStore(clock: run.directory.clock).find(own, in: transaction)
                } else { nil }
            for (place, lines) in places {
                let people = try await run.directory.store.known(
                    usernames: lines.map(\.username).filter { !$0.isEmpty },
                    externalIDs: lines.compactMap(\.externalID),
                    institution: place, in: transaction)
                for person in people {
                    self.named[Username.key(person.account.username)] = person
                    if let id = person.externalID { called[Known.key(id, in: person.institution)] = person }
                }
            }
        }

        /// Throws `Objection` where a value speaks for others.
        func admit(
            _ record: DirectoryRecord, beside known: DirectoryRecord?, in scope: DirectoryScope
        ) throws(DirectoryRecord.Objection) {
            let before = known?.attributes ?? .init()
            guard scope.institution != nil, let foreign = record.attributes.foreign(to: speaker, beside: before) else {
                return
            }
            throw DirectoryRecord.Objection(
                member: foreign.attribute.rawValue, reason: "\(foreign.domain) is no domain of the institution")
        }

        func has(institution: String?) -> Bool { institution.map(institutions.contains) ?? true }
        func named(_ username: String) -> DirectoryPerson? { named[Username.key(username)] }
        func called(_ id: String?, in place: String?) -> DirectoryPerson? {
            id.flatMap { called[Known.key($0, in: place)] }
        }

        /// What a directory calls somebody of an institution.
        static func key(_ externalID: String, in place: String?) -> [UInt8] {
            Array("\(place ?? "") \(externalID)".utf8)
        }
    }

    private func place(of line: DirectoryLine) -> String? {
        line.values[.institution].flatMap { $0.isEmpty ? nil : $0 } ?? options.institution
    }

    private func step(_ line: DirectoryLine, _ known: Known) -> Step {
        let place = place(of: line), named = known.named(line.username)
        if let institution = options.institution, place != institution {
            return .done(refused(line, nil, "is of the institution \(place ?? ""), not of \(institution)"))
        }
        guard known.has(institution: place) else {
            return .done(refused(line, nil, "there is no institution \(place ?? "")"))
        }
        guard let person = known.called(line.externalID, in: place) ?? named else {
            return create(line, in: place, known)
        }
        // Somebody else has the name that the line gives.
        if let named, named.id != person.id { return .done(refused(line, person, "the username is somebody else's")) }
        guard person.institution == place else {
            // Of which one is told to the federation alone.
            let owner = options.scope.institution == nil ? person.institution ?? "no institution" : "somebody else"
            return .done(refused(line, nil, "is of \(owner) here"))
        }
        if let id = line.externalID, let other = person.externalID, !other.isSame(as: id) {
            return .done(refused(line, person, "the directory calls who has this username \(other)"))
        }
        do {
            let record = try line.applied(to: person.record)
            if record == person.record { return .done(Outcome(.same, line: line.number, person: person)) }
            guard options.updates else {
                return .done(refused(line, person, "is there, and otherwise; --update changes it"))
            }
            return .change(line, person)
        } catch {
            return .done(refused(line, person, DirectoryImport.words(error)))
        }
    }

    private func create(_ line: DirectoryLine, in place: String?, _ known: Known) -> Step {
        guard !line.username.isEmpty else { return .done(refused(line, nil, "username is missing")) }
        do {
            let record = try line.applied(to: DirectoryRecord(username: line.username))
            try record.check()
            try known.admit(record, beside: nil, in: options.scope)
            return .insert(line, directory.store.insertion(record, password: nil, institution: place))
        } catch {
            return .done(refused(line, nil, DirectoryImport.words(error)))
        }
    }

    private static func words(_ error: any Error) -> String {
        guard let objection = error as? DirectoryRecord.Objection else { return "\(error)" }
        return "\(objection.member): \(objection.reason)"
    }

    // MARK: Who is not in the file

    /// Active people of the institution whom the file did not name.
    public func missing(beside seen: Set<UUID>, in executor: any SQLExecutor) async throws -> [UUID] {
        guard let institution = options.institution else { return [] }
        var missing: [UUID] = [], after: UUID?
        repeat {
            let page = try await directory.store.page(
                in: .institution(institution), isActive: true, after: after, limit: 1_000, in: executor)
            missing += page.map(\.id).filter { !seen.contains($0) }
            after = page.count == 1_000 ? page.last?.id : nil
        } while after != nil
        return missing
    }

    public func suspend(_ people: [UUID], in transaction: any SQLExecutor) async throws -> [Outcome] {
        var outcomes: [Outcome] = []
        for id in people {
            guard
                let person = try await directory.store.find(id, in: options.scope, holding: true, in: transaction),
                person.institution == options.institution, person.record.isActive
            else { continue }
            if try await exceeds(person, transaction) {
                outcomes.append(
                    Outcome(.refused, line: nil, person: person, reason: "administers more than this institution"))
                continue
            }
            try await directory.set(false, person, by: actor, transaction)
            outcomes.append(Outcome(.suspended, line: nil, person: person))
        }
        return outcomes
    }
}
