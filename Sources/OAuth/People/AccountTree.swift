import Accounts
import Base
import Database
import Federation
import Foundation
import Registration
import TokenTree
import Vocabulary

/// What a person's phones, browsers and web applications hold, as a tree of which each branch can be ended alone.
/// Foreign and unknown ids answer alike.
public final class AccountTree: Sendable {
    /// Of each kind of branch so many are read at most, the latest first.
    static let most = 200, mostBelow = 1_000
    /// Assertions that one transaction ends.
    static let batch = 50

    let issuer: String
    let database: Database
    let names: PairwiseNames
    let own: OwnAccount
    let revocation: Revocation
    let disclosures: Disclosures
    let usage: ServiceUsage
    let clock: WallClock

    init(
        issuer: String, database: Database, names: PairwiseNames, own: OwnAccount, revocation: Revocation,
        clock: WallClock
    ) {
        (self.issuer, self.database, self.names, self.own) = (issuer, database, names, own)
        (self.revocation, self.clock, disclosures) = (revocation, clock, Disclosures(clock: clock))
        usage = ServiceUsage(clock: clock)
    }

    /// What hangs below the person now. `houses` are services whose tokens stand in this server's own tables.
    public func nodes(_ owner: Owner, houses: Set<String>) async throws -> [AccountNode] {
        guard let account = owner.account else { return [] }
        let instances = try await own.instances.list(
            InstanceFilter(account: account, status: "live", limit: AccountTree.most), in: database)
        let sessions = try await own.sessions.list(of: account, in: database)
        let told = try await disclosures.list(of: account, limit: AccountTree.mostBelow, in: database)
        let clients = try await consented(account)
        let live = told.filter { $0.isLive && $0.service != nil }
        let apps = try await apps(below: live.filter { houses.contains($0.service ?? "") })
        let titles = try await titles(Set(instances.map(\.app)).union(apps.values.flatMap { $0.map(\.bundle) }))
        let plant = Plant(account: account, names: names, titles: titles, houses: houses, apps: apps)
        let services = Dictionary(grouping: live, by: \.client)
        let used = Dictionary(told.map { ($0.client, $0.lastAt) }, uniquingKeysWith: max)
        return instances.map { plant.node($0, isCurrent: $0.id == owner.current, services[$0.id] ?? []) }
            + sessions.map { plant.node($0, isCurrent: $0.id == owner.current) }
            + clients.map { plant.node($0, lastUsed: used[$0.id], services[$0.id] ?? []) }
    }

    /// Ends exactly this branch, for good as far as it was issued: what comes later lives.
    public func end(_ id: String, by owner: Owner, houses: Set<String>) async throws {
        let all = try await nodes(owner, houses: houses).flatMap(\.all)
        guard let account = owner.account, let node = all.first(where: { $0.id == id }) else {
            throw OAuthError(.notFound, "no such branch of yours")
        }
        let actor = owner.actor.because("ended by its owner")
        switch node.branch {
        case .instance(let id): try await revocation.revoke(.virtual(Ancestor(.instance, id)), by: actor)
        case .browser(let id): try await revocation.revoke(.virtual(Ancestor(.session, id)), by: actor)
        case .client(let id): try await own.withdraw(id, of: account, by: actor)
        case .service(let told):
            try await end(told, of: account, by: actor)
            try await note(told, nil, of: account, by: actor, in: database)
        case .app(let told, let bundle):
            try await end(bundle, at: told, by: actor)
            try await note(told, bundle, of: account, by: actor, in: database)
        }
    }

    /// Ends all that the person has opened at the service of this branch, with whatever phone or application; what
    /// comes later lives. Who issues below the node of that use waits, or is waited for, so nothing is between.
    public func endEverywhere(_ id: String, by owner: Owner, houses: Set<String>) async throws {
        let all = try await nodes(owner, houses: houses).flatMap(\.all)
        guard let account = owner.account, let node = all.first(where: { $0.id == id }),
            case .service(let told) = node.branch, let service = told.service
        else { throw OAuthError(.notFound, "no such service of yours") }
        let actor = owner.actor.because("ended everywhere by its owner")
        try await database.atomically { transaction in
            try await revocation.revoke(.virtual(.use(account, at: service)), by: actor, in: transaction)
            // What was issued before there were such nodes does not have it in its lineage.
            try await disclosures.end(at: service, of: account, in: transaction)
            try await note(told, nil, of: account, by: actor, in: transaction)
        }
    }

    /// The lines of what ended name tokens, which nobody would know as theirs; this one names the person.
    private func note(
        _ told: Disclosure, _ bundle: String?, of account: UUID, by actor: AuditActor, in executor: any SQLExecutor
    ) async throws {
        var detail: JSONObject = ["service": JSONValue(told.service)]
        if let bundle { detail["bundle"] = .string(bundle) }
        let entry = AuditEntry(actor: actor, action: "branches.end", account: account, detail: detail)
        try await AuditTrail.write(entry, at: clock.now(), in: executor)
    }

    /// Ends every phone, or every browser but the one that asks. How many there were.
    @discardableResult
    public func endOthers(_ kind: AccountNode.Kind, by owner: Owner) async throws -> Int {
        guard let account = owner.account else { return 0 }
        let actor = owner.actor.because("all others ended by their owner")
        let ancestors: [Ancestor]
        switch kind {
        case .instance:
            ancestors = try await own.instances.list(
                InstanceFilter(account: account, status: "live", limit: 1_000), in: database
            ).filter { $0.id != owner.current }.map { Ancestor(.instance, $0.id) }
        case .browser:
            ancestors = try await own.sessions.ids(of: account, in: database).filter { $0 != owner.current }
                .map { Ancestor(.session, $0) }
        case .client, .service, .app: return 0
        }
        for ancestor in ancestors { try await revocation.revoke(.virtual(ancestor), by: actor) }
        return ancestors.count
    }

    // MARK: Who was told

    /// What was told of the person, latest first; with it the names of who told it.
    public func told(_ account: UUID) async throws -> [(told: Disclosure, by: String?)] {
        let told = try await disclosures.list(of: account, limit: AccountTree.most, in: database)
            .filter { $0.claims != nil }
        let by = try await database.query(
            """
            select c.id, c.name from client c where c.id = any (\(told.map(\.client)))
            union all
            select i.id, coalesce(i.name, i.device_type, a.name) from app_instance i join app a on a.id = i.app
            where i.id = any (\(told.map(\.client))) and i.account = \(account)
            """)
        let names = Dictionary(
            try by.map { (try $0("id", as: String.self), try $0("name", as: String.self)) },
            uniquingKeysWith: { first, _ in first })
        return told.map { ($0, names[$0.client]) }
    }

    /// Empties that list, with a line in the audit trail.
    public func forgetTold(_ owner: Owner) async throws {
        guard let account = owner.account else { return }
        try await database.atomically { transaction in
            let emptied = try await disclosures.empty(account, in: transaction)
            guard emptied > 0 else { return }
            try await AuditTrail.write(
                AuditEntry(
                    actor: owner.actor, action: "disclosures.empty", account: account,
                    detail: ["emptied": .integer(emptied)]), at: clock.now(), in: transaction)
        }
    }

    /// The services that the person used, latest first.
    public func used(_ account: UUID) async throws -> [UsedService] {
        try await usage.list(of: account, limit: AccountTree.most, in: database)
    }

    /// As `DELETE /service-discovery/user`: nothing ends by it, so there is no line in the audit trail.
    public func forgetUsed(_ owner: Owner) async throws {
        guard let account = owner.account else { return }
        try await usage.forget(account, base: nil, in: database)
    }

    // MARK: Ending

    /// Everything that one instance or client has opened at one service. Who issues below the anchor waits, or is
    /// waited for, so nothing is between; many are ended in several transactions, the newest first.
    private func end(_ told: Disclosure, of account: UUID, by actor: AuditActor) async throws {
        guard let service = told.service, let anchor = told.anchor else { return }
        var isDone = false
        while !isDone {
            isDone = try await database.atomically { transaction in
                _ = try await transaction.query("select pg_advisory_xact_lock(\(anchor.lockNumber))")
                let rows = try await transaction.query(
                    """
                    select t.id from token t
                    where t.anchor = \(anchor) and t.realm = 'idp' and t.kind = 'assertion' and t.service = \(service)
                        and t.client = \(told.client) and t.account = \(account)
                        and not exists (select from revocation r where r.node = any (t.lineage))
                    order by t.issued_at desc, t.id limit \(AccountTree.batch)
                    """)
                for id in try rows.map({ try $0("id", as: NodeID.self) }) {
                    try await revocation.revoke(.token(id), by: actor, in: transaction)
                }
                let isLast = rows.count < AccountTree.batch
                if isLast { try await disclosures.end(told, of: account, in: transaction) }
                return isLast
            }
        }
    }

    /// The tokens of one third-party app at one service of this server, below one instance.
    private func end(_ bundle: String, at told: Disclosure, by actor: AuditActor) async throws {
        guard let service = told.service, let anchor = anchor(told) else { return }
        try await database.atomically { transaction in
            _ = try await transaction.query("select pg_advisory_xact_lock(\(anchor.lockNumber))")
            try await revocation.revokeFamilies(
                kind: .appToken, anchor: anchor, matching: "f.realm = \(service) and f.bundle = \(bundle)", by: actor,
                in: transaction)
        }
    }

    // MARK: Reading

    /// What the service takes for the anchor of all that hangs below this instance or client.
    private func anchor(_ told: Disclosure) -> NodeID? {
        guard let service = told.service, let holder = told.holder else { return nil }
        return ForeignNode.id(names.node(holder, at: service), of: issuer)
    }

    private func consented(_ account: UUID) async throws -> [Plant.Client] {
        try await database.query(
            """
            select c.id, c.name, o.given_at, o.changed_at from consent o join client c on c.id = o.client
            where o.account = \(account) order by o.given_at desc, c.id limit \(AccountTree.most)
            """
        ).map {
            Plant.Client(
                id: try $0("id"), name: try $0("name"), since: try $0("given_at"), changedAt: try $0("changed_at"))
        }
    }

    /// The third-party apps that hold tokens, by what they were told through: one statement for all.
    private func apps(below told: [Disclosure]) async throws -> [Disclosure: [Plant.App]] {
        let anchored = told.compactMap { told in anchor(told).map { (told, $0) } }
        guard !anchored.isEmpty else { return [:] }
        let rows = try await database.query(
            """
            select f.realm, f.anchor, f.bundle, min(f.issued_at) as since,
                max(coalesce(f.rotated_at, f.issued_at)) as last_used
            from unnest(\(anchored.map { $0.0.service ?? "" }), \(anchored.map(\.1))) as w (realm, anchor)
                join family f on f.anchor = w.anchor and f.realm = w.realm
            where f.kind = 'app_token' and f.bundle is not null
                and (f.idle_until is null or f.idle_until > \(clock.now()))
                and not exists (select from revocation r where r.node = any (f.lineage))
            group by f.realm, f.anchor, f.bundle order by last_used desc, f.bundle limit \(AccountTree.mostBelow)
            """)
        var apps: [Disclosure: [Plant.App]] = [:]
        for row in rows {
            let (realm, anchor): (String, NodeID) = (try row("realm"), try row("anchor"))
            let app = Plant.App(bundle: try row("bundle"), since: try row("since"), lastUsed: try row("last_used"))
            for (told, node) in anchored where node == anchor && told.service == realm {
                apps[told, default: []].append(app)
            }
        }
        return apps
    }

    /// Names of apps that this federation knows.
    private func titles(_ apps: Set<String>) async throws -> [String: String] {
        guard !apps.isEmpty else { return [:] }
        let rows = try await database.query("select a.id, a.name from app a where a.id = any (\(apps.sorted()))")
        return Dictionary(
            try rows.map { (try $0("id", as: String.self), try $0("name", as: String.self)) },
            uniquingKeysWith: { first, _ in first })
    }
}
