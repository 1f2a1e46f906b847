import Foundation
import PageTestSupport

@testable import Pages

/// Every page in every state; `text` stands wherever somebody else's words can stand.
enum Samples {
    static let all = Language.allCases.flatMap { pages($0) }

    static func pages(_ language: Language, _ text: String = PageSample.text) -> [PageSample] {
        (phones(language, text) + problems(language, text)).map { name, html in
            PageSample(name, language, html, script: name.hasPrefix("phoneWait") ? WatchScript.address : nil)
        } + english(text).map { PageSample($0.0, language, $0.1, isEnglishOnly: true) }
    }

    private static func client(_ text: String) -> ClientShown {
        ClientShown(
            name: text, host: text, homePage: "https://moodle.example.ch/",
            policy: "https://moodle.example.ch/?\(text)", terms: text)
    }

    private static let endings: [PhoneEndingPage.Ending] = [
        .expired, .failed, .cancelled, .gone, .wrongPhone, .noPhone, .refused, .tooMany, .blocked(seconds: 600),
        .blocked(seconds: nil),
        .other(.init(title: "Over", text: "So it is"), reason: .init(label: "Because:", text: "of this")),
    ]

    private static func phones(_ language: Language, _ text: String) -> [(String, String)] {
        let others = ["/login/phone?phone=1", text].compactMap { PageLink(label: "Another", href: $0) }
        let doors: [LoginAlternative] = [
            .init(label: text, href: "/login/other"), .init(label: "Other", href: text),
        ]
        let over = endings.enumerated().map { number, ending in
            (
                "phoneEnding\(number)",
                PhoneEndingPage(
                    language, ending, next: .again(action: "/login/phone/again", attempt: text, formToken: text),
                    others: others,
                    password: "/login?request=\(text)", alternatives: doors
                ).html
            )
        }
        return over + setups(language, text) + [
            (
                "phoneWaitLogin",
                PhoneWaitPage(
                    language, title: "Log in", lead: "Scan this", isLogin: true, link: "scan://pando.example/00ff",
                    events: "/login/phone/events?attempt=\(text)", client: client(text), pushed: true, asked: "One",
                    others: others, offline: PageLink(label: "Offline", href: "/login/phone/wait?attempt=\(text)"),
                    password: "/login?request=\(text)", alternatives: doors
                ).html
            ),
            (
                "phoneWaitPlain",
                PhoneWaitPage(
                    language, title: "Log in", lead: "Scan this", isLogin: true, link: text, events: "/events"
                ).html
            ),
            (
                "phoneWaitTyped",
                PhoneWaitPage(
                    language, title: "Scan", lead: "Scan this", opensHere: false, code: text,
                    typed: .init(label: "Or type", text: text), events: "/events"
                ).html
            ),
            ("phoneNone", PhoneEndingPage(language, .noPhone, next: .begin("/account/phones/add")).html),
            ("phoneGone", PhoneEndingPage(language, .gone).html),
        ]
    }

    private static func setups(_ language: Language, _ text: String) -> [(String, String)] {
        let texts = PhoneSetupPage.Texts(
            title: "Set up", lead: "Then you log in", needed: "You need one", steps: ["Scan", "Confirm"],
            submit: "Go on",
            scanTitle: "Scan", scanLead: "Scan this", confirmTitle: "Confirm", confirmText: "Is it you?",
            stranger: "Cancel")
        let configuration = PhoneSetupPage.Configuration(
            title: "Configuration", lead: "For the app", address: "Address:", base: text, text: text)
        func page(
            _ step: PhoneSetupPage.Step, _ configuration: PhoneSetupPage.Configuration? = nil, other: String? = nil,
            choices: [PhoneSetupPage.AppChoice] = []
        ) -> String {
            PhoneSetupPage(
                language, step, texts, at: "/account/phones", formToken: text, configuration: configuration,
                alternative: other, instead: other.flatMap { PageLink(label: "Instead", href: $0) }, choices: choices
            ).html
        }
        return [
            ("phoneSetup", page(.begin(reference: text, isNeeded: true), configuration, other: "/account/other/add")),
            ("phoneSetupPlain", page(.begin(reference: nil, isNeeded: false))),
            (
                "phoneSetupChoice",
                page(
                    .begin(reference: nil, isNeeded: false),
                    choices: [.init(value: text, label: text), .init(value: "id.example", label: "Other")])
            ),
            ("phoneWaitConfirm", page(.confirm(attempt: text, events: "/events?attempt=\(text)"))),
            (
                "phoneWaitCompare",
                page(.compare(attempt: text, digits: "1234 5678", same: "Same", events: "/events?a=\(text)"))
            ),
        ]
    }

    private static func problems(_ language: Language, _ text: String) -> [(String, String)] {
        let kinds: [ProblemPage.Kind] = [
            .badRequest, .expired, .forbidden, .tooMany(seconds: 7_000), .unavailable, .notFound, .failed,
        ]
        return kinds.enumerated().map {
            ("problem\($0)", ProblemPage(language, $1, code: text, detail: text).html)
        }
    }

    /// For makers of apps.
    private static func english(_ text: String) -> [(String, String)] {
        [
            ("service", ServicePage(name: text, base: text, rsd: text, protocols: [text]).html)
        ]
    }
}
