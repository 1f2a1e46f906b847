import Foundation

/// A phone that somebody logs in with. It has no name of its own: it is known by its day and by the end of the ID that the app shows.
public struct LoginPhone: Sendable {
    let id: String, since: Date, lastUsed: Date?, isBlocked: Bool

    /// `lastUsed` is `nil` for a phone that never logged anybody in.
    public init(id: String, since: Date, lastUsed: Date?, isBlocked: Bool) { (self.id, self.since, self.lastUsed, self.isBlocked) = (id, since, lastUsed, isBlocked) }

    var tail: String { ShownText.tidy(String(id.suffix(4))) ?? "?" }

    func label(_ language: Language) -> String { language.strings.phoneLogin.phone(DayShown.text(since, language), tail) }

    /// For the account page. Posts `phone` to /account/phones/remove.
    func card(_ language: Language) -> AccountSection.Card {
        let strings = language.strings, own = strings.phoneLogin.account
        return AccountSection.Card(name: strings.account.phone, badge: isBlocked ? own.blocked : lastUsed == nil ? own.new : nil, facts: [
            .init(label: own.id, values: ["…" + tail]),
            .init(label: strings.account.since, values: [DayShown.text(since, language)]),
            .init(label: strings.account.lastUsed, values: lastUsed.map { [DayShown.text($0, language)] } ?? []),
        ], id: id)
    }
}

/// Phones that can be asked in place of one: each is a link.
struct OtherPhones: Sendable {
    struct Link: Sendable { let label: String, href: String }

    let links: [Link]

    /// `nil` when there is none.
    init?(_ phones: [(phone: LoginPhone, href: String)], _ language: Language) {
        guard !phones.isEmpty else { return nil }
        links = phones.map { Link(label: $0.phone.label(language), href: ShownText.ownLink($0.href) ?? "/") }
    }

    static let template = """
        <h2>{{strings.phoneLogin.others}}</h2>
        <ul class="plain">
        {{#links}}<li><a href="{{href}}"><bdi>{{label}}</bdi></a></li>
        {{/links}}</ul>
        """
}
