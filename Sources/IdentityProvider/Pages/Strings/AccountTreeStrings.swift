import OAuth
import Pages

/// What the account page says of its branches, and the pages of what happened and of who was told.
struct AccountTreeStrings: Sendable {
    let tree: Tree, activity: Activity, notMe: NotMe, told: Told

    /// What ends a branch: the button, what ends with it, and what goes on.
    struct Cut: Sendable { let verb: String, ends: String, stays: String }

    struct Tree: Sendable {
        let services: String, apps: String, onlyService: String
        /// What goes on when a phone, an application, a browser is ended.
        let phoneStays: String, applicationStays: String, browserStays: String
        let service: Cut, everywhere: Cut, app: Cut, allPhones: Cut, otherBrowsers: Cut
        let ended: String, othersEnded: String
    }

    struct Activity: Sendable {
        let title: String, lead: String, none: String, about: String, when: String, place: String
        let notMe: String, back: String
        let times: @Sendable (Int) -> String
        let kind: @Sendable (AccountActivity.Kind) -> String
    }

    struct NotMe: Sendable {
        let title: String, happened: String, nobodyIn: String, over: String, password: String, passwordText: String
        let phone: String, browser: String, application: String, thisBrowser: String
    }

    /// The list of the services that a person used.
    struct Used: Sendable { let title: String, lead: String, empty: Cut }

    struct Told: Sendable {
        let title: String, lead: String, none: String, claims: String, through: String, login: String
        let nothing: String, empty: Cut, emptied: String, used: Used
        let claim: @Sendable (String) -> String
        let method: @Sendable ([String]) -> String
    }
}

extension Language {
    private static let treeTranslations = SharedStrings<AccountTreeStrings>.Translations {
        switch $0 {
        case .en: .english
        case .de: .german
        case .fr: .french
        case .it: .italian
        }
    }

    var branches: SharedStrings<AccountTreeStrings> { Self.treeTranslations[self] }
}

extension AccountTreeStrings.Told {
    /// Which of four sentences a login's `amr` values are: both factors, a factor alone, the password alone, neither.
    static func method(
        both: String, factor: String, password: String, neither: String
    ) -> @Sendable ([String]) -> String {
        { methods in
            switch (methods.contains("mfa"), methods.contains("pwd")) {
            case (true, true): both
            case (true, false): factor
            case (false, true): password
            case (false, false): neither
            }
        }
    }
}
