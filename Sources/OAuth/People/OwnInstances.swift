import Accounts
import Base
import Database
import Foundation
import Registration
import TokenTree
import Vocabulary

/// Who asks about their own instances: an app with a personal access token, or a person at a browser.
public struct Owner: Sendable {
    /// `nil` where an instance asks for itself.
    let account: UUID?
    /// The instance, or the browser session, that asks.
    let current: String?
    let actor: AuditActor

    public init(_ holder: AuthenticatedToken, _ request: PresentedRequest) {
        (account, current, actor) = (holder.token.body.account, holder.token.body.client, holder.actor(request))
    }

    /// Whether a live instance is theirs: each that their person uses, or, for an instance that shows its own token,
    /// itself alone, be somebody logged in there or not.
    func owns(_ instance: AppInstance) -> Bool {
        account.map { instance.account == $0 } ?? (current == instance.id)
    }

    public init(_ session: BrowserSession, _ context: BrowserSessionContext) {
        (account, current, actor) = (session.account.id, session.id, context.actor())
    }
}

/// A person's own app instances: list, change device information, disconnect (api.md, `/instances`). Foreign and
/// unknown ids answer alike.
public struct OwnInstances: Sendable {
    let database: Database
    let instances: InstanceStore
    let revocation: Revocation
    let clock: WallClock

    public init(database: Database, revocation: Revocation, clock: WallClock) {
        (self.database, self.revocation, self.clock, instances) = (
            database, revocation, clock, InstanceStore(clock: clock)
        )
    }

    public func list(_ owner: Owner) async throws -> JSONValue {
        let own = try await instances.list(
            InstanceFilter(account: owner.account, status: "live", limit: 1_000), in: database)
        return .array(own.map { $0.ownersView(current: owner.current) })
    }

    /// Name, device type and version of the system; every other member is ignored.
    public func change(_ id: String, _ body: JSONValue, by owner: Owner) async throws -> JSONValue {
        guard let members = body.object else { throw OAuthError(.invalidRequest, "the body must be a JSON object") }
        func text(_ name: String) throws -> String? {
            guard let value = members[name], value != .null else { return nil }
            guard let text = value.string, (1...800).contains(text.utf8.count) else {
                throw OAuthError(.invalidRequest, "\(name) must be text of 1 to 800 bytes")
            }
            return text
        }
        let change = DeviceInformation(
            name: try text("name"), deviceType: try text("device_type"), osVersion: try text("os_version"))
        let known = try await own(id, owner)
        return try await database.atomically { transaction in
            guard let changed = try await instances.change(id, change, in: transaction) else { throw unknown }
            try await note(known, changed, by: owner, in: transaction)
            return changed.ownersView(current: owner.current)
        }
    }

    /// Which members became another; what says the same again leaves no line.
    private func note(
        _ old: AppInstance, _ new: AppInstance, by owner: Owner, in transaction: any SQLExecutor
    ) async throws {
        var members: [String] = []
        if old.name != new.name { members.append("name") }
        if old.deviceType != new.deviceType { members.append("device_type") }
        if old.osVersion != new.osVersion { members.append("os_version") }
        guard !members.isEmpty else { return }
        let entry = AuditEntry(
            actor: owner.actor, action: "instances.change", node: Ancestor(.instance, new.id).label,
            account: new.account,
            detail: ["members": JSONValue(strings: members)])
        try await AuditTrail.write(entry, at: clock.now(), in: transaction)
    }

    public func disconnect(_ id: String, by owner: Owner) async throws {
        let instance = try await own(id, owner)
        try await revocation.revoke(
            .virtual(Ancestor(.instance, instance.id)), by: owner.actor.because("disconnected by its owner"))
    }

    private func own(_ id: String, _ owner: Owner) async throws -> AppInstance {
        guard !id.utf8.contains(0), let instance = try await instances.find(id, in: database), owner.owns(instance),
            !instance.isRevoked
        else {
            throw unknown
        }
        return instance
    }

    private var unknown: OAuthError { OAuthError(.notFound, "no such instance of yours") }
}
