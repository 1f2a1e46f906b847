import Accounts
import Base
import Database
import Federation
import Foundation
import Keys
import Registration
import TokenTree

/// Whose something is: of any of these institutions, or one of these services itself.
struct AdminOwner {
    var institutions: Set<String> = []
    var services: Set<String> = []
    /// The account, where it is one, or something with which one logs in: who changes that may take it over.
    var account: UUID?

    func union(_ other: AdminOwner?) -> AdminOwner {
        AdminOwner(
            institutions: institutions.union(other?.institutions ?? []),
            services: services.union(other?.services ?? []), account: account)
    }
}

/// Finds whose something is. For a change it is held until the transaction ends, so that what is admitted now is theirs
/// still when it is done.
struct AdminOwnership {
    let session: AdminSession
    let isHeld: Bool

    private var executor: any SQLExecutor { session.executor }

    func account(_ name: String) async throws -> AdminOwner? {
        guard let found = try await AccountStore(clock: session.clock).find(name, in: executor) else { return nil }
        return try await account(found.id)
    }

    func account(_ id: UUID) async throws -> AdminOwner? {
        var owner = try await one(.account(id), "select a.institution from account a where a.id = \(id)")
        owner?.account = id
        return owner
    }

    func app(_ id: String) async throws -> AdminOwner? {
        try await one(.app(id), "select p.institution from app p where p.id = \(id)")
    }

    func service(_ name: String) async throws -> AdminOwner? {
        guard let found = try await ServiceIndex(clock: session.clock).find(name, in: executor) else { return nil }
        var owner = try await one(
            .service(found.id), "select s.institution from service s where s.id = \(found.id)")
        owner?.services = [found.id]
        return owner
    }

    func client(_ id: String) async throws -> AdminOwner? {
        let owner = try await one(.client(id), "select c.institution from client c where c.id = \(id)")
        guard let owner else { return nil }
        guard let place = try await ServiceIndex(clock: session.clock).find(client: id, in: executor) else {
            return owner
        }
        return try await owner.union(service(place.id))
    }

    /// Of its person, or of its app.
    func instance(_ id: String) async throws -> AdminOwner? {
        guard let found = try await InstanceStore(clock: session.clock).find(id, in: executor) else { return nil }
        let app = try await app(found.app)
        guard let person = found.account else { return app }
        return try await app?.union(account(person))
    }

    func institution(_ id: String) async throws -> AdminOwner? {
        let found = try await InstitutionStore(clock: session.clock).find(id, in: executor)
        return found.map { AdminOwner(institutions: [$0.id]) }
    }

    /// Of what hangs from several, any of them: an institution ends what its people have elsewhere, and what others
    /// have at its services. What shows whom a service or client knows is not for it: it knows them by other names.
    func node(_ text: String, isShown: Bool) async throws -> AdminOwner? {
        let name: NodeName
        do { name = try await NodeName(text, session) } catch let failure as AdminFailure
            where failure.code == .notFound
        {
            return nil
        }
        if let row = name.token { return try await token(row, isShown: isShown) }
        guard case .virtual(let ancestor) = name.node else { return nil }
        let parts = ancestor.name.split(separator: "/", maxSplits: 1).map(String.init)
        switch ancestor.kind {
        case .account, .password: return try await account(ancestor.name).map(AdminOwnership.bare)
        case .instance: return try await instance(ancestor.name)
        case .client: return isShown ? nil : try await client(ancestor.name)
        case .version:
            let version = try await AppStore(clock: session.clock).version(ancestor.name, in: executor)
            guard let version else { return nil }
            return try await app(version.app)
        case .service: return isShown ? nil : try await service(ancestor.name)
        case .use:
            guard parts.count == 2 else { return nil }
            let person = try await account(parts[0]).map(AdminOwnership.bare)
            return isShown ? person : try await (person ?? AdminOwner()).union(service(parts[1]))
        case .grant: return try await account(parts[0]).map(AdminOwnership.bare)
        // They hang from what is of several institutions, or of all.
        case .epoch, .signer, .key, .session, .bundle, .admission: return nil
        }
    }

    /// As `tokens why` takes one.
    func token(_ given: String) async throws -> AdminOwner? {
        let text = (given == "-" ? try AdminInput.text("-") : given).trimmingCharacters(in: .whitespacesAndNewlines)
        let row: TokenRow?
        if let id = NodeID(text) {
            row = try await session.store.find(id, in: executor)
        } else if let shown = try await RefreshFamily(store: session.store).find(text) {
            row = shown.family
        } else if let id = (try? JWT(text))?.string("jti").flatMap({ NodeID($0) }) {
            row = try await session.store.find(id, in: executor)
        } else {
            row = nil
        }
        guard let row else { return nil }
        return try await token(row, isShown: true)
    }

    private func token(_ row: TokenRow, isShown: Bool) async throws -> AdminOwner? {
        var owner = AdminOwner()
        if let person = row.body.account {
            owner = try await owner.union(account(person))
            if isShown { return owner }
        }
        if let client = row.body.client {
            owner = try await owner.union(self.client(client))
            owner = try await owner.union(instance(client))
        }
        if let place = row.body.service { owner = try await owner.union(service(place)) }
        return owner
    }

    /// Ending what a person has takes nothing over.
    private static func bare(_ owner: AdminOwner) -> AdminOwner {
        AdminOwner(institutions: owner.institutions, services: owner.services)
    }

    private func one(_ thing: Belonging, _ question: SQL) async throws -> AdminOwner? {
        if isHeld { try await InstitutionStore.hold(thing, in: executor) }
        guard let row = try await executor.query(question).first else { return nil }
        let institution: String? = try row("institution")
        return AdminOwner(institutions: institution.map { [$0] } ?? [])
    }
}
