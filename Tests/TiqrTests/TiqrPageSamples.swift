import Foundation
import PageTestSupport

@testable import IdentityProvider
@testable import Pages
@testable import Tiqr

/// Pages of tiqr in every state; `text` stands wherever somebody else's words can stand.
enum TiqrPageSamples {
    static let all = Language.allCases.flatMap { pages($0) }

    static func pages(_ language: Language, _ text: String = PageSample.text) -> [PageSample] {
        (landings(language, text) + offline(language, text) + waits(language, text) + setups(language, text)).map {
            let waits = $0.0.hasPrefix("phoneWait") || $0.0 == "phoneNumberTold"
            return PageSample($0.0, language, $0.1, script: waits ? WatchScript.address : nil)
        }
    }

    private static let day = Date(timeIntervalSince1970: 1_793_000_000)

    private static func phone(_ text: String) -> LoginPhone {
        LoginPhone(id: text, since: day, lastUsed: day, isBlocked: false)
    }

    private static func others(_ language: Language, _ text: String) -> [PageLink] {
        ["/login/tiqr?phone=1", text].compactMap { PageLink(label: phone(text).label(language), href: $0) }
    }

    private static func landings(_ language: Language, _ text: String) -> [(String, String)] {
        let enrollment = "tiqrenroll://https://pando.example/services/tiqr/metadata?enrollment_key=ab"
        return [
            ("landingEnrollment", LandingPage(language, .enrollment, link: enrollment).html),
            (
                "landingAuthentication",
                LandingPage(
                    language, .authentication, link: "tiqrauth://pando.example/00ff/aa/\(text)/2"
                ).html
            ),
            ("landingNowhere", LandingPage(language, .authentication, link: text).html),
        ]
    }

    private static func offline(_ language: Language, _ text: String) -> [(String, String)] {
        let problems: [PhoneOfflinePage.Problem?] = [
            nil, .wrong(attemptsLeft: 1), .wrong(attemptsLeft: 4), .malformed, .unknown,
        ]
        return problems.enumerated().map { number, problem in
            (
                "phoneOffline\(number)",
                PhoneOfflinePage(
                    language, attempt: text, formToken: text, back: text, asksIdentity: number != 1, identity: text,
                    problem: problem, asked: phone(text), others: others(language, text)
                ).html
            )
        }
    }

    private static func waits(_ language: Language, _ text: String) -> [(String, String)] {
        let own = language.tiqr, link = "tiqrauth://pando.example/00ff/aa/pando.example/2"
        let client = ClientShown(
            name: text, host: text, homePage: "https://moodle.example.ch/",
            policy: "https://moodle.example.ch/?\(text)",
            terms: text)
        return [
            (
                "phoneWaitLogin",
                PhoneWaitPage(
                    language, title: own.title, lead: own.lead, isLogin: true, link: link,
                    events: "/login/tiqr/events?attempt=\(text)", client: client, pushed: true,
                    asked: phone(text).label(language), others: others(language, text),
                    offline: PageLink(label: own.offlineLink, href: "/login/tiqr/wait?attempt=\(text)"),
                    password: "/login?request=\(text)"
                ).html
            ),
            (
                "phoneWaitPlain",
                PhoneWaitPage(
                    language, title: own.title, lead: own.lead, isLogin: true, link: text, events: "/login/tiqr/events"
                ).html
            ),
            ("phoneNumber", number(language, text, .first(isMalformed: true))),
            ("phoneNumberLast", number(language, text, .last)),
            ("phoneNumberTold", number(language, text, .confirm)),
            (
                "phoneWaitFirst",
                PhoneWaitPage(
                    language, title: own.first.title, lead: own.first.lead, link: link, events: "/account/phones/events"
                ).html
            ),
            (
                "phoneWaitSetup",
                PhoneWaitPage(
                    language, title: own.setup.scanTitle, lead: own.setup.scanLead,
                    link: "tiqrenroll://https://pando.example/x?enrollment_key=ab", opensHere: false, events: "/x"
                ).html
            ),
        ]
    }

    private static func number(_ language: Language, _ text: String, _ step: PhoneNumberPage.Step) -> String {
        PhoneNumberPage(
            language, step, attempt: text, formToken: text, events: "/login/tiqr/events?attempt=\(text)",
            client: ClientShown(name: text, host: text),
            scan: PageLink(label: text, href: "/login/tiqr?request=\(text)&push=0"),
            alternatives: [LoginAlternative(label: text, href: "/login/other")]
        ).html
    }

    private static func setups(_ language: Language, _ text: String) -> [(String, String)] {
        func page(_ step: PhoneSetupPage.Step) -> String {
            PhoneSetupPage(language, step, language.tiqr.setup, at: "/account/phones", formToken: text).html
        }
        let phones = [
            phone(text), LoginPhone(id: text, since: day, lastUsed: nil, isBlocked: false),
            LoginPhone(id: text, since: day, lastUsed: day, isBlocked: true),
        ]
        return [
            ("phoneSetup", page(.begin(reference: text, isNeeded: true))),
            ("phoneSetupPlain", page(.begin(reference: nil, isNeeded: false))),
            ("phoneWaitConfirm", page(.confirm(attempt: text, events: "/account/phones/events?attempt=\(text)"))),
            ("account", account(language, phones, text)), ("accountEmpty", account(language, [], text)),
        ]
    }

    private static func account(_ language: Language, _ phones: [LoginPhone], _ text: String) -> String {
        AccountPage(
            language, person: PersonShown(name: text, username: text), logins: [.loginPhones(phones, language)],
            instances: [], applications: [], sessions: [], formToken: text
        ).html
    }
}
