import Base
import Foundation

/// How much strangers may begin from one address: what they are asked is written down, and the wallets that they bring
/// stay.
final class CeremonyRateLimit: Sendable {
    private let challenges = AddressRateLimit(burst: 400, rate: 2)
    private let wallets = AddressRateLimit(burst: 400, rate: 1)

    /// Before a challenge is written down.
    func challenge(for visitor: LiquidVisitor, at now: Date) throws(LiquidRefusal) {
        if let seconds = challenges.take(from: visitor.origin, at: now) { throw .tooMany(seconds: seconds) }
    }

    /// Before a wallet that nobody knows is.
    func wallet(of visitor: LiquidVisitor, at now: Date) throws(LiquidRefusal) {
        if let seconds = wallets.take(from: visitor.origin, at: now) { throw .tooMany(seconds: seconds) }
    }
}
