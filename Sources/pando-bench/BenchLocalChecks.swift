import Foundation
import PandoClient
import Server

/// What a service's own check costs, beside so many nodes that it remembers: time on one core, and memory.
struct BenchLocalChecks: Sendable {
    static let day = 86_400
    private static let tokens = 256

    let nodes: Int
    let seconds: Int
    /// The line that checks are compared with.
    let peer: String

    static func row(_ what: String, _ nodes: Int) -> String { "\(what), \(BenchSizes.text(nodes, of: "node"))" }

    func rows() async throws -> [BenchRow] {
        // What reading takes by itself is there before anything is counted.
        BenchProgress.say("reading a first few thousand events")
        let first = BenchLocalIssuer()
        try await read(20_000, first, first.feed())
        let issuer = BenchLocalIssuer(), feed = issuer.feed()
        let empty = BenchUsage.usedMemory
        BenchProgress.say("a day of revocations, one a second: \(Self.day) events")
        try await read(Self.day, issuer, feed)
        let day = BenchUsage.usedMemory
        var rows = try await checks(issuer, feed, Self.day)
        BenchProgress.say("\(nodes) events, each signed and checked: some minutes")
        try await read(nodes, issuer, feed)
        let all = BenchUsage.usedMemory
        rows += try await checks(issuer, feed, nodes)
        guard let empty, let day, let all else {
            throw BenchFailure.told("malloc does not tell what it has handed out")
        }
        rows += [
            BenchRow(
                name: "memory of a day, one revocation a second", value: (day - empty) / 1_048_576, unit: .mebibytes),
            BenchRow(
                name: Self.row("memory", nodes), value: (all - empty) / 1_048_576, unit: .mebibytes),
            BenchRow(name: Self.row("memory of each", nodes), value: (all - empty) / Double(nodes), unit: .bytes),
        ]
        return rows
    }

    private func read(_ count: Int, _ issuer: BenchLocalIssuer, _ feed: RevocationFeed) async throws {
        issuer.tell(count)
        var next = 100_000
        while try await feed.read() {
            guard feed.count >= next else { continue }
            BenchProgress.say("\(feed.count) events")
            next = feed.count + 100_000
        }
        guard feed.count == count else { throw BenchFailure.told("\(feed.count) nodes are remembered, not \(count)") }
    }

    private func checks(_ issuer: BenchLocalIssuer, _ feed: RevocationFeed, _ count: Int) async throws -> [BenchRow] {
        BenchProgress.say("checking beside \(count) nodes")
        let verifier = issuer.verifier(feed), url = BenchLocalIssuer.base + "/api"
        let signed = try (0..<Self.tokens).map { _ in "Bearer " + (try issuer.token()) }
        var tokens: [VerifiedToken] = []
        for text in signed {
            tokens.append(try await verifier.verify(authorization: text, proof: nil, method: "GET", url: url))
        }
        try await refusal(by: verifier, of: try issuer.token(below: BenchLocalIssuer.firstEnded))
        let verified = try await perSecond { number in
            _ = try await verifier.verify(
                authorization: signed[number % Self.tokens], proof: nil, method: "GET", url: url)
        }
        let known = tokens
        let checked = try await perSecond { number in
            for place in 0..<Self.tokens { try verifier.check(known[(number + place) % Self.tokens]) }
        }
        return [
            BenchRow(
                name: Self.row("check with the signature", count), value: verified, unit: .perSecond, ceiling: peer),
            BenchRow(
                name: Self.row("check of the lineage alone", count), value: checked * Double(Self.tokens),
                unit: .perSecond, ceiling: peer),
        ]
    }

    /// One after the other in one task, so on one core.
    private func perSecond(_ body: (Int) async throws -> Void) async throws -> Double {
        for number in 0..<Self.tokens { try await body(number) }
        let begun = ContinuousClock.now, deadline = begun + .seconds(seconds)
        var count = 0
        while ContinuousClock.now < deadline {
            try await body(count)
            count += 1
        }
        return Double(count) / ((ContinuousClock.now - begun) / .seconds(1))
    }

    private func refusal(by verifier: LocalTokenVerifier, of token: String) async throws {
        do {
            _ = try await verifier.verify(
                authorization: "Bearer " + token, proof: nil, method: "GET", url: BenchLocalIssuer.base + "/api")
        } catch let error as OAuthError where error.status == 401 {
            return
        }
        throw BenchFailure.lives("a token below a node that has ended is taken")
    }
}
