import Foundation
import Pages

/// A passkey that somebody logs in with, as its person named it.
struct OwnPasskey: Sendable {
    let id: String, name: String?, since: Date, lastUsed: Date?, isSynced: Bool, isWallets: Bool, isFlagged: Bool

    /// `isSynced`: it may be on several devices. `isWallets`: a wallet registered it. `isFlagged`: its counter once
    /// went back, so there may be a copy of it.
    init(id: String, name: String, since: Date, lastUsed: Date?, isSynced: Bool, isWallets: Bool, isFlagged: Bool) {
        (self.id, self.name, self.since, self.lastUsed) = (id, ShownText.tidy(name), since, lastUsed)
        (self.isSynced, self.isWallets, self.isFlagged) = (isSynced, isWallets, isFlagged)
    }

    /// For the account page. Posts `passkey` to /account/passkeys/remove, which unlinks a wallet's; leads to
    /// /account/passkeys/name.
    func card(_ language: Language) -> AccountSection.Card {
        let strings = language.strings, own = language.passkey
        let link = PageLink(label: own.rename.title, href: "/account/passkeys/name?passkey=\(id)")
        return AccountSection.Card(
            name: name ?? "Passkey", badge: isFlagged ? own.flagged : isWallets ? own.wallet : nil,
            facts: [
                .init(label: own.kept, values: [isSynced ? own.synced : own.oneDevice]),
                .init(label: strings.account.since, values: [DayShown.text(since, language)]),
                .init(label: strings.account.lastUsed, values: lastUsed.map { [DayShown.text($0, language)] } ?? []),
            ], id: id, link: link, verb: isWallets ? own.unlink : nil)
    }
}

extension AccountSection {
    /// Posts `passkey` to /account/passkeys/remove.
    static func passkeys(_ passkeys: [OwnPasskey], _ language: Language) -> AccountSection {
        let own = language.passkey
        return AccountSection(
            "passkeys", own.section, passkeys.map { $0.card(language) }, action: "/account/passkeys/remove",
            field: "passkey", more: PageLink(label: own.setUp, href: "/account/passkeys/add"))
    }
}
