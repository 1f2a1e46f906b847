import Foundation
import Pages

/// A phone that somebody approves with. The app gave it a name; else it is known by what it is.
struct ApprovingPhone: Sendable {
    enum State: Sendable { case active, blocked, unconfirmed }

    let id: String, name: String?, device: String?, since: Date, lastUsed: Date?, state: State, fingerprint: String?

    /// `fingerprint` is shown as long as the phone is not confirmed.
    init(
        id: String, name: String?, device: String?, since: Date, lastUsed: Date?, state: State,
        fingerprint: String? = nil
    ) {
        (self.id, self.name, self.device) = (
            id, name.flatMap { ShownText.tidy($0) }, device.flatMap { ShownText.tidy($0) }
        )
        (self.since, self.lastUsed, self.state) = (since, lastUsed, state)
        self.fingerprint = state == .unconfirmed ? fingerprint.map(ApprovingPhone.grouped) : nil
    }

    /// Four digits at a time, as people compare them.
    static func grouped(_ digits: String) -> String {
        digits.count == 8 ? "\(digits.prefix(4)) \(digits.suffix(4))" : digits
    }

    /// For the account page. Posts `phone` to /account/approvals/remove.
    func card(_ language: Language) -> AccountSection.Card {
        let strings = language.strings, own = language.approval
        let badge: String? =
            switch state {
            case .active: nil
            case .blocked: strings.phone.blocked
            case .unconfirmed: own.unconfirmed
            }
        return AccountSection.Card(
            name: name ?? device ?? strings.account.phone, badge: badge,
            facts: [
                .init(label: strings.account.device, values: name == nil ? [] : [device].compactMap(\.self)),
                .init(label: own.fingerprint, values: [fingerprint].compactMap(\.self)),
                .init(label: strings.account.since, values: [DayShown.text(since, language)]),
                .init(label: strings.account.lastUsed, values: lastUsed.map { [DayShown.text($0, language)] } ?? []),
            ], id: id)
    }
}

extension AccountSection {
    /// Posts `phone` to /account/approvals/remove.
    static func approvingPhones(_ phones: [ApprovingPhone], _ language: Language) -> AccountSection {
        AccountSection(
            "approvals", language.approval.section, phones.map { $0.card(language) },
            action: "/account/approvals/remove", field: "phone",
            more: PageLink(label: language.strings.phone.setUp, href: "/account/approvals/add"))
    }
}
