import Foundation
import PandoClient
import Server

/// An issuer in this process that tells one service of so many nodes which have ended, each by an event of its own, and
/// makes tokens for it: nothing is sent, everything is signed.
final class BenchLocalIssuer: Sendable {
    static let issuer = "https://id.bench.example", base = "https://service.bench.example"
    /// Events of one answer.
    private static let page = 1_000
    /// A person's token: epoch, signer, version, instance, key, account, login, use, itself.
    private static let depth = 9

    let key = SigningKey()
    private let told = Locked(0)

    var keys: KeySource { .fixed([key.verificationKey]) }

    /// Nodes that ended so far; more makes events for the next question.
    func tell(_ count: Int) { told.with { $0 = count } }

    /// Its feed remembers a day.
    func feed() -> RevocationFeed {
        let transport = Transport { request in
            let query = request.url.split(separator: "?").last ?? ""
            let after = query.split(separator: "&").first { $0.hasPrefix("after=") }.flatMap { Int($0.dropFirst(6)) }
            return Transport.Response(status: 200, body: try await self.answer(after: after ?? 0))
        }
        return RevocationFeed(
            issuer: Self.issuer, base: Self.base, keys: keys, transport: transport, credentials: { [] },
            silence: 86_400, tokenLife: 86_400)
    }

    func verifier(_ feed: RevocationFeed) -> LocalTokenVerifier {
        LocalTokenVerifier(
            tokens: AccessTokenVerifier(
                issuer: Self.issuer, audience: Self.base, keys: keys, proofs: ProofVerifier(replays: .inMemory())),
            feed: feed)
    }

    /// A bearer token, that hangs from a node which has ended where one is given.
    func token(below ended: String? = nil) throws -> String {
        let now = Int(Date().timeIntervalSince1970)
        var lineage = (0..<Self.depth).map { _ in Self.node() }
        if let ended { lineage[3] = ended }
        return try key.sign(
            [
                "iss": .string(Self.issuer), "aud": .string(Self.base), "sub": .string(Self.node()),
                "jti": .string(Self.node()), "client_id": "bench", "scope": "read", "iat": .integer(now),
                "exp": .integer(now + 3_600), "lineage": .array(lineage.map(JSON.string)),
            ], header: ["typ": "at+jwt"])
    }

    /// The node of the first event.
    static let firstEnded = "00000000-0000-8000-8000-000000000001"

    private static func node() -> String { UUID().uuidString.lowercased() }

    private func answer(after: Int) async throws -> [UInt8] {
        let latest = told.with { $0 }, last = min(latest, after + Self.page)
        let signed = try await sets(after + 1, through: last)
        return try JSON.object([
            "sets": .object(signed), "moreAvailable": .bool(last < latest), "latest": .integer(latest),
        ]).bytes()
    }

    /// Signed on all cores; who reads them checks one after the other.
    private func sets(_ first: Int, through last: Int) async throws -> [String: JSON] {
        guard first <= last else { return [:] }
        let cores = ProcessInfo.processInfo.activeProcessorCount
        return try await withThrowingTaskGroup(of: [String: JSON].self) { group in
            for core in 0..<cores {
                group.addTask {
                    var sets: [String: JSON] = [:]
                    for number in stride(from: first + core, through: last, by: cores) {
                        sets["j\(number)"] = .string(try self.event(number))
                    }
                    return sets
                }
            }
            return try await group.reduce(into: [:]) { $0.merge($1) { one, _ in one } }
        }
    }

    private func event(_ number: Int) throws -> String {
        let node = number == 1 ? Self.firstEnded : Self.node()
        return try key.sign(
            [
                "iss": .string(Self.issuer), "aud": .string(Self.base), "jti": .string("j\(number)"),
                "iat": .integer(Int(Date().timeIntervalSince1970)),
                "events": ["urn:pando:event:ended": ["node": .string(node), "seq": .integer(number)]],
            ], header: ["typ": "secevent+jwt"])
    }
}
