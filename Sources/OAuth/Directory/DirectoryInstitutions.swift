import Accounts
import Base
import Database
import Foundation
import TokenTree

/// Institutions as a directory of the federation makes them, and who belongs to which. A directory of one institution
/// sees that one and changes none.
public final class DirectoryInstitutions: Sendable {
    public enum Refused: Error, Sendable, Equatable {
        case notFound, stale
        /// One of the people is nobody.
        case noPerson(String)
        case institution(DirectoryInstitutionStore.Refused)
        case taken(DirectoryStore.Taken)
    }

    /// What of it becomes otherwise.
    public struct Change: Sendable {
        public var name: String
        public var externalID: String?
        /// Who comes and who leaves; of whom stands in both, the person comes.
        public var coming: [UUID] = []
        public var leaving: [UUID] = []
        /// All who are not among `coming` leave.
        public var leavesOthers = false

        public init(name: String, externalID: String? = nil) { (self.name, self.externalID) = (name, externalID) }
    }

    public let store: DirectoryInstitutionStore
    public let database: Database
    private let people: DirectoryStore
    private let clock: WallClock

    public init(database: Database, clock: WallClock) {
        (self.database, self.clock) = (database, clock)
        (store, people) = (DirectoryInstitutionStore(clock: clock), DirectoryStore(clock: clock))
    }

    public func create(_ change: Change, by actor: AuditActor) async throws -> DirectoryInstitution {
        try await refusing {
            try await database.atomically { transaction in
                let id = try await store.create(name: change.name, externalID: change.externalID, in: transaction)
                try await write("institutions.create", id, by: actor, transaction)
                try await move(change, id, by: actor, transaction)
                return try await held(id, transaction)
            }
        }
    }

    public func change(
        _ id: String, by actor: AuditActor, isCurrent: @Sendable (DirectoryInstitution) -> Bool = { _ in true },
        making: @Sendable (DirectoryInstitution) throws -> Change
    ) async throws -> DirectoryInstitution {
        try await refusing {
            try await database.atomically { transaction in
                let known = try await held(id, transaction)
                guard isCurrent(known) else { throw Refused.stale }
                let change = try making(known)
                if change.name != known.name || change.externalID != known.externalID {
                    try await store.replace(id, name: change.name, externalID: change.externalID, in: transaction)
                    try await write("institutions.update", id, by: actor, transaction)
                }
                try await move(change, id, by: actor, transaction)
                return try await held(id, transaction)
            }
        }
    }

    public func remove(
        _ id: String, by actor: AuditActor, isCurrent: @Sendable (DirectoryInstitution) -> Bool = { _ in true }
    ) async throws {
        try await refusing {
            try await database.atomically { transaction in
                guard isCurrent(try await held(id, transaction)) else { throw Refused.stale }
                try await store.delete(id, in: transaction)
                try await write("institutions.delete", id, by: actor, transaction)
            }
        }
    }

    /// Of rows that are held, so that nobody moves the same people meanwhile.
    private func move(
        _ change: Change, _ id: String, by actor: AuditActor, _ transaction: any SQLExecutor
    ) async throws {
        guard !change.coming.isEmpty || !change.leaving.isEmpty || change.leavesOthers else { return }
        let coming = Set(change.coming)
        let rows = try await transaction.query(
            """
            select a.id, a.institution from account a
            where a.id = any (\(Array(coming.union(change.leaving))))
                or (\(change.leavesOthers) and a.institution = \(id))
            order by a.id for no key update
            """)
        var arrived: [UUID] = [], left: [UUID] = [], found: Set<UUID> = []
        for row in rows {
            let person: UUID = try row("id"), place: String? = try row("institution")
            found.insert(person)
            if coming.contains(person) {
                if place != id { arrived.append(person) }
            } else if place == id {
                left.append(person)
            }
        }
        if let nobody = coming.subtracting(found).first { throw Refused.noPerson(nobody.uuidString.lowercased()) }
        if !left.isEmpty { try await people.move(left, to: nil, in: transaction) }
        if !arrived.isEmpty { try await people.move(arrived, to: id, in: transaction) }
        let lines = (arrived + left).map { person in
            let entry = AuditEntry(
                actor: actor, action: "accounts.update", node: "account:\(person.uuidString.lowercased())",
                account: person)
            return AuditTrail.line(entry, at: clock.now())
        }
        // There may be very many.
        for start in stride(from: 0, to: lines.count, by: 500) {
            try await transaction.batch(Array(lines[start..<min(start + 500, lines.count)]))
        }
    }

    private func held(_ id: String, _ transaction: any SQLExecutor) async throws -> DirectoryInstitution {
        guard let known = try await store.find(id, in: .federation, holding: true, in: transaction) else {
            throw Refused.notFound
        }
        return known
    }

    private func write(
        _ action: String, _ id: String, by actor: AuditActor, _ transaction: any SQLExecutor
    ) async throws {
        let entry = AuditEntry(actor: actor, action: action, node: "institution:\(id)")
        try await AuditTrail.write(entry, at: clock.now(), in: transaction)
    }

    private func refusing<Value: Sendable>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch let refusal as DirectoryInstitutionStore.Refused {
            throw Refused.institution(refusal)
        } catch let taken as DirectoryStore.Taken {
            throw Refused.taken(taken)
        }
    }
}
