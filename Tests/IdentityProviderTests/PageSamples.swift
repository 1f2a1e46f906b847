import Foundation
import PageTestSupport

@testable import IdentityProvider
@testable import Pages

/// Pages of logging in, consent, the account and the device flow in every state; `text` stands wherever somebody else's
/// words can stand.
enum PageSamples {
    static let all = Language.allCases.flatMap { pages($0) }

    static func pages(_ language: Language, _ text: String = PageSample.text) -> [PageSample] {
        (doors(language, text) + devices(language, text) + accounts(language, text) + data(language, text)).map {
            name, html in
            PageSample(name, language, html, script: name.hasPrefix("ask") ? part(text).script : nil)
        }
    }

    /// What another target put in the page.
    private static func part(_ text: String) -> PagePart {
        let layout = Layout([
            "form": """
            <form method="post" action="/ask"><input type="hidden" name="form_token" value="{{text}}">\
            <button>Ask</button></form>
            """
        ])
        return layout.part("form", script: "/assets/ask.js", ["text": text])
    }

    private static func client(_ text: String) -> ClientShown {
        ClientShown(
            name: text, host: text, homePage: "https://moodle.example.ch/",
            policy: "https://moodle.example.ch/?\(text)", terms: text)
    }

    private static func person(_ text: String) -> PersonShown {
        PersonShown(name: text, username: text + "1", email: text + "2")
    }

    private static func lines(_ text: String) -> [ConsentPage.Line] {
        [
            .init(scope: "openid"), .init(scope: "profile", values: [text]), .init(scope: "email", values: [text]),
            .init(scope: "offline_access"),
            .init(scope: text, values: [text]),
        ]
    }

    private static func doors(_ language: Language, _ text: String) -> [(String, String)] {
        let client = client(text), person = person(text)
        let problems: [LoginPage.Problem?] = [nil, .wrong, .tooMany(seconds: 100), .busy, .expired]
        let logins = problems.enumerated().map { number, problem in
            (
                "login\(number)",
                LoginPage(
                    language, client: client, reference: text, formToken: text, username: text, reason: .again,
                    problem: problem,
                    alternatives: [.init(label: text, href: "/login/tiqr"), .init(label: text, href: text)],
                    returnTo: text
                ).html
            )
        }
        let passwords: [PasswordPage.Problem?] = [
            nil, .wrong, .short(minimum: 12), .long, .common, .ofName, .different, .tooMany(seconds: 100),
        ]
        return logins
            + passwords.enumerated().map {
                ("password\($0)", PasswordPage(language, username: text, formToken: text, problem: $1).html)
            } + [
                ("loginPlain", LoginPage(language, client: nil, reference: nil, formToken: text).html),
                (
                    "withoutLevel",
                    WithoutLevelPage(language, client: client, reference: text, formToken: text).html
                ),
                (
                    "consent",
                    ConsentPage(
                        language, client: client, person: person, lines: lines(text), reference: text, formToken: text
                    ).html
                ),
                (
                    "consentForServices",
                    ConsentPage(
                        language, client: client, person: person, lines: lines(text),
                        services: [
                            .init(name: text, base: text), .init(name: "", base: "https://learn.example.ch/at/\(text)"),
                        ], reference: text, formToken: text
                    ).html
                ),
                (
                    "consentToNothing",
                    ConsentPage(
                        language, client: client, person: person, lines: [], reference: text, formToken: text,
                        action: "/consent/x"
                    ).html
                ),
                (
                    "logout",
                    LogoutPage(
                        language, client: client, person: person, formToken: text,
                        hidden: [(text, text), ("state", text)]
                    ).html
                ),
                (
                    "loggedOut",
                    LoggedOutPage(language, client: client, returnTo: "https://moodle.example.ch/\(text)").html
                ),
                ("loggedOutPlain", LoggedOutPage(language, client: nil, returnTo: text).html),
                ("home", HomePage(language, services: [.init(name: text, base: text)], brand: .pando).html),
                ("homeBare", HomePage(language, services: [], brand: .pando).html),
                (
                    "homeOfBrand",
                    HomePage(
                        language, services: [],
                        brand: Brand(
                            name: text,
                            home: Dictionary(
                                uniqueKeysWithValues: Language.allCases.map {
                                    ($0, Brand.Home(title: text, paragraphs: [text]))
                                }))
                    ).html
                ),
                (
                    "ask",
                    LoginPage(
                        language, client: client, reference: text, formToken: text, credentials: part(text),
                        returnTo: text
                    ).html
                ),
            ]
    }

    private static func devices(_ language: Language, _ text: String) -> [(String, String)] {
        let steps: [DevicePage.Step] = [
            .enter(code: text, isUnknown: false), .enter(code: text, isUnknown: true),
            .confirm(client: client(text), code: text, lines: lines(text)), .allowed, .denied,
        ]
        return steps.enumerated().map {
            ("device\($0)", DevicePage(language, $1, person: person(text), formToken: text).html)
        }
    }

    private static func accounts(_ language: Language, _ text: String) -> [(String, String)] {
        let day = Date(timeIntervalSince1970: 1_793_000_000), client = client(text), person = person(text)
        let notices: [AccountNotice?] = [nil] + AccountNotice.ofAccount + AccountNotice.ofPhones
        let words = Strings.Account.Section(
            title: "Keys", lead: "You log in.", effect: "No more.", none: "None.", button: "Remove")
        let cards = [
            AccountSection.Card(
                name: "Key", badge: "new", facts: [.init(label: "ID", values: ["1"])], id: text,
                link: PageLink(label: "Name", href: "/account/keys/name")),
            AccountSection.Card(name: "Key", facts: [.init(label: "ID", values: [])], id: "2", verb: "Unlink"),
        ]
        let logins = [[], cards].map { cards in
            AccountSection(
                cards.isEmpty ? "none" : "keys", words, cards, action: "/account/keys/remove", field: "key",
                more: PageLink(label: "Another", href: "/account/keys/add"))
        }
        let accounts = notices.enumerated().map { number, notice in
            (
                "account\(number)",
                AccountPage(
                    language, person: person,
                    logins: logins,
                    instances: [
                        .init(
                            id: text, name: text, deviceType: text, osVersion: text, app: text, version: text,
                            lastSeen: day),
                        .init(
                            id: text, name: nil, deviceType: nil, osVersion: nil, app: text, version: "1", lastSeen: day
                        ),
                    ],
                    applications: [
                        .init(
                            client: client, id: text, scopes: ["openid", "profile", text], actsAt: [text], since: day)
                    ],
                    sessions: [
                        .init(
                            id: text, device: text, since: day, lastSeen: day, isCurrent: true, clients: [text, text]),
                        .init(id: text, device: nil, since: day, lastSeen: day, isCurrent: false, clients: []),
                    ],
                    formToken: text, notice: notice
                ).html
            )
        }
        return accounts
            + [
                (
                    "accountEmpty",
                    AccountPage(
                        language, person: person, instances: [], applications: [], sessions: [], formToken: text,
                        offer: PageLink(label: language.strings.frame.problem, href: "/account/keys/add").map {
                            AccountOffer(
                                "keys", title: language.strings.frame.problem, text: language.strings.frame.problem,
                                link: $0)
                        }
                    ).html
                )
            ]
    }
}
