import Foundation

/// Time as PowerAuth writes it: milliseconds since the epoch.
public enum Milliseconds {
    /// To the nearest.
    public static func of(_ date: Date) -> Int64 { Int64((date.timeIntervalSince1970 * 1000).rounded()) }

    public static func date(_ milliseconds: Int64) -> Date {
        Date(timeIntervalSince1970: TimeInterval(milliseconds) / 1000)
    }

    /// `timestampOld` or `timestampAhead` when `timestamp` is too far from `now`; the bounds themselves are admitted.
    static func check(_ timestamp: Int64, now: Date, past: Int, ahead: Int) throws(PowerAuthRefusal) {
        let instant = of(now)
        guard timestamp >= instant - Int64(past) * 1000 else { throw .timestampOld }
        guard timestamp <= instant + Int64(ahead) * 1000 else { throw .timestampAhead }
    }
}
