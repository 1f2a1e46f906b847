import Base
import Foundation

/// A client's packets, each and by their bytes, whatever is in them.
struct SocketQuota: Sendable {
    struct Load: Sendable {
        let packets: Int
        let bytes: Int
    }

    private var packets: TokenBucket
    private var bytes: TokenBucket

    init(limits: SignallingLimits, at now: Date) {
        packets = TokenBucket(full: limits.eventBurst, at: now)
        bytes = TokenBucket(full: limits.byteBurst, at: now)
    }

    mutating func take(_ load: Load, limits: SignallingLimits, at now: Date) -> Bool {
        packets.take(Double(load.packets), burst: limits.eventBurst, rate: limits.eventRate, at: now)
            && bytes.take(Double(load.bytes), burst: limits.byteBurst, rate: limits.byteRate, at: now)
    }
}
