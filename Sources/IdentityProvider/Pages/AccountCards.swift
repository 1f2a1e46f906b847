import OAuth
import Pages

extension AccountPage.Instance {
    func card(_ language: Language, shared: Set<String>) -> AccountTreeSection.Card {
        let strings = language.strings.account, own = language.own.account, words = language.branches.tree
        let title = name ?? deviceType ?? strings.phone
        return AccountTreeSection.Card(
            title,
            facts: [
                .init(label: strings.device, values: name == nil ? [] : [deviceType].compactMap(\.self)),
                .init(label: own.system, values: [osVersion].compactMap(\.self)),
                .init(label: own.app, values: [version.isEmpty ? app : "\(app) \(version)"]),
            ] + AccountTreeSection.Fact.times(since: since, lastUsed: lastSeen, language),
            ending: .init(
                .init(verb: own.phones.button, ends: own.phones.effect, stays: words.phoneStays), of: title,
                action: "/account/disconnect", field: "instance", value: id),
            branches: services.map { .init($0, language, shared: shared) })
    }
}

extension AccountPage.Application {
    func card(_ language: Language, shared: Set<String>) -> AccountTreeSection.Card {
        let own = language.own, words = language.branches.tree
        return AccountTreeSection.Card(
            client.name, host: client.host,
            facts: [
                .init(label: own.account.receives, values: scopes.map { ScopesShown.title($0, own.scopes) }),
                .init(label: own.account.actsAt, values: actsAt),
            ] + AccountTreeSection.Fact.times(since: since, lastUsed: lastUsed, language),
            ending: .init(
                .init(
                    verb: own.account.applications.button, ends: own.account.applications.effect,
                    stays: words.applicationStays), of: client.name,
                action: "/account/withdraw", field: "client", value: id),
            branches: services.map { .init($0, language, shared: shared) })
    }
}

extension AccountPage.Session {
    func card(_ language: Language) -> AccountTreeSection.Card {
        let strings = language.strings.account, own = language.own.account, words = language.branches.tree
        let title = language.browser(device) ?? strings.unknownBrowser
        return AccountTreeSection.Card(
            title, badge: isCurrent ? own.thisBrowser : nil,
            facts: [.init(label: strings.usedFor, values: clients)]
                + AccountTreeSection.Fact.times(since: since, lastUsed: lastSeen, language),
            ending: .init(
                .init(verb: own.sessions.button, ends: own.sessions.effect, stays: words.browserStays), of: title,
                action: "/account/end", field: "session", value: id))
    }
}
