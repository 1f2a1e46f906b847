import Base
import Dispatch
import Traces

/// Argon2 on threads of its own, few of them: each takes a core and, while it hashes, 19 MiB. Waiting callers queue; a
/// queue of 64 is full and says so, rather than let logins pile up.
public actor PasswordHasher {
    public struct Failed: Error { let code: Int32 }
    /// More logins wait than can be served soon.
    public struct Busy: Error { public init() {} }

    private let queue = DispatchQueue(label: "pando.argon2", attributes: .concurrent)
    private let randomness: Randomness
    private var running = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private let threads: Int
    private static let longestQueue = 64

    /// `threads`: hashes that are computed at a time.
    public init(randomness: Randomness, threads: Int = 2) { (self.randomness, self.threads) = (randomness, threads) }

    public func hash(_ password: String) async throws -> PasswordHash {
        let salt = randomness.bytes(16)
        return try await work { try PasswordHash(hashing: password, salt: salt) }
    }

    /// Constant work whether or not there is a hash to compare with.
    public func verify(_ password: String, _ hash: PasswordHash?) async throws -> Bool {
        let matches = try await work { (hash ?? .nobody).matches(password) }
        return matches && hash != nil
    }

    private func work<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        let span = Phase.begin("hash a password")
        defer { span?.end() }
        if running >= threads {
            guard waiting.count < PasswordHasher.longestQueue else { throw Busy() }
            await withCheckedContinuation { waiting.append($0) }
        } else {
            running += 1
        }
        defer {
            if waiting.isEmpty { running -= 1 } else { waiting.removeFirst().resume() }
        }
        return try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try body() }) }
        }
    }
}
