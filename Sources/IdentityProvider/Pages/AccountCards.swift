import Pages

extension AccountPage.Instance {
    func card(_ language: Language) -> AccountSection.Card {
        let strings = language.strings.account, own = language.own.account
        return AccountSection.Card(
            name: name ?? deviceType ?? strings.phone,
            facts: [
                .init(label: strings.device, values: name == nil ? [] : [deviceType].compactMap(\.self)),
                .init(label: own.system, values: [osVersion].compactMap(\.self)),
                .init(label: own.app, values: [version.isEmpty ? app : "\(app) \(version)"]),
                .init(label: strings.lastUsed, values: [DayShown.text(lastSeen, language)]),
            ], id: id)
    }
}

extension AccountPage.Application {
    func card(_ language: Language) -> AccountSection.Card {
        let strings = language.strings, own = language.own
        return AccountSection.Card(
            name: client.name, host: client.host,
            facts: [
                .init(label: own.account.receives, values: scopes.map { ScopesShown.title($0, own.scopes) }),
                .init(label: strings.account.since, values: [DayShown.text(since, language)]),
            ], id: id)
    }
}

extension AccountPage.Session {
    func card(_ language: Language) -> AccountSection.Card {
        let strings = language.strings.account, own = language.own.account
        let name = language.browser(device) ?? strings.unknownBrowser
        return AccountSection.Card(
            name: name, badge: isCurrent ? own.thisBrowser : nil,
            facts: [
                .init(label: strings.usedFor, values: clients),
                .init(label: strings.since, values: [DayShown.text(since, language)]),
                .init(label: strings.lastUsed, values: [DayShown.text(lastSeen, language)]),
            ], id: id)
    }
}
