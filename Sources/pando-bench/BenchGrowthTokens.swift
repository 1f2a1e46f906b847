import Base
import Database
import Foundation
import Server
import TokenTree
import Vocabulary

/// Live tokens by the million: rows that are copies of a machine's token, each with a number from which its identifier
/// follows. Numbers are spread over partitions, and within one over its whole time.
struct BenchGrowthTokens: Sendable {
    /// Rows of one statement, which has a time limit.
    private static let portion = 100_000
    /// An odd number that is far from what divides a partition's seconds: it spreads numbers over them.
    private static let stride: UInt64 = 2_654_435_761

    /// A partition of `token`.
    private struct Slot: Sendable {
        let span: NodeID.Span
        /// Seconds since 1970.
        let from: Int
        let width: Int
    }

    let server: BenchServer
    let sample: NodeID
    private let slots: [Slot]

    private var database: Database { server.composition.database }

    /// Issues the token that is copied.
    static func sampled(_ server: BenchServer) async throws -> BenchGrowthTokens {
        let database = server.composition.database
        let answer = try await server.send(
            server.byMachine("/token", [("grant_type", "client_credentials"), ("scope", "read")]))
        let row = try await database.query(
            "select id from token where kind = 'access_token' order by issued_at desc limit 1")
        guard answer.isGood, let sample: NodeID = try row.first?("id") else { throw BenchFailure.notServing }
        // What is issued while this runs lies in others, and can be told apart by that.
        let tomorrow = Int(Date().timeIntervalSince1970) + 86_400
        var slots: [Slot] = []
        for row in try await database.query(
            """
            select c.relname::text as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
            where i.inhparent = 'token'::regclass order by c.relname
            """)
        {
            let words = try row("name", as: String.self).split(separator: "_")
            guard words.count == 3, let number = Int(words[2]),
                let (span, width) = ["days": (NodeID.Span.days, 86_400), "weeks": (.weeks, 7 * 86_400)][words[1]],
                number * width > tomorrow
            else { continue }
            slots.append(Slot(span: span, from: number * width, width: width))
        }
        guard !slots.isEmpty else { throw BenchFailure.notServing }
        return BenchGrowthTokens(server: server, sample: sample, slots: slots)
    }

    /// The token's identifier, and when it expires.
    func token(_ number: Int) -> (id: NodeID, expires: Date) {
        let slot = slots[number % slots.count], turn = UInt64(number / slots.count)
        let seconds = slot.from + 1 + Int(turn &* Self.stride % UInt64(slot.width - 2))
        // Base/NodeID: two bits of span, 32 of time; the rest is the number, and keeps to version and variant.
        let first =
            UInt64(slot.span.rawValue) << 62 | UInt64(seconds) << 30 | UInt64(number & 0x3FFF) << 16 | 0x8000
        let last = UInt64(1) << 63 | UInt64(number)
        func byte(_ half: UInt64, _ place: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: half >> (56 - 8 * place)) }
        let id = UUID(
            uuid: (
                byte(first, 0), byte(first, 1), byte(first, 2), byte(first, 3), byte(first, 4), byte(first, 5),
                byte(first, 6), byte(first, 7), byte(last, 0), byte(last, 1), byte(last, 2), byte(last, 3),
                byte(last, 4), byte(last, 5), byte(last, 6), byte(last, 7)
            ))
        return (NodeID(rawValue: id), Date(timeIntervalSince1970: TimeInterval(seconds)))
    }

    /// A JWT of the token, which says as much as is looked at.
    func signed(_ number: Int) async throws -> String {
        try await server.composition.keys.sign(
            type: JWTType.accessToken.rawValue,
            claims: ["iss": .string(server.issuer), "jti": .string(token(number).id.description)])
    }

    // MARK: Filling

    /// Makes the rows; below another generation of a client than the sample's, where one is given.
    func fill(_ numbers: ClosedRange<Int>, below generation: NodeID? = nil) async throws {
        for first in Swift.stride(from: numbers.lowerBound, through: numbers.upperBound, by: Self.portion) {
            let made = (first...min(first + Self.portion - 1, numbers.upperBound)).map(token)
            _ = try await database.execute(
                """
                insert into token (id, realm, kind, family, anchor, lineage, issued_at, expires_at, client, scope,
                    detail)
                select n.id, t.realm, t.kind, n.id, coalesce(\(generation)::uuid, t.anchor),
                    array_replace(t.lineage[:cardinality(t.lineage) - 1], t.anchor,
                        coalesce(\(generation)::uuid, t.anchor)) || n.id,
                    t.issued_at, n.expires_at, t.client, t.scope, t.detail
                from token t, unnest(\(made.map(\.id)), \(made.map(\.expires))) as n (id, expires_at)
                where t.id = \(sample) order by n.id
                """)
        }
    }

    /// Else PostgreSQL plans for tables that are all but empty, and autovacuum comes by while something is measured.
    func settle(_ tables: [String] = ["token"]) async throws {
        for table in tables { _ = try await database.execute("vacuum (analyze) \(identifier: table)") }
    }

    /// Bytes of the table with its indexes.
    func size() async throws -> Double {
        try await database.query(
            """
            select sum(pg_total_relation_size(i.inhrelid))::float8 as bytes from pg_inherits i
            where i.inhparent = 'token'::regclass
            """
        ).first.map { try $0("bytes") } ?? 0
    }

    /// Deletes what has been issued since: it lies before the first of the copies' partitions. And the revocations.
    func forget(since begun: Date) async throws {
        guard let first = slots.filter({ $0.span == .days }).map(\.from).min() else { return }
        let bound = String(format: "%016llx", UInt64(first) << 30)
        let id = "\(bound.prefix(8))-\(bound.dropFirst(8).prefix(4))-\(bound.suffix(4))-0000-000000000000"
        _ = try await database.execute(
            "delete from token where id < \(id)::text::uuid and issued_at > \(begun) and id <> \(sample)")
        _ = try await database.execute("delete from revocation where label like 'token:%'")
        try await settle(["token", "revocation"])
    }
}
