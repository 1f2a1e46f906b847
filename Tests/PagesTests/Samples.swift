import Foundation
import Pages

/// Every page in every state; `text` stands wherever somebody else's words can stand.
enum Samples {
    static let hostile = [
        "\"><script>alert(1)</script>", "' onclick='alert(1)", "</title></h1><img src=x onerror=alert(1)>",
        // To Swift, the quotation mark and its accent are one Character.
        "\"\u{301} autofocus onfocus=alert(1) x=", "<\u{301}script>alert(1)</script>", "\"\u{200D} formaction=https://evil.example x=",
        "{{formToken}}", "{{{content}}}", "&quot; onclick=alert(1)", "\u{202E}gnp.exe\u{2066}\u{200F}", "a\0b\r\nc",
    ]

    struct Page: Sendable, CustomStringConvertible {
        let name: String, language: Language, html: String

        var description: String { "\(name).\(language.rawValue)" }
    }

    static let all = Language.allCases.flatMap { pages($0) }

    static func pages(_ language: Language, _ text: String = "Moodle") -> [Page] {
        let all = doors(language, text) + devices(language, text) + phones(language, text) + approvals(language, text) + passkeys(language, text) + others(language, text)
        return all.map { Page(name: $0.0, language: language, html: $0.1) }
    }

    private static func client(_ text: String) -> ClientShown {
        ClientShown(name: text, host: text, homePage: "https://moodle.example.ch/", policy: "https://moodle.example.ch/?\(text)", terms: text)
    }

    private static func person(_ text: String) -> PersonShown { PersonShown(name: text, username: text + "1", email: text + "2") }

    private static func lines(_ text: String) -> [ConsentPage.Line] {
        [
            .init(scope: "openid"), .init(scope: "profile", values: [text]), .init(scope: "email", values: [text]), .init(scope: "offline_access"),
            .init(scope: text, values: [text]),
        ]
    }

    private static func doors(_ language: Language, _ text: String) -> [(String, String)] {
        let client = client(text), person = person(text)
        let problems: [LoginPage.Problem?] = [nil, .wrong, .tooMany(seconds: 100), .busy, .expired]
        let logins = problems.enumerated().map { number, problem in
            ("login\(number)", LoginPage(
                language, client: client, reference: text, formToken: text, username: text, reason: .again, problem: problem,
                alternatives: [.init(label: text, href: "/login/tiqr"), .init(label: text, href: text)], returnTo: text
            ).html)
        }
        let passwords: [PasswordPage.Problem?] = [nil, .wrong, .short(minimum: 12), .long, .common, .ofName, .different, .tooMany(seconds: 100)]
        return logins + passwords.enumerated().map { ("password\($0)", PasswordPage(language, username: text, formToken: text, problem: $1).html) } + [
            ("loginPlain", LoginPage(language, client: nil, reference: nil, formToken: text).html),
            ("consent", ConsentPage(language, client: client, person: person, lines: lines(text), reference: text, formToken: text).html),
            ("consentToNothing", ConsentPage(language, client: client, person: person, lines: [], reference: text, formToken: text, action: "/consent/x").html),
            ("logout", LogoutPage(language, client: client, person: person, formToken: text, hidden: [(text, text), ("state", text)]).html),
            ("loggedOut", LoggedOutPage(language, client: client, returnTo: "https://moodle.example.ch/\(text)").html),
            ("loggedOutPlain", LoggedOutPage(language, client: nil, returnTo: text).html),
            ("landingEnrollment", LandingPage(language, .enrollment, link: "tiqrenroll://https://pando.example/services/tiqr/metadata?enrollment_key=ab").html),
            ("landingAuthentication", LandingPage(language, .authentication, link: "tiqrauth://pando.example/00ff/aa/\(text)/2").html),
            ("landingNowhere", LandingPage(language, .authentication, link: text).html),
        ]
    }

    private static func devices(_ language: Language, _ text: String) -> [(String, String)] {
        let steps: [DevicePage.Step] = [
            .enter(code: text, isUnknown: false), .enter(code: text, isUnknown: true), .confirm(client: client(text), code: text, lines: lines(text)), .allowed, .denied,
        ]
        return steps.enumerated().map { ("device\($0)", DevicePage(language, $1, person: person(text), formToken: text).html) }
    }

    private static let endings: [PhoneEndingPage.Ending] = [
        .expired, .failed, .cancelled, .gone, .wrongPhone, .noPhone, .refused, .tooMany, .blocked(seconds: 600), .blocked(seconds: nil),
    ]

    private static func phones(_ language: Language, _ text: String) -> [(String, String)] {
        let day = Date(timeIntervalSince1970: 1_793_000_000), link = "tiqrauth://pando.example/00ff/aa/pando.example/2"
        let own = language.tiqr, phone = LoginPhone(id: text, since: day, lastUsed: day, isBlocked: false)
        let others = ["/login/tiqr?phone=1", text].compactMap { PageLink(label: phone.label(language), href: $0) }
        let problems: [PhoneOfflinePage.Problem?] = [nil, .wrong(attemptsLeft: 1), .wrong(attemptsLeft: 4), .malformed, .unknown]
        let offline = problems.enumerated().map { number, problem in
            ("phoneOffline\(number)", PhoneOfflinePage(language, attempt: text, formToken: text, back: text, asksIdentity: number != 1, identity: text, problem: problem,
                                                        asked: phone, others: others).html)
        }
        let over = endings.enumerated().map { number, ending in
            ("phoneEnding\(number)", PhoneEndingPage(language, ending, next: .again(action: "/login/tiqr/again", attempt: text, formToken: text), others: others,
                                                      password: "/login?request=\(text)").html)
        }
        return offline + over + [
            ("phoneWaitLogin", PhoneWaitPage(
                language, title: own.title, lead: own.lead, isLogin: true, link: link,
                events: "/login/tiqr/events?attempt=\(text)", client: client(text), pushed: true,
                asked: phone.label(language), others: others,
                offline: PageLink(label: own.offlineLink, href: "/login/tiqr/wait?attempt=\(text)"),
                password: "/login?request=\(text)").html),
            ("phoneWaitPlain", PhoneWaitPage(
                language, title: own.title, lead: own.lead, isLogin: true, link: text, events: "/login/tiqr/events").html),
            ("phoneWaitFirst", PhoneWaitPage(
                language, title: own.first.title, lead: own.first.lead, link: link, events: "/account/phones/events").html),
            ("phoneWaitSetup", PhoneWaitPage(
                language, title: own.setup.scanTitle, lead: own.setup.scanLead,
                link: "tiqrenroll://https://pando.example/x?enrollment_key=ab", opensHere: false, events: "/x").html),
            ("phoneSetup", setup(language, .begin(reference: text, isNeeded: true), text)),
            ("phoneSetupPlain", setup(language, .begin(reference: nil, isNeeded: false), text)),
            ("phoneWaitConfirm", setup(language, .confirm(attempt: text, events: "/account/phones/events?attempt=\(text)"), text)),
            ("phoneNone", PhoneEndingPage(language, .noPhone, next: .begin("/account/phones/add")).html),
            ("phoneGone", PhoneEndingPage(language, .gone).html),
        ]
    }

    private static func setup(_ language: Language, _ step: PhoneSetupPage.Step, _ text: String) -> String {
        PhoneSetupPage(language, step, language.tiqr.setup, at: "/account/phones", formToken: text).html
    }

    private static func approvals(_ language: Language, _ text: String) -> [(String, String)] {
        let doors: [LoginPage.Alternative] = [.init(label: language.tiqr.button, href: "/login/tiqr"), .init(label: language.approval.button, href: text)]
        let own = language.approval, place = "/account/approvals"
        let configuration = PhoneSetupPage.Configuration(
            title: own.configuration, lead: own.configurationText, address: own.address, base: text, text: text)
        return [
            ("phoneWaitApproval", PhoneWaitPage(
                language, title: own.title, lead: own.lead, isLogin: true, link: "pando://operation?oid=1&potp=2",
                events: "/login/approval/events?attempt=\(text)", client: client(text), pushed: true,
                password: "/login?request=\(text)", alternatives: doors).html),
            ("phoneWaitApprovalPlain", PhoneWaitPage(
                language, title: own.title, lead: own.lead, isLogin: true, link: text, events: "/login/approval/events",
                alternatives: doors).html),
            ("phoneWaitActivation", PhoneWaitPage(
                language, title: own.setup.scanTitle, lead: own.setup.scanLead, code: text,
                typed: .init(label: own.typed, text: text), events: "/account/approvals/events").html),
            ("phoneApprovalSetup", PhoneSetupPage(
                language, .begin(reference: text, isNeeded: true), own.setup, at: place, formToken: text,
                configuration: configuration, alternative: "/account/phones/add").html),
            ("phoneWaitCompare", PhoneSetupPage(
                language, .compare(attempt: text, digits: ApprovingPhone.grouped("12345678"), same: own.same,
                                   events: "/e?attempt=\(text)"), own.setup, at: place, formToken: text).html),
            ("phoneRejected", PhoneEndingPage(language, .rejected(text, in: language), next: .again(action: "/login/approval/again", attempt: text, formToken: text),
                                              password: "/login?request=\(text)", alternatives: doors).html),
            ("phoneRejectedBare", PhoneEndingPage(language, .rejected(nil, in: language)).html),
        ]
    }

    private static func passkeys(_ language: Language, _ text: String) -> [(String, String)] {
        let form = PasskeyForm.login(language, .get, formToken: text, reference: text, returnTo: text, isOwn: true)
        let doors: [LoginPage.Alternative] = [.init(label: language.tiqr.button, href: text)]
        let problems = PasskeyProblem.allCases.enumerated().map { number, problem in
            ("passkeyAsk\(number)", PasskeyPage(language, client: client(text), form: form, problem: problem, password: "/login?request=\(text)", alternatives: doors).html)
        }
        let steps: [PasskeySetupPage.Step] = [.add, .link]
        let setups = steps.enumerated().map { number, step in
            ("passkeyAskSetup\(number)", PasskeySetupPage(language, step, formToken: text, reference: text, isNeeded: true, problem: .taken,
                                                         wallets: text, phone: text).html)
        }
        return problems + setups + [
            ("passkeyAskPlain", PasskeyPage(language, client: nil, form: PasskeyForm.login(language, .get, formToken: text, reference: nil, returnTo: nil)).html),
            ("passkeyAskLogin", LoginPage(language, client: client(text), reference: text, formToken: text,
                                          credentials: .passkeys(language, formToken: text, reference: text, returnTo: text), returnTo: text).html),
            ("passkeyAskSetupPlain", PasskeySetupPage(language, .add, formToken: text, wallets: "/account/passkeys/link", phone: "/account/phones/add").html),
            ("passkeyNone", PasskeyPage(language, client: nil, form: nil, setUp: "/account/passkeys/add", alternatives: doors).html),
            ("passkeyName", PasskeyNamePage(language, id: text, name: text, formToken: text).html),
        ]
    }

    private static func others(_ language: Language, _ text: String) -> [(String, String)] {
        let day = Date(timeIntervalSince1970: 1_793_000_000), client = client(text), person = person(text)
        let kinds: [ProblemPage.Kind] = [.badRequest, .expired, .forbidden, .tooMany(seconds: 7_000), .unavailable, .notFound, .failed]
        let notices: [AccountPage.Notice?] = [nil] + AccountPage.Notice.ofAccount + AccountPage.Notice.ofPhones + AccountPage.Notice.ofPasskeys
        let phones = [
            LoginPhone(id: text, since: day, lastUsed: day, isBlocked: false), LoginPhone(id: text, since: day, lastUsed: nil, isBlocked: false),
            LoginPhone(id: text, since: day, lastUsed: day, isBlocked: true),
        ]
        let approving = [
            ApprovingPhone(id: text, name: text, device: text, since: day, lastUsed: day, state: .active),
            ApprovingPhone(id: text, name: nil, device: text, since: day, lastUsed: nil, state: .blocked),
            ApprovingPhone(id: text, name: nil, device: nil, since: day, lastUsed: day, state: .unconfirmed, fingerprint: "12345678"),
        ]
        let keys = [
            OwnPasskey(id: text, name: text, since: day, lastUsed: day, isSynced: true, isWallets: false, isFlagged: false),
            OwnPasskey(id: "abc", name: text, since: day, lastUsed: nil, isSynced: false, isWallets: true, isFlagged: false),
            OwnPasskey(id: "abd", name: text, since: day, lastUsed: day, isSynced: false, isWallets: true, isFlagged: true),
        ]
        let opened = [
            OpenedPage(id: text, origins: [text, "https://page.example.ch"], device: text, isWallet: false, since: day, lastSeen: day),
            OpenedPage(id: "abe", origins: [], device: nil, isWallet: false, since: day, lastSeen: day),
            OpenedPage(id: "abf", origins: [text], device: text, isWallet: true, since: day, lastSeen: day),
        ]
        let accounts = notices.enumerated().map { number, notice in
            ("account\(number)", AccountPage(
                language, person: person,
                logins: [.passkeys(keys, language), .openedPages(opened, language), .loginPhones(phones, language), .approvingPhones(approving, language)],
                instances: [
                    .init(id: text, name: text, deviceType: text, osVersion: text, app: text, version: text, lastSeen: day),
                    .init(id: text, name: nil, deviceType: nil, osVersion: nil, app: text, version: "1", lastSeen: day),
                ],
                applications: [.init(client: client, id: text, scopes: ["openid", "profile", text], since: day)],
                sessions: [
                    .init(id: text, device: text, since: day, lastSeen: day, isCurrent: true, clients: [text, text]),
                    .init(id: text, device: nil, since: day, lastSeen: day, isCurrent: false, clients: []),
                ],
                formToken: text, notice: notice
            ).html)
        }
        return accounts + kinds.enumerated().map { ("problem\($0)", ProblemPage(language, $1, code: text, detail: text).html) } + [
            ("accountEmpty", AccountPage(
                language, person: person,
                logins: [.passkeys([], language), .openedPages([], language), .loginPhones([], language), .approvingPhones([], language)],
                instances: [], applications: [], sessions: [], formToken: text
            ).html),
            ("home", HomePage(issuer: text, services: [.init(name: text, base: text, protocols: [text])]).html),
            ("service", ServicePage(name: text, base: text, rsd: text, protocols: [text]).html),
            ("attributes", AttributesPage(subject: text, app: text, bundle: text, attributes: [(text, text)]).html),
        ]
    }
}
