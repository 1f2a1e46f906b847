import Base
import Foundation
import Operations
import PowerAuth

/// What the server computes for the signature of an approval, and nothing else.
struct BenchSignatures: Sendable {
    let threads: Int
    let seconds: Int

    private static let portion = 64

    /// The signature by keys that are there.
    var computed: String { "signature computation, \(threads) threads" }
    /// As the server must: it stores the pair of a registration, and agrees on the keys anew for each request.
    var agreed: String { "key agreement and signature, \(threads) threads" }

    func rows() async throws -> [BenchRow] {
        let computed = try await BenchThreads.perSecond(threads: threads, seconds: seconds) {
            try BenchSignatures.checks(agreeing: false, until: $0)
        }
        let agreed = try await BenchThreads.perSecond(threads: threads, seconds: seconds) {
            try BenchSignatures.checks(agreeing: true, until: $0)
        }
        return [
            BenchRow(name: self.computed, value: computed, unit: .perSecond),
            BenchRow(name: self.agreed, value: agreed, unit: .perSecond),
        ]
    }

    private static func checks(agreeing: Bool, until deadline: ContinuousClock.Instant) throws -> Int {
        let server = PowerAuthKeyPair.fresh(), device = PowerAuthKeyPair.fresh(), stored = server.privateBytes,
            counter = HashCounter.fresh(.system)
        let known = try ActivationKeys(own: server, peer: device.public33).keys(.possessionKnowledge),
            secret = Base64Text.encode(Randomness.system.bytes(16))
        let body = JSONValue.object([
            "requestObject": [
                "id": .string(UUID().uuidString.lowercased()),
                "data": "A1*A129.90CHF*ICH9300762011623852957*NDemo book shop",
            ]
        ])
        let requests = (0..<portion).map { _ in
            FactorSignature.data(
                method: "POST", uriID: "/operation/authorize", nonce: Base64Text.encode(Randomness.system.bytes(16)),
                body: body.bytes, secret: secret)
        }
        let signatures = requests.map { FactorSignature.make(.v33, keys: known, counter: counter, data: $0) }
        var count = 0
        while ContinuousClock.now < deadline {
            for (request, signature) in zip(requests, signatures) {
                var keys = known
                if agreeing {
                    keys = try ActivationKeys(own: PowerAuthKeyPair(privateBytes: stored), peer: device.public33).keys(
                        .possessionKnowledge)
                }
                let match = FactorSignature.find(
                    signature, .v33, keys: keys, counter: counter, lookAhead: 20, data: request)
                count += match == nil ? 0 : 1
            }
        }
        return count
    }
}
