import Accounts
import Base
import Pages

extension AccountSection {
    /// Posts `link` to /account/institutions/remove; leads to /account/institutions/add. `nil` where no institution has
    /// a provider, and none is linked.
    static func institutions(
        of account: Account, _ service: UpstreamService, _ language: Language
    ) async throws -> AccountSection? {
        let links = try await service.links.list(of: account.id, in: service.database)
        if links.isEmpty, try await !service.providers.isThereAny(in: service.database) { return nil }
        var cards: [Card] = []
        for link in links {
            let provider = try await service.providers.find(link.provider, in: service.database)
            cards.append(card(link, named: provider?.name ?? link.provider, language))
        }
        return section(cards, language)
    }

    static func section(_ cards: [Card], _ language: Language) -> AccountSection {
        let own = language.upstream
        return AccountSection(
            "institutions", own.section, cards, action: "/account/institutions/remove", field: "link",
            more: PageLink(label: own.add, href: "/account/institutions/add"))
    }

    static func card(_ link: UpstreamLink, named name: String, _ language: Language) -> Card {
        Card(
            name: ShownText.tidy(name) ?? "–",
            facts: [
                Fact(
                    label: language.strings.account.since, values: [DayShown.text(link.linkedAt, language)]),
                Fact(
                    label: language.strings.account.lastUsed,
                    values: link.lastUsedAt.map { [DayShown.text($0, language)] } ?? []),
            ], id: link.reference)
    }
}

extension AccountNotice {
    static let institutionLinked = AccountNotice("institution-linked") { $0.upstream.linked }
    static let institutionUnlinked = AccountNotice("institution-unlinked") { $0.upstream.unlinked }
    static let institutionKept = AccountNotice("institution-kept", isProblem: true) { $0.upstream.kept }

    static let ofInstitutions = [institutionLinked, institutionUnlinked, institutionKept]
}
