import Foundation
import PageTestSupport

@testable import IdentityProvider
@testable import Pages
@testable import Passkeys

/// Pages of passkeys in every state; `text` stands wherever somebody else's words can stand.
enum PasskeyPageSamples {
    static let all = Language.allCases.flatMap { pages($0) }

    static func pages(_ language: Language, _ text: String = PageSample.text) -> [PageSample] {
        (logins(language, text) + setups(language, text) + accounts(language, text)).map {
            PageSample($0.0, language, $0.1, script: $0.0.hasPrefix("passkeyAsk") ? PasskeyScript.address : nil)
        }
    }

    private static func client(_ text: String) -> ClientShown {
        ClientShown(
            name: text, host: text, homePage: "https://moodle.example.ch/",
            policy: "https://moodle.example.ch/?\(text)",
            terms: text)
    }

    private static func logins(_ language: Language, _ text: String) -> [(String, String)] {
        let form = PasskeyForm.login(language, .get, formToken: text, reference: text, returnTo: text, isOwn: true)
        let plain = PasskeyForm.login(language, .get, formToken: text, reference: nil, returnTo: nil)
        let part = PagePart.passkeys(language, formToken: text, reference: text, returnTo: text)
        let doors: [LoginAlternative] = [.init(label: "By phone", href: text)]
        let problems = PasskeyProblem.allCases.enumerated().map { number, problem in
            (
                "passkeyAsk\(number)",
                PasskeyPage(
                    language, client: client(text), form: form, problem: problem, password: "/login?request=\(text)",
                    alternatives: doors
                ).html
            )
        }
        return problems + [
            ("passkeyAskPlain", PasskeyPage(language, client: nil, form: plain).html),
            (
                "passkeyAskLogin",
                LoginPage(
                    language, client: client(text), reference: text, formToken: text, credentials: part, returnTo: text
                ).html
            ),
            (
                "passkeyNone",
                PasskeyPage(
                    language, client: nil, form: nil, setUp: "/account/passkeys/add", alternatives: doors
                ).html
            ),
        ]
    }

    private static func setups(_ language: Language, _ text: String) -> [(String, String)] {
        let steps: [PasskeySetupPage.Step] = [.add, .link]
        return steps.enumerated().map { number, step in
            (
                "passkeyAskSetup\(number)",
                PasskeySetupPage(
                    language, step, formToken: text, reference: text, isNeeded: true, problem: .taken, wallets: text,
                    phone: text
                ).html
            )
        } + [
            (
                "passkeyAskSetupPlain",
                PasskeySetupPage(
                    language, .add, formToken: text, wallets: "/account/passkeys/link", phone: "/account/phones/add"
                ).html
            ),
            ("passkeyName", PasskeyNamePage(language, id: text, name: text, formToken: text).html),
        ]
    }

    private static func accounts(_ language: Language, _ text: String) -> [(String, String)] {
        let day = Date(timeIntervalSince1970: 1_793_000_000)
        func key(_ id: String, used: Bool, isSynced: Bool, isWallets: Bool, isFlagged: Bool) -> OwnPasskey {
            OwnPasskey(
                id: id, name: text, since: day, lastUsed: used ? day : nil, isSynced: isSynced, isWallets: isWallets,
                isFlagged: isFlagged)
        }
        func page(_ keys: [OwnPasskey], _ notice: AccountNotice?) -> String {
            AccountPage(
                language, person: PersonShown(name: text, username: text), logins: [.passkeys(keys, language)],
                instances: [], applications: [], sessions: [], formToken: text, notice: notice
            ).html
        }
        let keys = [
            key(text, used: true, isSynced: true, isWallets: false, isFlagged: false),
            key("abc", used: false, isSynced: false, isWallets: true, isFlagged: false),
            key("abd", used: true, isSynced: false, isWallets: true, isFlagged: true),
        ]
        let notices = AccountNotice.ofPasskeys.enumerated().map { ("account\($0)", page(keys, $1)) }
        return notices + [("account", page(keys, nil)), ("accountEmpty", page([], nil))]
    }
}
