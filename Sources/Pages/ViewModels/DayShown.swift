import Foundation

/// A day as people write it: "3 November 2026", "3. November 2026", "3 novembre 2026". The day is UTC's.
public enum DayShown {
    public static func text(_ date: Date, _ language: Language) -> String {
        let locale =
            switch language {
            case .en: "en_GB"
            case .de: "de_CH"
            case .fr: "fr_CH"
            case .it: "it_CH"
            }
        return date.formatted(
            Date.FormatStyle(date: .long, time: .omitted, locale: Locale(identifier: locale), timeZone: .gmt))
    }
}
