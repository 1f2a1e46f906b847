import Base
import Foundation
import Pages

/// What the console says in one language. Words of commands and members, of which there are many, stand in
/// `ConsoleWords`; a command's own help is in English everywhere, as on the command line.
struct ConsoleStrings: Sendable {
    let language: Language
    let console: String, overview: String, menu: String, yourAccount: String
    let noRole: String, noRoleText: String
    let filter: String, next: String, first: String, nothing: String, actions: String, more: String
    let yes: String, no: String
    let show: String, preview: String, previewTitle: String, again: String, confirm: String, save: String
    let cancel: String, back: String
    let reason: String, reasonHelp: String, oneALine: String, fromFile: String, choose: String
    let done: String, doneAlready: String, secretOnce: String, result: String
    let nothingEnds: String, uncounted: String
    let tokensEnd: @Sendable (Int) -> String, servicesTold: @Sendable (Int) -> String
    let browsersEnd: @Sendable (Int) -> String
    /// What is not seen of a change by counting: by its words.
    let warnings: [String: String]
    let ago: @Sendable (Span) -> String, ahead: @Sendable (Span) -> String

    /// A rough length of time.
    enum Span: Sendable, Equatable {
        case moment, minutes(Int), hours(Int), days(Int)

        init(seconds: Int) {
            switch seconds {
            case ..<60: self = .moment
            case ..<3_600: self = .minutes(seconds / 60)
            case ..<172_800: self = .hours(seconds / 3_600)
            default: self = .days(seconds / 86_400)
            }
        }
    }

    /// What a command is called: its noun where it lists or shows, else what it does to it.
    func title(_ words: [String]) -> String {
        let path = words.joined(separator: " "), verb = words.last ?? ""
        if let own = ConsoleWords.nouns[path] { return own[language] }
        let noun = noun(words.dropLast().joined(separator: " "))
        return ["list", "show"].contains(verb) ? noun : "\(noun): \(self.verb(words))"
    }

    func warning(_ words: [String]) -> String? { warnings[words.joined(separator: " ")] }

    func noun(_ path: String) -> String { ConsoleWords.nouns[path]?[language] ?? ConsoleStrings.plain(path) }

    /// A button: by all its words where the verb means something else there.
    func verb(_ words: [String]) -> String {
        let path = words.joined(separator: " "), verb = words.last ?? ""
        return (ConsoleWords.verbs[path] ?? ConsoleWords.verbs[verb])?[language] ?? ConsoleStrings.plain(verb)
    }

    func member(_ name: String) -> String { ConsoleWords.members[name]?[language] ?? ConsoleStrings.plain(name) }

    /// Statuses and the like; anything else as it is.
    func value(_ text: String) -> String { ConsoleWords.values[text]?[language] ?? text }

    private static func plain(_ name: String) -> String {
        let text = name.replacing("_", with: " ").replacing("-", with: " ")
        return text.prefix(1).uppercased() + text.dropFirst()
    }
}

extension Language {
    private static let consoleTranslations = SharedStrings<ConsoleStrings>.Translations {
        switch $0 {
        case .en: .english
        case .de: .german
        case .fr: .french
        case .it: .italian
        }
    }

    var console: SharedStrings<ConsoleStrings> { Self.consoleTranslations[self] }
}

extension SharedStrings<ConsoleStrings> {
    func title(_ words: [String]) -> String { self[dynamicMember: \.self].title(words) }
    func warning(_ words: [String]) -> String? { self[dynamicMember: \.self].warning(words) }
    func noun(_ path: String) -> String { self[dynamicMember: \.self].noun(path) }
    func verb(_ words: [String]) -> String { self[dynamicMember: \.self].verb(words) }
    func member(_ name: String) -> String { self[dynamicMember: \.self].member(name) }
    func value(_ text: String) -> String { self[dynamicMember: \.self].value(text) }
}
