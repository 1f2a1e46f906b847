import Base
import Database
import Foundation

/// A row of `signing_key`: one key of this issuer, whatever its status. Its private half is sealed and stays inside the
/// room.
public struct SigningKeyRow: Sendable {
    /// `next` is published and does not sign yet; `active` signs; `retiring` signs no more and is published until
    /// `retireAt`; `retired` is kept as a record; so is `revoked`, which is not published and counts for nothing since
    /// `retireAt`.
    public enum Status: String, Sendable, SQLDecodable, SQLEncodable { case next, active, retiring, retired, revoked }

    public let kid: String
    public let alg: String
    public let status: Status
    public let createdAt: Date
    /// The earliest a `next` key may sign; since when an `active` one does.
    public let notBefore: Date
    public let retireAt: Date?
    /// `MasterKey.id` of the key that sealed the private half.
    public let sealedBy: String
    let publicKey: JSONValue
    /// Empty once the key signs no more.
    let sealed: [UInt8]

    static func sealingRow(kid: String) -> String { "signing_key \(kid)" }

    /// All rows that count: neither retired nor revoked. Oldest first.
    static func all(_ executor: any SQLExecutor) async throws(DatabaseError) -> [SigningKeyRow] {
        try await read("status not in ('retired', 'revoked')", executor)
    }

    /// What an operator wants to see: all but the retired ones, oldest first.
    static func listed(_ executor: any SQLExecutor) async throws(DatabaseError) -> [SigningKeyRow] {
        try await read("status <> 'retired'", executor)
    }

    /// Whatever its status.
    static func find(_ kid: String, _ executor: any SQLExecutor) async throws(DatabaseError) -> SigningKeyRow? {
        try await read("kid = \(kid)", executor).first
    }

    private static func read(
        _ condition: SQL, _ executor: any SQLExecutor
    ) async throws(DatabaseError) -> [SigningKeyRow] {
        let rows = try await executor.query(
            """
            select kid, alg, public, private, sealed_by, status, created_at, not_before, retire_at
            from signing_key
            where \(condition)
            order by created_at, kid
            """)
        var keys: [SigningKeyRow] = []
        for row in rows { keys.append(try SigningKeyRow(row)) }
        return keys
    }

    private init(_ row: Row) throws(DatabaseError) {
        kid = try row("kid")
        alg = try row("alg")
        status = try row("status")
        createdAt = try row("created_at")
        notBefore = try row("not_before")
        retireAt = try row("retire_at")
        sealedBy = try row("sealed_by")
        publicKey = try row("public")
        sealed = try row("private")
    }

    init(
        kid: String, alg: SigningAlgorithm, status: Status, createdAt: Date, notBefore: Date, retireAt: Date? = nil,
        sealedBy: String,
        publicKey: JSONValue = nil, sealed: [UInt8] = []
    ) {
        (self.kid, self.alg, self.status, self.createdAt, self.notBefore) = (
            kid, alg.rawValue, status, createdAt, notBefore
        )
        (self.retireAt, self.sealedBy, self.publicKey, self.sealed) = (retireAt, sealedBy, publicKey, sealed)
    }

    /// Whether relying parties still need it at `now`.
    func isPublished(at now: Date) -> Bool {
        switch status {
        case .next, .active: true
        case .retiring: retireAt.map { $0 > now } ?? true
        case .retired, .revoked: false
        }
    }

    /// Whether a signature by it counts at `now`. A `next` key whose time has come may be another process's active one.
    func isTrusted(at now: Date) -> Bool { isPublished(at: now) && (status != .next || notBefore <= now) }

    /// Adds a key unless its kid, or another key of that algorithm and status, is there already.
    static func insert(
        _ key: PrivateSigningKey, sealed: [UInt8], sealedBy: String, status: Status, at now: Date, notBefore: Date,
        _ executor: any SQLExecutor
    ) async throws(DatabaseError) {
        let kid = key.publicKey.thumbprint
        try await executor.execute(
            """
            insert into signing_key (kid, alg, public, private, sealed_by, status, created_at, not_before)
            values (\(kid), \(key.algorithm.rawValue), \(key.publicKey.json), \(sealed), \(sealedBy), \(status),
                \(now), \(notBefore))
            on conflict do nothing
            """)
    }
}
