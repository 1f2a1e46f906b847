import Foundation
import Pages

/// A phone that somebody logs in with. It has no name of its own: it is known by its day and by the end of the ID that
/// the app shows.
struct LoginPhone: Sendable {
    let id: String, since: Date, lastUsed: Date?, isBlocked: Bool

    /// `lastUsed` is `nil` for a phone that never logged anybody in.
    init(id: String, since: Date, lastUsed: Date?, isBlocked: Bool) {
        (self.id, self.since, self.lastUsed, self.isBlocked) = (id, since, lastUsed, isBlocked)
    }

    var tail: String { Pages.ShownText.tidy(String(id.suffix(4))) ?? "?" }

    func label(_ language: Language) -> String { language.tiqr.phone(DayShown.text(since, language), tail) }

    /// For the account page. Posts `phone` to /account/phones/remove.
    func card(_ language: Language) -> AccountSection.Card {
        let strings = language.strings, own = language.tiqr
        return AccountSection.Card(
            name: strings.account.phone, badge: isBlocked ? strings.phone.blocked : lastUsed == nil ? own.new : nil,
            facts: [
                .init(label: own.id, values: ["…" + tail]),
                .init(label: strings.account.since, values: [DayShown.text(since, language)]),
                .init(label: strings.account.lastUsed, values: lastUsed.map { [DayShown.text($0, language)] } ?? []),
            ], id: id)
    }
}

extension AccountSection {
    /// Posts `phone` to /account/phones/remove.
    static func loginPhones(_ phones: [LoginPhone], _ language: Language) -> AccountSection {
        AccountSection(
            "logins", language.tiqr.section, phones.map { $0.card(language) }, action: "/account/phones/remove",
            field: "phone", more: PageLink(label: language.strings.phone.setUp, href: "/account/phones/add"))
    }
}
