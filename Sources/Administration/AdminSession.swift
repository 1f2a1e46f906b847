import Accounts
import Base
import Database
import Foundation
import Registration
import TokenTree

/// What a command works with, and the transaction in which everything it does happens.
public struct AdminSession: Sendable {
    public let store: TokenStore
    public let revocation: Revocation
    public let clock: WallClock
    public let randomness: Randomness
    public let actor: AuditActor
    /// What whoever runs it may do.
    public let authority: AdminAuthority
    public private(set) var executor: any SQLExecutor
    /// Everything is undone afterwards.
    public private(set) var isDryRun = false
    /// What the change found before its transaction (`AdminChange.prepare`).
    public private(set) var prepared: (any Sendable)?
    /// How old a login may be for what destroys, in seconds.
    public let stepUpAge: TimeInterval
    private let models: [any Sendable]
    /// Asked for lists, where there is one.
    private let replica: ReadReplica?

    /// `models`: what commands of a product, or of the server itself, work with besides, each found by its type.
    public init(
        store: TokenStore, revocation: Revocation, models: [any Sendable], actor: AuditActor,
        authority: AdminAuthority = .operatorOfDatabase, stepUpAge: TimeInterval = 900, clock: WallClock,
        randomness: Randomness, replica: ReadReplica? = nil
    ) {
        (self.stepUpAge, self.replica) = (stepUpAge, replica)
        (self.store, self.revocation, self.models, self.actor) = (store, revocation, models, actor)
        (self.clock, self.randomness, executor) = (clock, randomness, store.database)
        self.authority = authority
    }

    func inside(_ transaction: Transaction, isDryRun: Bool, prepared: (any Sendable)?) -> AdminSession {
        var session = self
        (session.executor, session.isDryRun, session.prepared) = (transaction, isDryRun, prepared)
        return session
    }

    /// Lists are read at the standby where there is one that is young enough, with what was changed here just now
    /// (docs/read-replicas.md).
    func listing<Value>(_ body: (AdminSession) async throws -> Value) async throws -> Value {
        guard let replica else { return try await body(self) }
        return try await replica.readOwnWrites { executor in
            var session = self
            session.executor = executor
            return try await body(session)
        }
    }

    /// Somebody may look at once at what was changed.
    func changed() { replica?.wrote() }

    public var database: Database { store.database }
    public var now: Date { clock.now() }
    public var clients: WebClientStore { WebClientStore(clock: clock, randomness: randomness) }

    /// Throws where the configuration does not name the role that has it.
    public func model<Model>(_ type: Model.Type, role: String) throws -> Model {
        guard let model = models.lazy.compactMap({ $0 as? Model }).first else {
            throw AdminFailure(
                .conflict, "this configuration runs no \(role)", hint: "name the role `\(role)`, as your server does")
        }
        return model
    }

    /// `changed`: names of members, never what they are.
    public func audit(
        _ action: String, node: String? = nil, account: UUID? = nil, changed: [String]? = nil
    ) async throws {
        let detail: JSONObject = changed.map { ["changed": JSONValue(strings: $0)] } ?? [:]
        let entry = AuditEntry(actor: actor, action: action, node: node, account: account, detail: detail)
        try await AuditTrail.write(entry, at: now, in: executor)
    }

    /// By username or UUID.
    public func account(_ name: String) async throws -> Account {
        guard let account = try await AccountStore(clock: clock).find(name, in: executor) else {
            throw AdminFailure.noAccount(name)
        }
        return account
    }

    /// `nil` where none is named.
    public func accountID(_ name: String?) async throws -> UUID? {
        guard let name else { return nil }
        return try await account(name).id
    }
}
