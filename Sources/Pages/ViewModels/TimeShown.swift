import Foundation

/// A moment as people write it, to the minute: "3 November 2026, 14:05 UTC". Nobody here knows where they are.
public enum TimeShown {
    public static func text(_ date: Date, _ language: Language) -> String {
        let day = DayShown.text(date, language)
        let minutes = Int((date.timeIntervalSince1970 / 60).rounded(.down)), minute = (minutes % 1_440 + 1_440) % 1_440
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
        return "\(day), \(two(minute / 60)):\(two(minute % 60)) UTC"
    }
}
