import Base
import Database
import Foundation
import Logging
import Synchronization
import TokenTree

/// The room TokenTree alone: a database, a clock, and a list of what was announced to services.
public struct TestTree: Sendable {
    public let database: Database
    /// Of the same schema.
    public let conninfo: String
    public let time: SettableClock
    public let partitions: PartitionKeeper
    public let store: TokenStore
    public let oneTime: OneTimeStore
    public let revocation: Revocation
    public let announced: Announcements

    /// What the revocation told, in place of the outbox.
    public final class Announcements: Sendable {
        private let told = Mutex<[NodeID: [String]]>([:])
        public func services(of node: NodeID) -> [String] { told.withLock { $0[node] ?? [] } }
        fileprivate func add(_ node: NodeID, _ services: [String]) {
            told.withLock { $0[node, default: []] += services }
        }
    }

    public static func with(
        connections: Int = 8, logger: Logger = .quiet, signer: @escaping TokenStore.Signer = { _, _ in nil },
        _ body: (TestTree) async throws -> Void
    ) async throws {
        try await TestDatabase.with(connections: connections, logger: logger) { test in
            try await body(TestTree(test.database, conninfo: test.conninfo, signer: signer))
        }
    }

    /// Another process on the same database and clock.
    public func another(replica: ReadReplica? = nil, signer: @escaping TokenStore.Signer) -> TestTree {
        TestTree(database, conninfo: conninfo, time: time, announced: announced, replica: replica, signer: signer)
    }

    private init(
        _ database: Database, conninfo: String, time: SettableClock = SettableClock(),
        announced: Announcements = Announcements(), replica: ReadReplica? = nil, signer: @escaping TokenStore.Signer
    ) {
        (self.database, self.conninfo, self.time, self.announced) = (database, conninfo, time, announced)
        partitions = PartitionKeeper(
            database: database, clock: time.clock, databaseClock: .following(time.clock), logger: .quiet)
        store = TokenStore(
            database: database, refreshKey: SecretBytes([UInt8](repeating: 7, count: 32)), partitions: partitions,
            clock: time.clock, randomness: .system, replica: replica, signer: signer)
        oneTime = OneTimeStore(database: database, partitions: partitions)
        revocation = Revocation(store: store) { node, services, _ in announced.add(node, services) }
    }

    // MARK: Issuing

    /// An instance token below epoch, version, instance and key.
    public func instance(_ name: String = "phone", version: String = "app.1") async throws -> IssuedToken {
        let lineage = try await store.generations(of: [
            .epoch, Ancestor(.version, version), Ancestor(.instance, name), Ancestor(.key, "key of \(name)"),
        ])
        let body = TokenBody(
            realm: "idp", kind: .instanceToken, parent: nil, anchor: lineage[2], client: name, jkt: "jkt")
        return try await store.issue(TokenDraft(body, inherited: lineage, lifetime: 365 * 86_400, refresh: .init()))
    }

    public func child(
        of parent: IssuedToken, _ kind: TokenKind = .personalAccessToken, lifetime: TimeInterval = 3_600,
        refresh: TokenDraft.Refresh? = nil,
        reaches: String? = nil, jkt: String? = "jkt", scope: String? = nil, in executor: (any SQLExecutor)? = nil
    ) async throws -> IssuedToken {
        let body = TokenBody(
            realm: "idp", kind: kind, parent: parent.row.family, anchor: parent.row.body.anchor,
            client: parent.row.body.client,
            scope: scope, jkt: jkt)
        return try await store.issue(
            TokenDraft(body, inherited: parent.row.lineage, lifetime: lifetime, refresh: refresh, reaches: reaches),
            in: executor)
    }

    public func isLive(_ token: IssuedToken) async throws -> Bool { try await isLive(token.row.id) }

    public func isLive(_ id: NodeID) async throws -> Bool { try await store.find(id)?.isLive(at: time.now) ?? false }

    // MARK: Rotating

    /// `isAnswered`: whether the answer goes out, and its row has been told.
    public func rotate(
        _ text: String?, jkt: String? = "jkt", client: String? = nil, scope: String? = nil,
        isAnswered: Bool = true
    ) async throws -> RefreshFamily.Rotation {
        let families = RefreshFamily(store: store)
        guard let shown = try await families.find(text ?? "") else { return .refused }
        let rotation = try await families.rotate(
            shown, realm: "idp", jkt: jkt, scope: scope, lifetime: 3_600,
            admits: { client == nil || $0.client == client })
        if isAnswered, case .child(let issued) = rotation { try await send(issued) }
        return rotation
    }

    public func send(_ issued: IssuedToken, by write: () async throws -> Void = {}) async throws {
        try await RefreshFamily(store: store).sending(issued)(write)
        await store.settle()
    }
}
