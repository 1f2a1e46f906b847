import Base
import Foundation

/// How much strangers may begin from one address: what they are asked is written down, and the wallets that they bring
/// stay.
final class CeremonyRateLimit: Sendable {
    private let challenges = AddressRateLimit(burst: 400, rate: 2)
    private let wallets = AddressRateLimit(burst: 400, rate: 1)

    /// Before a challenge is written down.
    func challenge(for presented: PresentedSession, at now: Date) throws(LiquidRefusal) {
        if let seconds = challenges.take(from: presented.origin, at: now) { throw .tooMany(seconds: seconds) }
    }

    /// Before a wallet that nobody knows is.
    func wallet(of presented: PresentedSession, at now: Date) throws(LiquidRefusal) {
        if let seconds = wallets.take(from: presented.origin, at: now) { throw .tooMany(seconds: seconds) }
    }
}
