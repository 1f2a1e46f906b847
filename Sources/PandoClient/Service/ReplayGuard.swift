import Foundation

/// Remembers identifiers that work once: `jti` of proofs and codes.
public struct ReplayGuard: Sendable {
    /// True the first time that `identifier` comes in `namespace`; it may be forgotten at `expires`. Of two at the same
    /// time one gets true.
    public let claim: @Sendable (_ identifier: String, _ namespace: String, _ expires: Date) async throws -> Bool

    public init(
        claim: @escaping @Sendable (_ identifier: String, _ namespace: String, _ expires: Date) async throws -> Bool
    ) {
        self.claim = claim
    }

    /// For one process that forgets all when it ends: tests, and services with one replica.
    public static func inMemory(now: @escaping @Sendable () -> Date = { Date() }) -> ReplayGuard {
        let memory = ReplayMemory()
        return ReplayGuard { await memory.claim("\($1) \($0)", until: $2, now: now()) }
    }
}

actor ReplayMemory {
    private var known: [String: Date] = [:]
    private var nextTidying = Date.distantPast

    func claim(_ identifier: String, until expires: Date, now: Date) -> Bool {
        if now >= nextTidying {
            known = known.filter { $0.value > now }
            nextTidying = now.addingTimeInterval(60)
        }
        return known.updateValue(expires, forKey: identifier) == nil
    }
}
