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
    let cards: [Card], more: PageLink?, asksFirst: Bool
    public let isEmpty: Bool

    /// Each card's form posts its id to `action`, as `field`. `more` leads to where another one comes from.
    /// `asksFirst`: what the button does cannot be undone, so that `effect` is said behind it and a second one posts.
    public init(
        _ id: String, _ strings: Strings.Account.Section, _ cards: [Card], action: String, field: String,
        more: PageLink? = nil, asksFirst: Bool = true
    ) {
        self.asksFirst = asksFirst
        (self.id, title, lead, effect, none) = (id, strings.title, strings.lead, strings.effect, strings.none)
        self.cards = cards.map { card in
            var card = card
            if card.verb.isEmpty { card.verb = strings.button }
            return card
        }
        (self.action, self.field, isEmpty, self.more) = (action, field, cards.isEmpty, more)
    }
}
