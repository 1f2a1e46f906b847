import Base
import Foundation

/// How long ago, or how long yet, as people say it.
enum RelativeTime {
    /// `3 h ago`, `in 2 d`; rounded down.
    static func text(_ date: Date, now: Date) -> String {
        let seconds = Int(abs(date.timeIntervalSince(now)))
        let amount =
            switch seconds {
            case ..<60: "\(seconds) s"
            case ..<3_600: "\(seconds / 60) min"
            case ..<172_800: "\(seconds / 3_600) h"
            case ..<63_072_000: "\(seconds / 86_400) d"
            default: "\(seconds / 31_536_000) y"
            }
        return date > now ? "in \(amount)" : "\(amount) ago"
    }

    /// `nil` for what is no RFC 3339.
    static func text(of text: String, now: Date) -> String? {
        guard text.utf8.count >= 20, text.utf8.count <= 35, text.utf8.first.map({ (48...57).contains($0) }) == true
        else { return nil }
        return Date(rfc3339: text).map { self.text($0, now: now) }
    }
}
