import Base
import Foundation
import Synchronization

/// How much strangers may begin from one address (IPv4, or the /64 of IPv6): what they are asked is written down, and the wallets that they bring stay. A school behind
/// one address has room. In the memory of this process, so each replica has its own measure; those whose address is not known share one.
final class CeremonyPace: Sendable {
    /// So many at once.
    static let burst: Double = 400
    /// Then so many a second.
    static let challengeRate: Double = 2, walletRate: Double = 1

    private let challenges = Mutex(BucketTable())
    private let wallets = Mutex(BucketTable())

    /// Before a challenge is written down.
    func challenge(for visitor: LiquidVisitor, at now: Date) throws(LiquidRefusal) {
        let place = CeremonyPace.place(visitor)
        let wait = challenges.withLock { $0.take(place, burst: CeremonyPace.burst, rate: CeremonyPace.challengeRate, at: now) }
        if let wait { throw .tooMany(seconds: Int(wait.rounded(.up))) }
    }

    /// Before a wallet that nobody knows is.
    func wallet(of visitor: LiquidVisitor, at now: Date) throws(LiquidRefusal) {
        let place = CeremonyPace.place(visitor)
        let wait = wallets.withLock { $0.take(place, burst: CeremonyPace.burst, rate: CeremonyPace.walletRate, at: now) }
        if let wait { throw .tooMany(seconds: Int(wait.rounded(.up))) }
    }

    private static func place(_ visitor: LiquidVisitor) -> String { visitor.origin.map { SignallingVisitor.network($0) } ?? "" }
}
