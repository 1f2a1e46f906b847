import Foundation
import PageTestSupport

@testable import IdentityProvider
@testable import OAuth
@testable import Pages

/// Pages of what a person has let in, of what happened and of who was told, in every state; `text` stands wherever
/// somebody else's words can stand.
enum AccountTreeSamples {
    static let day = Date(timeIntervalSince1970: 1_793_900_000)

    static let firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0"

    static let all = Language.allCases.flatMap { pages($0) }

    static func node(_ kind: AccountNode.Kind, _ text: String, _ children: [AccountNode]?) -> AccountNode {
        AccountNode(
            id: text, kind: kind, subject: text, name: text, app: nil, since: day, lastUsed: day, isCurrent: nil,
            children: children, branch: .instance(text))
    }

    static func services(_ text: String) -> [AccountNode] {
        [
            node(.service, text, [node(.app, text, []), node(.app, text, [])]), node(.service, text, []),
            node(.service, text, nil),
        ]
    }

    static func entry(_ kind: AccountActivity.Kind, _ text: String, count: Int = 1) -> AccountActivity.Entry {
        AccountActivity.Entry(
            id: "e-\(kind.rawValue)", kind: kind, at: day, place: "192.0.2.0/24", count: count, subject: nil,
            names: [.text(text), .browser(text), .browser(firefox)], action: text)
    }

    static func pages(_ language: Language, _ text: String = PageSample.text) -> [PageSample] {
        (accounts(language, text) + activities(language, text) + told(language, text)).map {
            PageSample($0, language, $1)
        }
    }

    private static func accounts(_ language: Language, _ text: String) -> [(String, String)] {
        let client = ClientShown(name: text, host: text), person = PersonShown(name: text, username: text)
        return [
            (
                "accountTree",
                AccountPage(
                    language, person: person,
                    instances: [1, 2].map {
                        .init(
                            id: "\(text)\($0)", name: text, deviceType: text, osVersion: text, app: text,
                            version: text, since: day, lastSeen: day, services: services(text))
                    },
                    applications: [
                        .init(
                            client: client, id: text, scopes: ["openid"], since: day, lastUsed: day,
                            services: services(text))
                    ],
                    sessions: [
                        .init(id: text, device: text, since: day, lastSeen: day, isCurrent: true, clients: [text]),
                        .init(id: text, device: nil, since: day, lastSeen: day, isCurrent: false, clients: []),
                    ], formToken: text
                ).html
            )
        ]
    }

    private static func activities(_ language: Language, _ text: String) -> [(String, String)] {
        let cuts: [AccountActivity.Cut?] = [
            nil, .phone(id: text, name: text), .phone(id: text, name: nil), .browser(id: text, device: text),
            .application(id: text, name: text), .browsers,
        ]
        let kinds: [AccountActivity.Kind] = [.refusedLogin, .newPhone, .appLogin, .login, .consent, .ended]
        return [
            ("activityEmpty", ActivityPage(language, []).html),
            (
                "activity",
                ActivityPage(
                    language, AccountActivity.Kind.allCases.map { entry($0, text) } + [entry(.other, text, count: 12)]
                ).html
            ),
            ("notMeOver", NotMePage(language, entry(.login, text), cut: nil, isCurrent: false, formToken: text).html),
        ]
            + zip(kinds, cuts).map { kind, cut in
                (
                    "notMe-\(kind)-\(cut == nil ? 0 : 1)",
                    NotMePage(language, entry(kind, text), cut: cut, isCurrent: kind == .login, formToken: text).html
                )
            }
    }

    private static func told(_ language: Language, _ text: String) -> [(String, String)] {
        let claims = ["email", "name", "given_name", "family_name", "preferred_username", text]
        let methods: [[String]?] = [nil, ["pwd"], ["pwd", "mfa"], ["mfa"], ["swk"]]
        let readers = methods.map {
            ToldPage.Reader(
                title: text, host: text, claims: $0 == nil ? [] : claims, through: $0 == nil ? nil : text,
                loginAt: $0 == nil ? nil : day, methods: $0, first: day, last: day)
        }
        let used = [text, nil].map { ToldPage.Service(name: text, host: $0, last: day) }
        return [
            ("toldEmpty", ToldPage(language, [], formToken: text).html),
            ("told", ToldPage(language, readers, formToken: text).html),
            ("toldUsed", ToldPage(language, readers, used: used, formToken: text).html),
            ("used", ToldPage(language, [], used: used, formToken: text).html),
        ]
    }
}
