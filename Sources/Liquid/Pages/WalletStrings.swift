import Pages

/// What is said of pages opened with a wallet.
struct WalletStrings: Sendable {
    let opened: Strings.Account.Section, wallet: String
}

extension Language {
    private static let walletsTranslations = SharedStrings<WalletStrings>.Translations {
        switch $0 {
        case .en: .english
        case .de: .german
        case .fr: .french
        case .it: .italian
        }
    }

    var wallets: SharedStrings<WalletStrings> { Self.walletsTranslations[self] }
}

/// All languages.
extension WalletStrings {
    static let english = WalletStrings(
        opened: .init(
            title: "Pages opened with your wallet",
            lead: "Your linked wallet is logged in at these pages and on these devices.",
            effect: "Ending logs it out there at once.", none: "No page is open with your wallet.", button: "End"
        ),
        wallet: "Wallet"
    )

    static let german = WalletStrings(
        opened: .init(
            title: "Mit Ihrer Wallet geöffnete Seiten",
            lead: "Auf diesen Seiten und Geräten ist Ihre verbundene Wallet angemeldet.",
            effect: "Beenden meldet sie dort sofort ab.", none: "Mit Ihrer Wallet ist keine Seite geöffnet.",
            button: "Beenden"
        ),
        wallet: "Wallet"
    )

    static let french = WalletStrings(
        opened: .init(
            title: "Pages ouvertes avec votre portefeuille",
            lead: "Votre portefeuille lié est connecté à ces pages et sur ces appareils.",
            effect: "Terminer une session l’en déconnecte immédiatement.",
            none: "Aucune page n’est ouverte avec votre portefeuille.", button: "Terminer"
        ),
        wallet: "Portefeuille"
    )

    static let italian = WalletStrings(
        opened: .init(
            title: "Pagine aperte con il Suo wallet",
            lead: "Il Suo wallet collegato ha una sessione aperta in queste pagine e su questi dispositivi.",
            effect: "Terminare una sessione lo disconnette immediatamente.",
            none: "Nessuna pagina è aperta con il Suo wallet.", button: "Terminare"
        ),
        wallet: "Wallet"
    )
}
