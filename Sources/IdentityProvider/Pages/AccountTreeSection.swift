import Foundation
import OAuth
import Pages

/// One list of the account page whose entries have branches: each can be ended alone, and says before what ends with it
/// and what goes on.
struct AccountTreeSection: Sendable {
    struct Fact: Sendable {
        let label: String, values: [String]
    }

    /// A question that stands behind a button, and posts when it is answered with yes.
    struct Ending: Sendable {
        let verb: String, ends: String, stays: String, action: String, field: String, value: String
        /// Whose it is, for who does not see where it stands.
        let of: String?

        init(
            _ cut: AccountTreeStrings.Cut, of name: String?, action: String, field: String, value: String
        ) {
            (verb, ends, stays, of) = (cut.verb, cut.ends, cut.stays, name)
            (self.action, self.field, self.value) = (action, field, value)
        }
    }

    struct Branch: Sendable {
        let title: String, facts: [Fact], ending: Ending
        let apps: [Branch], hasApps: Bool
        /// Ends the service wherever it was opened, where that is not here alone.
        let everywhere: Ending?
        /// What stands in place of the apps where only the service knows them.
        let hint: String?

        /// As the tree has it; `nil` in `services` of the page where nothing hangs below. `shared`: services that were
        /// opened elsewhere as well, by their ids.
        init(_ node: AccountNode, _ language: Language, shared: Set<String>) {
            let words = language.branches.tree, isApp = node.kind == .app
            let title = node.name.flatMap { ShownText.tidy($0) } ?? "?"
            self.title = title
            facts = Fact.times(since: node.since, lastUsed: node.lastUsed, language)
            ending = Ending(
                isApp ? words.app : words.service, of: title, action: "/account/branches/end", field: "branch",
                value: node.id)
            everywhere =
                !isApp && shared.contains(node.subject)
                ? Ending(
                    words.everywhere, of: title, action: "/account/services/end", field: "branch", value: node.id)
                : nil
            apps = (node.children ?? []).map { Branch($0, language, shared: shared) }
            hasApps = !apps.isEmpty
            hint = node.children == nil ? words.onlyService : nil
        }
    }

    struct Card: Sendable {
        let title: String, host: String?, badge: String?, facts: [Fact], ending: Ending
        let branches: [Branch], hasBranches: Bool

        init(
            _ title: String, host: String? = nil, badge: String? = nil, facts: [Fact], ending: Ending,
            branches: [Branch] = []
        ) {
            (self.title, self.host, self.badge, self.ending) = (title, host, badge, ending)
            self.facts = facts.filter { !$0.values.isEmpty }
            (self.branches, hasBranches) = (branches, !branches.isEmpty)
        }
    }

    let id: String, heading: String, lead: String, none: String
    let cards: [Card], isEmpty: Bool
    /// Ends all of them at once, where there are several.
    let others: Ending?

    init(_ id: String, _ strings: Strings.Account.Section, _ cards: [Card], others: Ending? = nil) {
        (self.id, heading, lead, none) = (id, strings.title, strings.lead, strings.none)
        (self.cards, isEmpty) = (cards, cards.isEmpty)
        self.others = cards.count > 1 ? others : nil
    }

    static let ending = """
        <details><summary class="button second">{{verb}}{{#.of}}<span class="unseen"> <bdi>{{.}}</bdi></span>{{/.of}}\
        </summary>
        <form method="post" action="{{action}}">
        <p>{{ends}}</p>
        <p class="quiet">{{stays}}</p>
        <input type="hidden" name="form_token" value="{{formToken}}">
        <input type="hidden" name="{{field}}" value="{{value}}">
        <button class="button">{{verb}}{{#.of}}<span class="unseen"> <bdi>{{.}}</bdi></span>{{/.of}}</button>
        </form></details>
        """

    static let facts = """
        <dl>{{#facts}}<div><dt>{{label}}</dt><dd>{{#values}}<bdi>{{.}}</bdi>{{/values}}</dd></div>{{/facts}}</dl>
        """

    static let template = """
        <section aria-labelledby="{{id}}">
        <h2 id="{{id}}">{{heading}}</h2>
        {{#isEmpty}}<p class="empty">{{none}}</p>{{/isEmpty}}{{^isEmpty}}<p class="quiet">{{lead}}</p>
        <ul class="cards">
        {{#cards}}<li><div><h3><bdi>{{title}}</bdi>{{#.badge}} <span class="badge">{{.}}</span>{{/.badge}}</h3>
        {{> host}}
        {{> facts}}</div>
        {{#ending}}{{> ending}}{{/ending}}
        {{#hasBranches}}<div class="below"><p>{{branchWords.services}}</p>
        <ul class="branches">
        {{#branches}}<li><p class="strong"><bdi>{{title}}</bdi></p>
        {{> facts}}{{#.hint}}<p class="quiet">{{.}}</p>{{/.hint}}
        {{#ending}}{{> ending}}{{/ending}}
        {{#.everywhere}}{{> ending}}{{/.everywhere}}
        {{#hasApps}}<div class="below"><p>{{branchWords.apps}}</p>
        <ul class="branches">
        {{#apps}}<li><p class="strong"><bdi>{{title}}</bdi></p>
        {{> facts}}{{#ending}}{{> ending}}{{/ending}}</li>
        {{/apps}}</ul></div>{{/hasApps}}</li>
        {{/branches}}</ul></div>{{/hasBranches}}</li>
        {{/cards}}</ul>
        {{#.others}}<div class="others">{{> ending}}</div>{{/.others}}{{/isEmpty}}
        </section>
        """
}

extension AccountTreeSection.Fact {
    static func times(since: Date?, lastUsed: Date?, _ language: Language) -> [AccountTreeSection.Fact] {
        let strings = language.strings.account
        return [
            AccountTreeSection.Fact(
                label: strings.since, values: since.map { [TimeShown.text($0, language)] } ?? []),
            AccountTreeSection.Fact(
                label: strings.lastUsed, values: lastUsed.map { [TimeShown.text($0, language)] } ?? []),
        ].filter { !$0.values.isEmpty }
    }
}
