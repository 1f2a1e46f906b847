import Foundation
import PageTestSupport

@testable import IdentityProvider
@testable import Operations
@testable import Pages

/// Pages of approving in every state; `text` stands wherever somebody else's words can stand.
enum ApprovalPageSamples {
    static let all = Language.allCases.flatMap { pages($0) }

    static func pages(_ language: Language, _ text: String = PageSample.text) -> [PageSample] {
        (waits(language, text) + setups(language, text) + endings(language, text) + accounts(language, text)).map {
            PageSample($0.0, language, $0.1, script: $0.0.hasPrefix("phoneWait") ? WatchScript.address : nil)
        }
    }

    private static func doors(_ language: Language, _ text: String) -> [LoginAlternative] {
        [.init(label: "Passkey", href: "/login/passkey"), .init(label: language.approval.button, href: text)]
    }

    private static func waits(_ language: Language, _ text: String) -> [(String, String)] {
        let own = language.approval, doors = doors(language, text)
        let client = ClientShown(
            name: text, host: text, homePage: "https://moodle.example.ch/",
            policy: "https://moodle.example.ch/?\(text)",
            terms: text)
        return [
            (
                "phoneWaitApproval",
                PhoneWaitPage(
                    language, title: own.title, lead: own.lead, isLogin: true, link: "pando://operation?oid=1&potp=2",
                    events: "/login/approval/events?attempt=\(text)", client: client, pushed: true,
                    password: "/login?request=\(text)", alternatives: doors
                ).html
            ),
            (
                "phoneWaitApprovalPlain",
                PhoneWaitPage(
                    language, title: own.title, lead: own.lead, isLogin: true, link: text,
                    events: "/login/approval/events",
                    alternatives: doors
                ).html
            ),
            (
                "phoneWaitActivation",
                PhoneWaitPage(
                    language, title: own.setup.scanTitle, lead: own.setup.scanLead, code: text,
                    typed: .init(label: own.typed, text: text), events: "/account/approvals/events"
                ).html
            ),
        ]
    }

    private static func setups(_ language: Language, _ text: String) -> [(String, String)] {
        let own = language.approval, place = "/account/approvals", digits = ApprovingPhone.grouped("12345678")
        let configuration = PhoneSetupPage.Configuration(
            title: own.configuration, lead: own.configurationText, address: own.address, base: text, text: text)
        return [
            (
                "phoneApprovalSetup",
                PhoneSetupPage(
                    language, .begin(reference: text, isNeeded: true), own.setup, at: place, formToken: text,
                    configuration: configuration, alternative: "/account/phones/add"
                ).html
            ),
            (
                "phoneWaitCompare",
                PhoneSetupPage(
                    language, .compare(attempt: text, digits: digits, same: own.same, events: "/e?attempt=\(text)"),
                    own.setup,
                    at: place, formToken: text
                ).html
            ),
        ]
    }

    private static func endings(_ language: Language, _ text: String) -> [(String, String)] {
        [
            (
                "phoneRejected",
                PhoneEndingPage(
                    language, .rejected(text, in: language),
                    next: .again(action: "/login/approval/again", attempt: text, formToken: text),
                    password: "/login?request=\(text)", alternatives: doors(language, text)
                ).html
            ),
            ("phoneRejectedBare", PhoneEndingPage(language, .rejected(nil, in: language)).html),
        ]
    }

    private static func accounts(_ language: Language, _ text: String) -> [(String, String)] {
        let day = Date(timeIntervalSince1970: 1_793_000_000)
        let phones = [
            ApprovingPhone(id: text, name: text, device: text, since: day, lastUsed: day, state: .active),
            ApprovingPhone(id: text, name: nil, device: text, since: day, lastUsed: nil, state: .blocked),
            ApprovingPhone(
                id: text, name: nil, device: nil, since: day, lastUsed: day, state: .unconfirmed,
                fingerprint: "12345678"),
        ]
        return [("account", phones), ("accountEmpty", [])].map { name, phones in
            (
                name,
                AccountPage(
                    language, person: PersonShown(name: text, username: text),
                    logins: [.approvingPhones(phones, language)],
                    instances: [], applications: [], sessions: [], formToken: text
                ).html
            )
        }
    }
}
