import Base
import Foundation
import Synchronization

/// A clock that stands still until it is set.
public final class SettableClock: Sendable {
    private let moment: Mutex<Date>

    public init(_ start: Date = Date(numericDate: 1_800_000_000)) { moment = Mutex(start) }

    public var now: Date { moment.withLock { $0 } }
    public var clock: WallClock { WallClock { self.now } }
    public func advance(_ seconds: TimeInterval) { moment.withLock { $0 += seconds } }
}
