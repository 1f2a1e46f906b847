import Foundation
import Synchronization

/// One line on the terminal, redrawn with each result: how many of how many, how many failed, how long yet. Gone at the
/// end.
public final class ProgressLine: Sendable {
    private struct State {
        var done = 0, failed = 0, total = 0
        var drawn: ContinuousClock.Instant?
    }

    private let isOn: Bool
    private let began = ContinuousClock.now
    private let state = Mutex(State())

    public init(isOn: Bool) { self.isOn = isOn }

    public func begin(_ total: Int) { state.withLock { $0.total = total } }

    /// One more.
    public func show(failed: Bool) { draw(done: 1, failed: failed ? 1 : 0, isMore: true) }

    /// So many by now.
    public func show(done: Int, failed: Int) { draw(done: done, failed: failed, isMore: false) }

    private func draw(done: Int, failed: Int, isMore: Bool) {
        guard isOn else { return }
        let now = ContinuousClock.now
        let line: String? = state.withLock { state in
            state.done = done + (isMore ? state.done : 0)
            state.failed = failed + (isMore ? state.failed : 0)
            // Ten times a second is as much as anybody reads.
            if let drawn = state.drawn, now - drawn < .milliseconds(100), state.done < state.total { return nil }
            state.drawn = now
            return ProgressLine.line(done: state.done, failed: state.failed, total: state.total, elapsed: now - began)
        }
        if let line { write("\r\u{1B}[2K" + line) }
    }

    /// Clears the line.
    public func end() {
        guard isOn, state.withLock({ $0.drawn != nil }) else { return }
        write("\r\u{1B}[2K")
    }

    /// `[#####-----] 50/100  2 failed  00:12, about 00:12 left`; never wider than a narrow terminal.
    static func line(done: Int, failed: Int, total: Int, elapsed: Duration) -> String {
        let width = 20, full = total > 0 ? min(width, done * width / total) : width
        let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) / 1e18
        let left = done > 0 ? seconds / Double(done) * Double(max(0, total - done)) : 0
        let bar = String(repeating: "#", count: full) + String(repeating: "-", count: width - full)
        return "[\(bar)] \(done)/\(total)  \(failed) failed  \(clock(seconds)), about \(clock(left)) left"
    }

    private static func clock(_ seconds: Double) -> String {
        let whole = Int(seconds.rounded()), minutes = whole / 60 % 60
        let tail = (minutes < 10 ? "0" : "") + "\(minutes):" + (whole % 60 < 10 ? "0" : "") + "\(whole % 60)"
        return whole >= 3_600 ? "\(whole / 3_600):" + tail : tail
    }

    private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
