import Pages

/// What is said of logging in at an institution.
struct UpstreamStrings: Sendable {
    /// A page with one thing to do.
    struct Task: Sendable { let title: String, lead: String, submit: String }

    struct Problems: Sendable {
        let title: String
        let declined: String, invalid: String, unreachable: String, stale: String, taken: String, foreign: String
        let suspended: String
    }

    let button: String
    let find: Task, label: String, hint: String, choices: String, none: String, more: String, other: String
    let back: String, again: String
    let problems: Problems
    let unknown: Task, link: Task, there: String, here: String, without: String
    let section: Strings.Account.Section, add: String, linked: String, unlinked: String, kept: String
    let farewell: NamedSentence
}

extension Language {
    private static let upstreamTranslations = SharedStrings<UpstreamStrings>.Translations {
        switch $0 {
        case .en: .english
        case .de: .german
        case .fr: .french
        case .it: .italian
        }
    }

    var upstream: SharedStrings<UpstreamStrings> { Self.upstreamTranslations[self] }
}
