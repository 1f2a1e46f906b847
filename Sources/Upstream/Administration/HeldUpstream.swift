import Accounts
import Administration
import HTTP
import Pages
import TokenTree

extension ProductAdministration {
    static let upstream = ProductAdministration(
        commands: [ProvidersCommand.self],
        accountDeletion: AccountDeletion(member: "institutions_unlinked") { account, _, _, transaction in
            try await transaction.execute("delete from upstream_link where account = \(account)")
        },
        rotation: MasterKeyRotation(
            member: "upstream_providers", ends: "logins at institutions that are under way"
        ) { old, new, clock, transaction in
            try await ProviderStore(master: old, clock: clock).reseal(under: new, in: transaction)
        })
}

extension HeldData {
    /// At which institutions people log in, and what these said.
    static let upstream = [links, sessions, directory]

    private static let links = HeldData(
        AccountHolding(
            "institution_logins", in: "upstream_link",
            tells: "provider subject account made_account told linked_at last_used_at", newest: "linked_at"
        ) { "x.account = \($0)" }
    ) {
        switch $0 {
        case .en: "Logins with your institution"
        case .de: "Anmeldungen mit Ihrer Institution"
        case .fr: "Connexions avec votre institution"
        case .it: "Accessi con la Sua istituzione"
        }
    }

    private static let directory = HeldData(
        AccountHolding(
            "directory_people", in: "directory_person", tells: "account name told linked_at last_used_at",
            newest: "linked_at"
        ) { "x.account = \($0)" }
    ) {
        switch $0 {
        case .en: "Logins with your institution’s directory"
        case .de: "Anmeldungen mit dem Verzeichnis Ihrer Institution"
        case .fr: "Connexions avec l’annuaire de votre institution"
        case .it: "Accessi con l’elenco della Sua istituzione"
        }
    }

    private static let sessions = HeldData(
        AccountHolding(
            "institution_sessions", in: "upstream_session", tells: "session provider subject sid at", newest: "at"
        ) { "x.session in (select s.id from browser_session s where s.account = \($0))" }
    ) {
        switch $0 {
        case .en: "Browsers logged in through your institution"
        case .de: "Browser, die über Ihre Institution angemeldet sind"
        case .fr: "Navigateurs connectés par votre institution"
        case .it: "Browser con accesso tramite la Sua istituzione"
        }
    }
}
