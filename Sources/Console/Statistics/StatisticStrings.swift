import Pages

/// What the page says that shows the federation at a glance.
struct StatisticStrings: Sendable {
    let title: String, lead: String, ranges: String, table: String, time: String, estimate: String, other: String
    let none: String, own: String
    /// That what was lost may live again.
    let setback: String
    /// By the words of the address.
    let range: [String: String]
    /// By the names of `StatisticMetric`, of its units, and of its labels, where they are words of ours.
    let metrics: [String: String], units: [String: String], labels: [String: String]
    /// People, installed apps, clients and services, of those who see a part.
    let counts: [String: String]
}

extension Language {
    private static let statisticTranslations = SharedStrings<StatisticStrings>.Translations {
        switch $0 {
        case .en: .english
        case .de: .german
        case .fr: .french
        case .it: .italian
        }
    }

    var statistics: SharedStrings<StatisticStrings> { Self.statisticTranslations[self] }
}
