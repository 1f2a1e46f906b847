import Base
import Database
import Federation
import Foundation
import PandoClient
import Registration
import Server
import TokenTree

/// From a revocation to the first check that refuses, at a service that follows the issuer by long poll over HTTP.
struct BenchLocalRounds: Sendable {
    private static let base = "http://127.0.0.1:9/bench-local"
    private static let by = AuditActor(name: "admin:bench", origin: "cli", reason: "measuring how a revocation reaches")
    private static let patience = Duration.seconds(15)

    let server: BenchServer
    let rounds: Int

    private var composition: Composition { server.composition }

    func rows() async throws -> [BenchRow] {
        let feed = try await feed(), issuer = server.issuer
        let keys = KeySource.keySet(at: issuer + "/jwks.json", transport: server.transport)
        let verifier = LocalTokenVerifier(
            tokens: AccessTokenVerifier(
                issuer: issuer, audience: Self.base, keys: keys, proofs: ProofVerifier(replays: .inMemory())),
            feed: feed)
        let troubles = Locked<[String]>([])
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await feed.run { error in troubles.with { $0.append("\(error)") } } }
            defer { group.cancelAll() }
            var committed: [Int64] = [], refused: [Int64] = [], behind: [Int64] = []
            for round in 0...rounds {
                let times = try await self.round(verifier, feed)
                // In the first one neither keys nor statements are known.
                guard round > 0 else { continue }
                committed.append(Int64(times.committed / .nanoseconds(1)))
                refused.append(Int64(times.refused / .nanoseconds(1)))
                behind.append(Int64(max(.zero, times.refused - times.committed) / .nanoseconds(1)))
            }
            if let trouble = troubles.with({ $0.first }) { throw BenchFailure.told("the feed had trouble: \(trouble)") }
            return [
                row("revocation, until it is final", committed),
                row("revoke to refusal in another process's memory", refused),
                row("refusal behind the answer to the revocation", behind),
            ]
        }
    }

    private func row(_ name: String, _ times: [Int64]) -> BenchRow {
        let samples = BenchSamples(times, seconds: 0)
        return BenchRow(
            name: name, value: samples.percentile(50), unit: .milliseconds, p50: samples.percentile(50),
            p99: samples.percentile(99))
    }

    /// A service that checks by itself, and its feed with its client's credentials.
    private func feed() async throws -> RevocationFeed {
        let draft = WebClientDraft(name: "bench local", grantTypes: ["client_credentials"], scope: "")
        let clients = WebClientStore(clock: composition.clock, randomness: composition.randomness)
        let (client, secret) = try await clients.create(draft, in: composition.database)
        guard let address = WebAddress(Self.base), let secret else { throw BenchFailure.notServing }
        _ = try await ServiceIndex(clock: composition.clock).add(
            id: "bench-local", name: "bench local", base: address, client: client.id, claims: [], rsd: nil,
            allowsLoopback: true, notify: .poll, hasLineage: true, status: .active, in: composition.database)
        let basic = "Basic " + Data("\(client.id):\(secret)".utf8).base64EncodedString()
        return RevocationFeed(
            issuer: server.issuer, base: Self.base,
            keys: .keySet(at: server.issuer + "/jwks.json", transport: server.transport),
            transport: server.transport, credentials: { [("Authorization", basic)] })
    }

    /// A token of its own is issued, taken, revoked, and checked ten times a millisecond until it is refused.
    private func round(
        _ verifier: LocalTokenVerifier, _ feed: RevocationFeed
    ) async throws -> (committed: Duration, refused: Duration) {
        let answer = try await server.send(
            server.byMachine("/token", [("grant_type", "client_credentials"), ("resource", Self.base)]))
        let text = try answer.text("access_token"), limit = ContinuousClock.now + Self.patience
        while feed.age == nil, ContinuousClock.now < limit { try await Task.sleep(for: .milliseconds(10)) }
        let token = try await verifier.verify(
            authorization: "Bearer " + text, proof: nil, method: "GET", url: Self.base)
        guard let id = NodeID(token.id) else { throw BenchFailure.notServing }
        // So that the feed waits at the issuer, as it does nearly always.
        try await Task.sleep(for: .milliseconds(20))
        let begun = ContinuousClock.now
        async let refused = refusal(by: verifier, of: token, since: begun)
        _ = try await composition.revocation.revoke(.token(id), by: Self.by)
        let committed = ContinuousClock.now - begun
        return (committed, try await refused)
    }

    private func refusal(
        by verifier: LocalTokenVerifier, of token: VerifiedToken, since begun: ContinuousClock.Instant
    ) async throws -> Duration {
        while ContinuousClock.now - begun < Self.patience {
            do {
                try verifier.check(token)
            } catch let error as OAuthError where error.status == 401 {
                return ContinuousClock.now - begun
            }
            try await Task.sleep(for: .microseconds(100))
        }
        throw BenchFailure.told("a token is taken \(Self.patience) after it was revoked")
    }
}
