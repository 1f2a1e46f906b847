import Base
import Foundation
import Pages

/// A page that somebody opened with a wallet, or the wallet itself: a session that one of its passkeys let in.
struct OpenedPage: Sendable {
    let id: String, origins: [String], device: String?, isWallet: Bool, since: Date, lastSeen: Date

    /// `origins` are the pages', the latest first; `device` is the User-Agent. `isWallet`: a passkey answered there.
    init(id: String, origins: [String], device: String?, isWallet: Bool, since: Date, lastSeen: Date) {
        (self.id, self.origins) = (id, origins.compactMap { OpenedPage.shown($0) })
        (self.device, self.isWallet, self.since, self.lastSeen) = (device, isWallet, since, lastSeen)
    }

    /// The host alone of what is https at its usual port.
    private static func shown(_ origin: String) -> String? {
        let address = WebAddress(origin), isUsual = address?.scheme == "https" && address?.port == nil
        return ShownText.tidy(isUsual ? address?.host ?? origin : origin, limit: 300)
    }

    /// For the account page. Posts `session` to /account/wallets/end.
    func card(_ language: Language) -> AccountSection.Card {
        let strings = language.strings.account, wallet = language.wallets.wallet, browser = language.browser(device)
        let page = isWallet ? nil : origins.first
        return AccountSection.Card(
            name: page ?? browser ?? (isWallet ? wallet : strings.unknownBrowser),
            badge: isWallet && browser != nil ? wallet : nil,
            facts: [
                .init(label: strings.device, values: page == nil ? [] : [browser].compactMap(\.self)),
                .init(label: strings.usedFor, values: page == nil || origins.count > 1 ? origins : []),
                .init(label: strings.since, values: [DayShown.text(since, language)]),
                .init(label: strings.lastUsed, values: [DayShown.text(lastSeen, language)]),
            ], id: id)
    }
}

extension AccountSection {
    /// Posts `session` to /account/wallets/end.
    static func openedPages(_ opened: [OpenedPage], _ language: Language) -> AccountSection {
        AccountSection(
            "wallets", language.wallets.opened, opened.map { $0.card(language) }, action: "/account/wallets/end",
            field: "session")
    }
}
