import ArgumentParser
import AsyncHTTPClient
import Base
import Foundation
import PandoClient
import Simulators

/// Another authorization server that runs at an address, with two clients (deploy/bench-peers.sh).
struct BenchPeer: ExpressibleByArgument, Sendable {
    /// It has a secret.
    static let client = "bench"
    static let secret = "bench-secret"
    /// It has a key, where the server knows `private_key_jwt`.
    static let signer = "bench-signer"
    fileprivate static let form = [("grant_type", "client_credentials"), ("scope", "read")]

    let name: String
    let base: String

    /// `NAME=URL`.
    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2, parts[1].hasPrefix("http://") else { return nil }
        (name, base) = (parts[0], parts[1])
    }

    fileprivate var tokenEndpoint: String { base + "/token" }

    fileprivate func request(_ path: String, _ form: [(String, String)]) -> DemoRequest {
        let basic = Data("\(BenchPeer.client):\(BenchPeer.secret)".utf8).base64EncodedString()
        return DemoRequest(
            method: "POST", url: base + path, headers: [("Authorization", "Basic \(basic)")], body: .form(form))
    }

    fileprivate var token: DemoRequest { request("/token", BenchPeer.form) }
}

/// The key by which a peer's client signs its assertions.
struct BenchPeerKey: ExpressibleByArgument, Sendable {
    /// The peer's.
    let name: String
    let key: SigningKey

    /// `NAME=FILE`, with a P-256 key in PEM.
    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2, let pem = try? String(contentsOfFile: parts[1], encoding: .utf8),
            let key = try? SigningKey(pem: pem)
        else { return nil }
        (name, self.key) = (parts[0], key)
    }
}

/// The same questions to other servers, by the same wrk in the same run, and how many times as fast this one is.
struct BenchPeers: Sendable {
    /// A row of `BenchOutsideRows` that a peer is asked, too.
    enum Question: String, CaseIterable {
        case secret = "machine token, secret"
        case assertion = "machine token, private_key_jwt"
        case introspection
        case revocation = "revocation of a token"

        func name(of peer: String) -> String { "\(rawValue): \(peer)" }
    }

    /// Made beforehand where a request is good once: for each second measured, and tokens in all.
    private static let abundance = 3_000
    private static let mostTokens = 6_000
    private static let makers = 16

    let peers: [BenchPeer]
    let keys: [BenchPeerKey]
    let wrk: Wrk
    let client: HTTPClient
    let seconds: Int
    let isWanted: @Sendable (String) -> Bool

    func measure(_ report: inout BenchReport) async throws {
        let questions = Question.allCases.filter { isWanted($0.rawValue) }
        for peer in peers {
            BenchProgress.say(peer.name)
            for question in questions {
                if let row = try await row(peer, question, report) { report.rows.append(row) }
            }
        }
        for question in questions {
            let best = peers.compactMap { peer in
                report.value(of: question.name(of: peer.name)).map { (peer.name, $0) }
            }.max { $0.1 < $1.1 }
            guard let best, let own = report.value(of: question.rawValue) else { continue }
            report.rows.append(BenchRow(name: "\(question.rawValue), by \(best.0)", value: own / best.1, unit: .times))
        }
    }

    /// None where the peer has no answer to that.
    private func row(_ peer: BenchPeer, _ question: Question, _ report: BenchReport) async throws -> BenchRow? {
        switch question {
        case .secret:
            return try await row(peer, question, [peer.token], areSpent: false)
        case .assertion:
            guard let key = keys.first(where: { $0.name == peer.name })?.key else { return nil }
            let signer = BenchSigner(client: BenchPeer.signer, key: key, audience: peer.tokenEndpoint)
            let requests = try signer.requests(
                Self.abundance * (seconds + 1), to: peer.tokenEndpoint, BenchPeer.form)
            return try await row(peer, question, requests, areSpent: true)
        case .introspection:
            let asked = peer.request("/introspect", [("token", try await token(of: peer))])
            return try await row(peer, question, [asked], areSpent: false)
        case .revocation:
            // It revokes no faster than it issues.
            let rate = report.value(of: Question.secret.name(of: peer.name)).map { Int($0) } ?? Self.abundance
            let tokens = try await tokens(of: peer, count: min(Self.mostTokens, rate * (seconds + 1)))
            let requests = tokens.map { peer.request("/revoke", [("token", $0)]) }
            return try await row(peer, question, requests, areSpent: true)
        }
    }

    private func tokens(of peer: BenchPeer, count: Int) async throws -> [String] {
        try await withThrowingTaskGroup(of: [String].self) { group in
            for _ in 0..<BenchPeers.makers {
                group.addTask {
                    var made: [String] = []
                    for _ in 0...(count / BenchPeers.makers) { made.append(try await token(of: peer)) }
                    return made
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    private func token(of peer: BenchPeer) async throws -> String {
        let made = peer.token
        var request = HTTPClientRequest(url: made.url)
        request.method = .POST
        for header in made.headers { request.headers.add(name: header.name, value: header.value) }
        request.headers.add(name: "Content-Type", value: made.contentType ?? "")
        request.body = .bytes(Array((made.bodyText ?? "").utf8))
        let answer = try await client.execute(request, timeout: .seconds(30))
        let json = try JSONReader.read(try await answer.body.collect(upTo: 1 << 16).readableBytesView)
        guard answer.status == .ok, let token = json["access_token"]?.string else { throw BenchFailure.notServing }
        return token
    }

    private func row(
        _ peer: BenchPeer, _ question: Question, _ requests: [DemoRequest], areSpent: Bool
    ) async throws -> BenchRow {
        let name = question.name(of: peer.name), file = try wrk.write(requests, areSpent: areSpent)
        let warmUp = try await wrk.run(file, at: peer.base, from: 0, seconds: 1)
        let result = try await wrk.run(file, at: peer.base, from: warmUp.taken, seconds: seconds)
        guard warmUp.failures == 0, result.failures == 0 else {
            throw BenchFailure.wrk("\(name): \(warmUp.failures + result.failures) answers were not 2xx")
        }
        return BenchRow(name: name, value: result.perSecond, unit: .perSecond, p50: result.p50, p99: result.p99)
    }
}
