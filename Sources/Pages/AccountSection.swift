import Foundation

/// One list of the account page; an empty one says what would stand there.
public struct AccountSection: Sendable {
    public struct Fact: Sendable {
        let label: String, values: [String]

        /// Without values it is left out.
        public init(label: String, values: [String]) { (self.label, self.values) = (label, values) }
    }

    public struct Card: Sendable {
        let name: String, host: String?, badge: String?, facts: [Fact], id: String, link: PageLink?
        fileprivate(set) var verb: String

        /// `id` is what the form tells; `badge` stands beside the name; `link` leads to what else can be done with it.
        /// `verb` is what the button says, where that is another than the section's.
        public init(
            name: String, host: String? = nil, badge: String? = nil, facts: [Fact], id: String, link: PageLink? = nil,
            verb: String? = nil
        ) {
            (self.name, self.host, self.badge, self.id, self.link) = (name, host, badge, id, link)
            self.facts = facts.filter { !$0.values.isEmpty }
            self.verb = verb ?? ""
        }
    }

    let id: String, title: String, lead: String, effect: String, none: String
    let action: String, field: String
    let cards: [Card], isEmpty: Bool, more: PageLink?

    /// Each card's form posts its id to `action`, as `field`. `more` leads to where another one comes from.
    public init(
        _ id: String, _ strings: Strings.Account.Section, _ cards: [Card], action: String, field: String,
        more: PageLink? = nil
    ) {
        (self.id, title, lead, effect, none) = (id, strings.title, strings.lead, strings.effect, strings.none)
        self.cards = cards.map { card in
            var card = card
            if card.verb.isEmpty { card.verb = strings.button }
            return card
        }
        (self.action, self.field, isEmpty, self.more) = (action, field, cards.isEmpty, more)
    }
}

extension AccountPage.Instance {
    func card(_ language: Language) -> AccountSection.Card {
        let strings = language.strings.account
        return AccountSection.Card(
            name: name ?? deviceType ?? strings.phone,
            facts: [
                .init(label: strings.device, values: name == nil ? [] : [deviceType].compactMap(\.self)),
                .init(label: strings.system, values: [osVersion].compactMap(\.self)),
                .init(label: strings.app, values: [version.isEmpty ? app : "\(app) \(version)"]),
                .init(label: strings.lastUsed, values: [DayShown.text(lastSeen, language)]),
            ], id: id)
    }
}

extension AccountPage.Application {
    func card(_ language: Language) -> AccountSection.Card {
        let strings = language.strings
        return AccountSection.Card(
            name: client.name, host: client.host,
            facts: [
                .init(label: strings.account.receives, values: scopes.map { ScopesShown.title($0, strings.scopes) }),
                .init(label: strings.account.since, values: [DayShown.text(since, language)]),
            ], id: id)
    }
}

extension AccountPage.Session {
    func card(_ language: Language) -> AccountSection.Card {
        let strings = language.strings.account
        let name = language.browser(device) ?? strings.unknownBrowser
        return AccountSection.Card(
            name: name, badge: isCurrent ? strings.thisBrowser : nil,
            facts: [
                .init(label: strings.usedFor, values: clients),
                .init(label: strings.since, values: [DayShown.text(since, language)]),
                .init(label: strings.lastUsed, values: [DayShown.text(lastSeen, language)]),
            ], id: id)
    }
}
