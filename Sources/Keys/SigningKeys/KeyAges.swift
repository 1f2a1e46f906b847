import Base
import Foundation

extension SigningKeys {
    /// For how long the keys have signed that sign now, in seconds by algorithm, as far as memory knows.
    public nonisolated var ages: [(algorithm: String, seconds: TimeInterval)] {
        let now = clock.now()
        return (remembered?.signing ?? []).map { ($0.algorithm, max(0, now.timeIntervalSince($0.since))) }
    }
}

extension Keyring {
    /// The keys that sign, and since when.
    fileprivate var signing: [(algorithm: String, since: Date)] {
        entries.filter { $0.row.status == .active }.map { ($0.row.alg, $0.row.notBefore) }
    }
}
