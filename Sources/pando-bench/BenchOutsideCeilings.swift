import Base
import Database
import Foundation
import Keys
import PandoClient
import Server

/// What no server on this machine can pass: signatures, verifications, commits and reads, each alone.
struct BenchOutsideCeilings: Sendable {
    static let sign = "ES256 signatures"
    static let verify = "ES256 verifications"
    static let batch = "rows of batched commits of 64"
    static let answer = "bare answer, by wrk"
    private static let clients = 8

    let pgbench: Pgbench
    let database: Database
    let seconds: Int

    func measure(_ report: inout BenchReport) async throws {
        try await BenchCeilings(pgbench: pgbench, database: database, seconds: seconds).measureCommits(
            by: Self.clients, &report)
        let batches = try await pgbench.run(
            "insert into bench.commit (body) select 'sixteen letters.' from generate_series(1, 64);",
            clients: Self.clients, seconds: seconds)
        report.rows.append(BenchRow(name: Self.batch, value: batches.perSecond * 64, unit: .perSecond))
        let threads = ProcessInfo.processInfo.activeProcessorCount
        let claims: [String: JSON] = ["iss": "https://idp.example.org", "sub": "machine", "jti": "a token"]
        report.rows.append(
            BenchRow(
                name: Self.sign,
                value: try await BenchThreads.perSecond(threads: threads, seconds: seconds) { deadline in
                    let key = SigningKey()
                    var count = 0
                    while ContinuousClock.now < deadline {
                        _ = try key.sign(claims)
                        count += 1
                    }
                    return count
                }, unit: .perSecond))
        let signer = SigningKey(), jwk = signer.jwk
        let key = try await JSONWebKey([
            "kty": "EC", "crv": "P-256", "x": JSONValue(jwk["x"]?.string), "y": JSONValue(jwk["y"]?.string),
        ])
        let jwt = try Keys.JWT(try signer.sign(claims))
        report.rows.append(
            BenchRow(
                name: Self.verify,
                value: try await BenchThreads.perSecond(threads: threads, seconds: seconds) { deadline in
                    var count = 0
                    while ContinuousClock.now < deadline {
                        count += jwt.hasBegun(at: Date()) && jwt.isSigned(by: key) ? 1 : 0
                    }
                    return count
                }, unit: .perSecond))
    }
}
