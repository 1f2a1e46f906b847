import Base
import Database
import Foundation

/// Rows of `recovery_code`: what somebody keeps on paper for the day on which a phone is lost.
public struct RecoveryCodeStore: Sendable {
    /// To an account.
    public static let number = 10
    /// Of Crockford's base 32: 60 bits, which nobody tries out against a limit of attempts, and whose hash says nothing
    /// without the key.
    private static let letters = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ"), length = 12

    let key: SecretBytes
    let clock: WallClock
    let randomness: Randomness

    /// `key`: 32 bytes under which codes are hashed.
    public init(key: SecretBytes, clock: WallClock, randomness: Randomness) {
        (self.key, self.clock, self.randomness) = (key, clock, randomness)
    }

    /// New ones in place of all that there were, in groups of four. Nobody can read them again.
    public func replace(of account: UUID, in transaction: any SQLExecutor) async throws -> [String] {
        let codes = (0..<RecoveryCodeStore.number).map { _ in fresh() }, now = clock.now()
        _ = try await transaction.execute("delete from recovery_code where account = \(account)")
        for code in codes {
            _ = try await transaction.execute(
                """
                insert into recovery_code (account, code, created_at)
                values (\(account), \(hash(code, account)), \(now))
                """)
        }
        return codes.map { code in
            stride(from: 0, to: code.count, by: 4).map { start in
                String(code.dropFirst(start).prefix(4))
            }.joined(separator: "-")
        }
    }

    /// How many are left.
    public func count(of account: UUID, in executor: any SQLExecutor) async throws -> Int {
        try await executor.query("select count(*) as number from recovery_code where account = \(account)").first.map {
            try $0("number")
        } ?? 0
    }

    /// Whether there is one.
    public func isKept(_ text: String, by account: UUID, in executor: any SQLExecutor) async throws -> Bool {
        guard let code = RecoveryCodeStore.read(text) else { return false }
        return try await !executor.query(
            "select account from recovery_code where account = \(account) and code = \(hash(code, account))"
        ).isEmpty
    }

    /// Uses one up: of all that type it at once, one has it.
    public func use(_ text: String, of account: UUID, in transaction: any SQLExecutor) async throws -> Bool {
        guard let code = RecoveryCodeStore.read(text) else { return false }
        return try await transaction.execute(
            "delete from recovery_code where account = \(account) and code = \(hash(code, account))") == 1
    }

    public func remove(of account: UUID, in transaction: any SQLExecutor) async throws {
        _ = try await transaction.execute("delete from recovery_code where account = \(account)")
    }

    /// As somebody may type it: in any case, with blanks and hyphens anywhere, O for 0, I and L for 1. `nil`: no code.
    static func read(_ text: String) -> String? {
        guard text.utf8.count <= 64 else { return nil }
        let code = text.uppercased().compactMap { letter -> Character? in
            switch letter {
            case "-", " ": nil
            case "O": "0"
            case "I", "L": "1"
            default: letter
            }
        }
        return code.count == length && code.allSatisfy(letters.contains) ? String(code) : nil
    }

    private func fresh() -> String {
        String(randomness.bytes(RecoveryCodeStore.length).map { RecoveryCodeStore.letters[Int($0 & 31)] })
    }

    private func hash(_ code: String, _ account: UUID) -> [UInt8] {
        Digest.hmac(key: key, "recovery \(account.uuidString.lowercased()) \(code)".utf8)
    }
}
