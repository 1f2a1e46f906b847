import Accounts
import Base
import Database
import Foundation
import Registration
import TestSupport
import TokenTree

/// What operators do, as the commands of `pando admin` do it, and what workers do.
extension TreeMachine {
    private static let admin = AuditActor(name: "admin:model")

    mutating func revoke(_ target: Action.Target) async throws -> String? {
        switch target {
        case .virtual(let virtual): return try await revoke(virtual)
        case .key(let reference):
            guard let instance = model.instance(reference) else { return nil }
            return try await revoke(.key(key(instance)))
        case .instance(let reference):
            guard let instance = model.instance(reference) else { return nil }
            return try await revoke(
                .virtual(Ancestor(.instance, try phone(instance).clientID)), already: model.revoke(instance: instance),
                name(instance: instance))
        case .token(let reference):
            guard let access = access(reference), let id = nodes[model.accesses[access].family] else { return nil }
            return try await revoke(
                .token(id), already: model.revoke(family: model.accesses[access].family), name(access: access))
        case .assertion(let reference):
            guard let assertion = model.assertion(reference), let id = id(assertion: assertion) else { return nil }
            return try await revoke(.token(id), already: model.revoke(assertion: assertion), name(assertion: assertion))
        }
    }

    private mutating func revoke(_ virtual: TreeModel.Virtual) async throws -> String {
        try await revoke(.virtual(slate.ancestor(virtual, keys: keys)), already: model.revoke(virtual), "\(virtual)")
    }

    private func revoke(_ node: Node, already: Bool, _ name: String) async throws -> String {
        let revoked = try await server.parts.revocation.revoke(node, by: TreeMachine.admin)
        try expect(already, revoked.already, "revoked \(name): whether it was revoked before")
        return "revoked \(name)"
    }

    /// Suspending ends all that acts for the person.
    mutating func set(_ person: Person, suspended: Bool) async throws -> String? {
        let server = self.server, ancestor = slate.ancestor(.person(person)),
            accounts = AccountStore(clock: server.time.clock)
        guard let id = UUID(uuidString: ancestor.name) else { return nil }
        try await server.database.atomically { transaction in
            _ = try await accounts.setStatus(id, suspended ? .suspended : .active, in: transaction)
            if suspended {
                try await server.parts.revocation.revoke(.virtual(ancestor), by: TreeMachine.admin, in: transaction)
            }
        }
        model.set(person, suspended: suspended)
        return "\(suspended ? "suspend" : "resume") \(person)"
    }

    /// Refusing ends all that was registered with it.
    mutating func set(version: Int, refused: Bool) async throws -> String? {
        let server = self.server, ancestor = slate.ancestor(.version(version)),
            apps = AppStore(clock: server.time.clock)
        try await server.database.atomically { transaction in
            _ = try await apps.setStatus(ancestor.name, refused ? .refused : .allowed, in: transaction)
            if refused {
                try await server.parts.revocation.revoke(.virtual(ancestor), by: TreeMachine.admin, in: transaction)
            }
        }
        model.set(version: version, refused: refused)
        return "\(refused ? "refuse" : "allow") version \(version)"
    }

    mutating func deliverEvents() async throws -> String? {
        try await server.sendEvents()
        model.deliverEvents()
        let waiting: Int = try await server.database.value(
            "select count(*) from outbox where settled_at is null")
        try expect(0, waiting, "events that wait after delivery")
        return "deliver events"
    }

    mutating func wait(_ seconds: Int) {
        server.time.advance(Double(seconds))
        model.now += seconds
    }

    /// By then every code has been dead for so long that there is no doubt whether its row is gone.
    mutating func keepUp() async throws -> String? {
        wait(4 * 86_400)
        try await server.parts.partitions.makeAhead()
        try await server.parts.partitions.dropDead()
        model.forgetCodes()
        return "four days later, drop what is dead"
    }

    func id(assertion: Int) -> NodeID? {
        claims(of: assertionTexts[assertion] ?? "")["jti"]?.string.flatMap { NodeID($0) }
    }
}
