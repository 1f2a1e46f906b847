import Accounts
import Base
import Database
import Foundation
import TokenTree

/// People as a directory makes, changes, suspends and deletes them: each as the command of that name does, with the
/// same line in the audit trail, in one transaction.
public final class DirectoryAccounts: Sendable {
    public enum Refused: Error, Sendable, Equatable {
        /// There is nobody, or nobody whom this directory may see.
        case notFound
        /// It has changed since it was read.
        case stale
        case taken(DirectoryStore.Taken)
        case unacceptable(DirectoryRecord.Objection)
        case password(PasswordRule.Refusal)
        /// Too many passwords are being hashed.
        case busy
        /// A person who administers more than this directory's institution: they are not to be taken over from there.
        case administrator
        /// A value speaks for a domain that is not the directory's institution's.
        case foreign(PersonAttribute, domain: String)
    }

    /// What somebody is to become.
    public struct Wanted: Sendable {
        public var record: DirectoryRecord
        /// A new one; `nil` leaves what there is.
        public var password: String?

        public init(_ record: DirectoryRecord, password: String? = nil) {
            (self.record, self.password) = (record, password)
        }
    }

    public let store: DirectoryStore
    public let database: Database
    let revocation: Revocation
    let removal: AccountRemoval
    let passwords: ChangePassword
    let hasher: PasswordHasher
    let rule: PasswordRule
    let notices: AccountNotices?
    public let clock: WallClock
    private let accounts: AccountStore

    /// `notices`: where the process runs the IdP.
    public init(
        store: TokenStore, revocation: Revocation, removal: AccountRemoval, hasher: PasswordHasher, rule: PasswordRule,
        notices: AccountNotices?, clock: WallClock
    ) {
        (database, self.revocation, self.removal) = (store.database, revocation, removal)
        (self.hasher, self.rule, self.notices, self.clock) = (hasher, rule, notices, clock)
        passwords = ChangePassword(store: store, revocation: revocation, clock: clock)
        (self.store, accounts) = (DirectoryStore(clock: clock), AccountStore(clock: clock))
    }

    // MARK: One by one

    /// Without a password the account has none: an invitation, or another way to log in, is to come.
    public func create(
        _ wanted: Wanted, in institution: String?, by actor: AuditActor
    ) async throws -> DirectoryPerson {
        try DirectoryAccounts.check(wanted.record, beside: nil)
        let hash = try await hash(wanted.password, names: wanted.record.names)
        return try await database.atomically { transaction in
            try await admit(wanted.record.attributes, of: institution, transaction)
            let insertion = store.insertion(wanted.record, password: hash, institution: institution)
            guard let made = try await store.insert([insertion], in: transaction).first.flatMap({ $0 }) else {
                throw Refused.taken(try await taken(wanted.record, in: institution, transaction))
            }
            try await write("accounts.create", made, by: actor, in: transaction)
            return made
        }
    }

    /// Which of the two it was for which nothing was made.
    private func taken(
        _ record: DirectoryRecord, in institution: String?, _ transaction: any SQLExecutor
    ) async throws -> DirectoryStore.Taken {
        let key = Username.key(record.username)
        let known = try await store.known(
            usernames: [record.username], externalIDs: record.externalID.map { [$0] } ?? [], institution: institution,
            in: transaction)
        return known.contains { Username.key($0.account.username) == key } ? .username : .externalID
    }

    /// `isCurrent`: whether it is the one that the sender knows. What `making` throws undoes all.
    public func change(
        _ id: UUID, in scope: DirectoryScope, by actor: AuditActor,
        isCurrent: @Sendable (DirectoryPerson) -> Bool = { _ in true },
        making: @Sendable (DirectoryPerson) throws -> Wanted
    ) async throws -> DirectoryPerson {
        try await database.atomically { transaction in
            let known = try await held(id, in: scope, transaction)
            guard isCurrent(known) else { throw Refused.stale }
            return try await apply(try making(known), to: known, in: scope, by: actor, transaction)
        }
    }

    public func remove(
        _ id: UUID, in scope: DirectoryScope, by actor: AuditActor,
        isCurrent: @Sendable (DirectoryPerson) -> Bool = { _ in true }
    ) async throws {
        try await database.atomically { transaction in
            let known = try await held(id, in: scope, transaction)
            guard isCurrent(known) else { throw Refused.stale }
            _ = try await removal.remove(id, by: actor, in: transaction)
            try await write("accounts.delete", known, by: actor, in: transaction)
        }
    }

    private func held(
        _ id: UUID, in scope: DirectoryScope, _ transaction: any SQLExecutor
    ) async throws -> DirectoryPerson {
        guard let known = try await store.find(id, in: scope, holding: true, in: transaction) else {
            throw Refused.notFound
        }
        return known
    }

    // MARK: In a transaction of the caller's, who holds the row

    /// Nothing is written where nothing is different.
    public func apply(
        _ wanted: Wanted, to known: DirectoryPerson, in scope: DirectoryScope, by actor: AuditActor,
        _ transaction: any SQLExecutor
    ) async throws -> DirectoryPerson {
        let before = known.record, record = wanted.record
        try DirectoryAccounts.check(record, beside: before)
        let isTakenOver =
            wanted.password != nil || !record.email.isSame(as: before.email)
            || !record.username.isSame(as: before.username)
            // Whom the federation keeps out, it lets in again.
            || record.isActive && !before.isActive
        if isTakenOver, let institution = scope.institution,
            try await RoleStore.exceeds(known.id, institutions: [institution], in: transaction)
        {
            throw Refused.administrator
        }
        if record.attributes != before.attributes {
            try await admit(record.attributes, beside: before.attributes, of: scope.institution, transaction)
        }
        var told = record
        told.isActive = before.isActive
        if told != before { try await replace(known, with: record, by: actor, transaction) }
        if record.isActive != before.isActive { try await set(record.isActive, known, by: actor, transaction) }
        if let hash = try await hash(wanted.password, names: record.names) {
            guard try await passwords.reset(hash, of: known.id, by: actor, in: transaction) != nil else {
                throw Refused.notFound
            }
            try await write("accounts.password", known, by: actor, in: transaction)
            try await notices?.passwordChanged(of: known.account, in: transaction)
        }
        return try await held(known.id, in: scope, transaction)
    }

    private func replace(
        _ known: DirectoryPerson, with record: DirectoryRecord, by actor: AuditActor, _ transaction: any SQLExecutor
    ) async throws {
        do {
            guard try await store.replace(known.id, with: record, in: transaction) != nil else {
                throw Refused.notFound
            }
        } catch let taken as DirectoryStore.Taken {
            throw Refused.taken(taken)
        }
        try await write("accounts.update", known, by: actor, in: transaction)
        if let email = record.email {
            try await notices?.addressChanged(of: known.account, from: known.account.email, to: email, in: transaction)
        }
    }

    /// Suspending ends all that acts for the person; what was ended stays so.
    func set(
        _ isActive: Bool, _ known: DirectoryPerson, by actor: AuditActor, _ transaction: any SQLExecutor
    ) async throws {
        _ = try await accounts.setStatus(known.id, isActive ? .active : .suspended, in: transaction)
        if !isActive {
            _ = try await revocation.revoke(.virtual(Ancestor(.account, known.name)), by: actor, in: transaction)
        }
        try await write(isActive ? "accounts.resume" : "accounts.suspend", known, by: actor, in: transaction)
    }

    /// An institution speaks for its own domains. `institution`: `nil` where the federation speaks.
    private func admit(
        _ attributes: PersonAttributes, beside known: PersonAttributes = .init(), of institution: String?,
        _ executor: any SQLExecutor
    ) async throws {
        guard let institution else { return }
        let place = try await InstitutionStore(clock: clock).find(institution, in: executor)
        if let foreign = attributes.foreign(to: place, beside: known) {
            throw Refused.foreign(foreign.attribute, domain: foreign.domain)
        }
    }

    private func write(
        _ action: String, _ person: DirectoryPerson, by actor: AuditActor, in transaction: any SQLExecutor
    ) async throws {
        let entry = DirectoryAccounts.entry(action, person, by: actor)
        try await AuditTrail.write(entry, at: clock.now(), in: transaction)
    }

    static func entry(_ action: String, _ person: DirectoryPerson, by actor: AuditActor) -> AuditEntry {
        AuditEntry(actor: actor, action: action, node: "account:\(person.name)", account: person.id)
    }

    static func check(_ record: DirectoryRecord, beside known: DirectoryRecord?) throws {
        do { try record.check(beside: known) } catch { throw Refused.unacceptable(error) }
    }

    private func hash(_ password: String?, names: [String]) async throws -> PasswordHash? {
        guard let password else { return nil }
        do { try rule.check(password, names: names) } catch let refusal as PasswordRule.Refusal {
            throw Refused.password(refusal)
        }
        do { return try await hasher.hash(password) } catch is PasswordHasher.Busy { throw Refused.busy }
    }
}

extension PersonAttributes {
    /// The first value that was not there and speaks for a domain which is not the institution's.
    func foreign(
        to institution: Institution?, beside known: PersonAttributes
    ) -> (attribute: PersonAttribute, domain: String)? {
        for attribute in PersonAttribute.allCases {
            for value in values[attribute] ?? [] where known.values[attribute]?.contains(value) != true {
                guard let domain = attribute.domain(of: value), institution?.owns(domain: domain) != true else {
                    continue
                }
                return (attribute, domain)
            }
        }
        return nil
    }
}

extension DirectoryRecord {
    /// What the person is called, for `PasswordRule`.
    var names: [String] { [username, email, name, givenName, familyName].compactMap(\.self) }
}
