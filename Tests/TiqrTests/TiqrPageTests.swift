import Foundation
import PageTestSupport
import Testing

@testable import IdentityProvider
@testable import Pages
@testable import Tiqr

@Suite("Pages of logging in by scanning")
struct TiqrPageTests {
    let link = "tiqrauth://pando.example/0011/aabb/Moodle/2", day = Date(timeIntervalSince1970: 1_793_900_000)
    var phone: LoginPhone { LoginPhone(id: "abcdefWXYZ", since: day, lastUsed: nil, isBlocked: false) }

    private func waiting(
        _ language: Language = .en, pushed: Bool = false, asked: String? = nil, others: [PageLink] = [],
        offline: PageLink? = nil,
        password: String? = nil, link: String? = nil, events: String = "/e"
    ) -> String {
        PhoneWaitPage(
            language, title: language.tiqr.title, lead: language.tiqr.lead, isLogin: true, link: link ?? self.link,
            events: events, pushed: pushed, asked: asked, others: others, offline: offline, password: password
        ).html
    }

    private func settingUp(_ step: PhoneSetupPage.Step) -> String {
        PhoneSetupPage(.en, step, Language.en.tiqr.setup, at: "/account/phones", formToken: "tok").html
    }

    private func field(_ name: String, in html: String) -> [String: String]? {
        Markup(html).all("input").first { $0.attributes["name"] == name }?.attributes
    }

    @Test(
        """
        the page that waits has the link as QR code and for this device, first; it listens, and without script it is \
        loaded again
        """,
        arguments: Language.allCases)
    func waits(language: Language) throws {
        let offline = PageLink(label: language.tiqr.offlineLink, href: "/login/tiqr/wait?attempt=a&offline=1")
        let html = waiting(
            language, offline: offline, password: "/login?request=r", events: "/login/tiqr/events?attempt=a&seen=b")
        let page = Markup(html), code = try QRCode(link)

        #expect(
            page.all("a").map { $0.attributes["href"] } == [
                link, "/login/tiqr/wait?attempt=a&amp;offline=1", "/login?request=r",
            ])
        #expect(
            page.all("path").contains { $0.attributes["d"] == code.path }
                && html.contains("fill=\"#fff\" d=\"M0 0h\(code.side)v\(code.side)"))
        #expect(page.all("div").contains { $0.attributes["data-events"] == "/login/tiqr/events?attempt=a&amp;seen=b" })
        #expect(
            html.contains("<noscript><meta http-equiv=\"refresh\" content=\"3\"></noscript>")
                && html.contains("role=\"status\""))
        #expect(page.forms.isEmpty && page.all("input") == [], "what is loaded again is no place to type")
    }

    @Test("only where there are several phones is it said which is asked; the others are links")
    func several() {
        let label = phone.label(.en), other = PageLink(label: label, href: "/login/tiqr?return_to=%2Faccount&phone=1")
        let alone = waiting(asked: label), html = waiting(asked: label, others: [other].compactMap(\.self))

        #expect(!alone.contains("Asked now:"))
        #expect(
            html.contains("Asked now: <bdi>phone set up on 5 November 2026, ID …WXYZ</bdi>")
                && !html.contains("abcdefWXYZ"))
        #expect(
            Markup(html).all("a").contains { $0.attributes["href"] == "/login/tiqr?return_to=%2Faccount&amp;phone=1" })
    }

    @Test(
        """
        a push is told of; what a browser would break is not offered on this device; what opens no app is neither \
        link nor code
        """
    )
    func variants() {
        let pushed = waiting(pushed: true), harmful = waiting(link: "javascript:alert(1)", events: "//evil.example/")
        let elsewhere = PhoneWaitPage(
            .en, title: "t", lead: "l", link: "tiqrenroll://https://pando.example/m", opensHere: false, events: "/e"
        ).html

        #expect(pushed.contains("Your phone has been asked."))
        #expect(
            Markup(elsewhere).all("a") == [] && elsewhere.contains("Show this page on another screen")
                && elsewhere.contains("class=\"qr\""))
        #expect(Markup(harmful).all("a") == [] && !harmful.contains("class=\"qr\"") && !harmful.contains("data-events"))
    }

    @Test("the offline form asks for the ID where nobody is named; what is wrong is said, and the cursor is there")
    func offline() {
        func page(_ asks: Bool, _ problem: PhoneOfflinePage.Problem?) -> String {
            PhoneOfflinePage(
                .en, attempt: "att", formToken: "tok", back: "/login/tiqr/wait?attempt=att", asksIdentity: asks,
                identity: "id", problem: problem
            ).html
        }

        #expect(
            Markup(page(false, nil)).forms.map { $0.tag.attributes } == [
                ["method": "post", "action": "/login/tiqr/otp"]
            ])
        #expect(
            field("attempt", in: page(false, nil))?["value"] == "att"
                && field("form_token", in: page(false, nil))?["value"] == "tok")
        #expect(
            field("identity", in: page(false, nil)) == nil && field("identity", in: page(true, nil))?["autofocus"] == ""
        )
        #expect(
            field("otp", in: page(false, nil))?["autocomplete"] == "one-time-code"
                && field("otp", in: page(false, nil))?["inputmode"] == "numeric")
        #expect(
            page(false, .wrong(attemptsLeft: 3)).contains("3 attempts are left.")
                && page(false, .wrong(attemptsLeft: 1)).contains("One attempt is left."))
        #expect(field("otp", in: page(true, .wrong(attemptsLeft: 3)))?["aria-describedby"] == "problem")
        #expect(
            field("identity", in: page(true, .unknown))?["aria-describedby"] == "problem hint"
                && field("otp", in: page(true, .unknown))?["aria-invalid"] == nil)
        #expect(!page(true, nil).contains("<script") && !page(true, nil).contains("http-equiv"))
    }

    @Test("setting up says which app, and why; then the code is hidden, and a stranger's scan can be cancelled")
    func setup() {
        let begin = settingUp(.begin(reference: "ref", isNeeded: true))
        let plain = settingUp(.begin(reference: nil, isNeeded: false))
        let confirm = settingUp(.confirm(attempt: "att", events: "/account/phones/events?attempt=att"))

        #expect(Markup(begin).forms.map { $0.tag.attributes } == [["method": "post", "action": "/account/phones/add"]])
        #expect(
            field("request", in: begin)?["value"] == "ref"
                && begin.contains("This account asks for a login with a phone.") && begin.contains("for example tiqr"))
        #expect(field("request", in: plain) == nil && !plain.contains("This account asks for"))
        #expect(
            !confirm.contains("class=\"qr\"") && confirm.contains("Choose a PIN")
                && field("attempt", in: confirm)?["value"] == "att")
        #expect(
            Markup(confirm).forms.map { $0.tag.attributes } == [["method": "post", "action": "/account/phones/cancel"]])
        #expect(
            Markup(confirm).all("p").contains { $0.attributes["data-events"] == "/account/phones/events?attempt=att" })
    }

    @Test("the account lists phones for logging in with their own way out; without the method it says nothing of them")
    func account() {
        let person = PersonShown(name: "Ada", username: "ada")
        let page = AccountPage(
            .en, person: person, logins: [.loginPhones([phone], .en)], instances: [], applications: [], sessions: [],
            formToken: "tok", notice: .phoneKept
        ).html
        let without = AccountPage(.en, person: person, instances: [], applications: [], sessions: [], formToken: "tok")
            .html

        #expect(
            Markup(page).forms.first?.tag.attributes["action"] == "/account/phones/remove"
                && field("phone", in: page)?["value"] == "abcdefWXYZ")
        #expect(Markup(page).unasked == [], "what cannot be undone is asked first")
        #expect(
            page.contains("not used yet") && page.contains("…WXYZ")
                && page.contains("<p class=\"note bad\" role=\"alert\">This is your last phone"))
        #expect(Markup(page).all("a").contains { $0.attributes["href"] == "/account/phones/add" })
        #expect(!without.contains("Phones for logging in") && !without.contains("/account/phones"))
    }
}
