import ArgumentParser
import AsyncHTTPClient
import Base
import Foundation
import Simulators

/// Another authorization server that runs at an address, with one client (deploy/bench-peers.sh).
struct BenchPeer: ExpressibleByArgument, Sendable {
    static let client = "bench"
    static let secret = "bench-secret"

    let name: String
    let base: String

    /// `NAME=URL`.
    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
        guard parts.count == 2, parts[1].hasPrefix("http://") else { return nil }
        (name, base) = (parts[0], parts[1])
    }

    fileprivate func request(_ path: String, _ form: [(String, String)]) -> DemoRequest {
        let basic = Data("\(BenchPeer.client):\(BenchPeer.secret)".utf8).base64EncodedString()
        return DemoRequest(
            method: "POST", url: base + path, headers: [("Authorization", "Basic \(basic)")], body: .form(form))
    }

    fileprivate var token: DemoRequest {
        request("/token", [("grant_type", "client_credentials"), ("scope", "read")])
    }
}

/// The same questions to other servers, by the same wrk in the same run, and how many times as fast this one is.
struct BenchPeers: Sendable {
    /// Rows of `BenchOutsideRows` that a peer is asked, too.
    static let names = ["machine token, secret", "introspection", "revocation of a token"]
    /// Tokens that are made beforehand to be revoked.
    private static let most = 6_000
    private static let makers = 16

    let peers: [BenchPeer]
    let wrk: Wrk
    let client: HTTPClient
    let seconds: Int

    func measure(_ report: inout BenchReport) async throws {
        for peer in peers {
            BenchProgress.say(peer.name)
            let issued = try await row(peer, 0, [peer.token], areSpent: false)
            report.rows.append(issued)
            let count = min(BenchPeers.most, Int(issued.value) * (seconds + 1))
            let tokens = try await tokens(of: peer, count: count)
            let asked = peer.request("/introspect", [("token", tokens[0])])
            report.rows.append(try await row(peer, 1, [asked], areSpent: false))
            let revoked = tokens.map { peer.request("/revoke", [("token", $0)]) }
            report.rows.append(try await row(peer, 2, revoked, areSpent: true))
        }
        for name in BenchPeers.names {
            let best = peers.compactMap { peer in report.value(of: "\(name): \(peer.name)").map { (peer.name, $0) } }
                .max { $0.1 < $1.1 }
            guard let best, let own = report.value(of: name) else { continue }
            report.rows.append(BenchRow(name: "\(name), by \(best.0)", value: own / best.1, unit: .times))
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
        _ peer: BenchPeer, _ place: Int, _ requests: [DemoRequest], areSpent: Bool
    ) async throws -> BenchRow {
        let name = "\(BenchPeers.names[place]): \(peer.name)", file = try wrk.write(requests, areSpent: areSpent)
        let warmUp = try await wrk.run(file, at: peer.base, from: 0, seconds: 1)
        let result = try await wrk.run(file, at: peer.base, from: warmUp.taken, seconds: seconds)
        guard warmUp.failures == 0, result.failures == 0 else {
            throw BenchFailure.wrk("\(name): \(warmUp.failures + result.failures) answers were not 2xx")
        }
        return BenchRow(name: name, value: result.perSecond, unit: .perSecond, p50: result.p50, p99: result.p99)
    }
}
