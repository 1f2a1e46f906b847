import Base
import Foundation
import OCRA
import Tiqr

/// The computation behind an answer, and nothing else.
enum BenchOCRA {
    private static let portion = 256

    /// Answers by the default suite, each to another challenge, on `threads` threads of the pool on which the server
    /// computes.
    static func perSecond(threads: Int, seconds: Int) async throws -> Double {
        let suite = try OCRASuite("OCRA-1:HOTP-SHA1-6:QH10-S064")
        return try await BenchThreads.perSecond(threads: threads, seconds: seconds) { try answers(suite, until: $0) }
    }

    private static func answers(_ suite: OCRASuite, until deadline: ContinuousClock.Instant) throws -> Int {
        let secret = SecretBytes(Randomness.system.bytes(32)), session = Randomness.system.bytes(16)
        let questions = (0..<portion).map { _ in Hexadecimal.encode(Randomness.system.bytes(5)) }
        var count = 0
        while ContinuousClock.now < deadline {
            for question in questions {
                let answer = try OCRAAlgorithm.response(
                    suite: suite, key: secret, input: OCRAInput(question: question, session: session))
                count += answer.isEmpty ? 0 : 1
            }
        }
        return count
    }
}
