import Base
import Foundation
import Synchronization

@testable import Keys

/// A key pair of the tests' own, and tokens made with it: right ones and forged ones.
struct Signer {
    let key: PrivateSigningKey
    var publicKey: JSONWebKey { key.publicKey }

    init(_ algorithm: SigningAlgorithm = .es256) async throws {
        key = try await PrivateSigningKey(
            pem: PrivateSigningKey.generate(algorithm, randomness: .system), algorithm: algorithm)
    }

    init(key: PrivateSigningKey) { self.key = key }

    /// `header` is text, so that it can be malformed.
    func token(header: String? = nil, claims: String = #"{"sub":"ada"}"#) throws -> String {
        let header = header ?? #"{"alg":"\#(key.algorithm.rawValue)"}"#
        return try token(header: Base64URL.encode(header.utf8), claims: Base64URL.encode(claims.utf8))
    }

    /// Parts as they are.
    func token(header: String, claims: String) throws -> String {
        let input = header + "." + claims
        return input + "." + Base64URL.encode(try key.sign(Array(input.utf8)))
    }
}

/// A clock that stands still until it is set.
final class SettableClock: Sendable {
    private let moment: Mutex<Date>

    init(_ start: Date = Date(numericDate: 1_800_000_000)) { moment = Mutex(start) }

    var now: Date { moment.withLock { $0 } }
    var clock: WallClock { WallClock { self.now } }
    func advance(_ seconds: TimeInterval) { moment.withLock { $0 += seconds } }
}

/// Counts what a closure does.
final class Counter: Sendable {
    private let number = Mutex(0)
    var value: Int { number.withLock { $0 } }
    @discardableResult func next() -> Int {
        number.withLock {
            $0 += 1
            return $0
        }
    }
}
