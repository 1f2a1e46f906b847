import Pages

/// What is said of passkeys: logging in with one, setting one up, linking a wallet's.
struct PasskeyStrings: Sendable {
    /// What the script shows.
    struct Notes: Sendable { let unsupported: String, cancelled: String, exists: String, failed: String }

    struct Problems: Sendable {
        let over: String, refused: String, unknown: String, copied: String, another: String, notAllowed: String
        let tooMany: String, taken: String, ended: String
    }

    /// The same where one is set up or linked: nobody is told to log in another way.
    struct Aside: Sendable {
        let noScript: String, unsupported: String, cancelled: String, refused: String, unknown: String, copied: String
    }

    /// A page with one thing to do.
    struct Task: Sendable { let title: String, lead: String, submit: String }

    let button: String
    let title: String, lead: String, submit: String, noScript: String, noScriptAlone: String
    let notes: Notes, problems: Problems, aside: Aside, lost: String
    let none: Strings.Message, setUp: String, setup: Task, needed: String, name: String, hint: String
    let instead: String
    let passkeyInstead: String
    let offer: Task, link: Task, rename: Task, newName: String
    let section: Strings.Account.Section, kept: String, oneDevice: String, synced: String, wallet: String
    let flagged: String, added: String, addedByName: String, linked: String, renamed: String, removed: String
    let unlink: String, unlinked: String, last: String
}

extension Language {
    private static let passkeyTranslations = SharedStrings<PasskeyStrings>.Translations {
        switch $0 {
        case .en: .english
        case .de: .german
        case .fr: .french
        case .it: .italian
        }
    }

    var passkey: SharedStrings<PasskeyStrings> { Self.passkeyTranslations[self] }
}
