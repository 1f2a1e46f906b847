import Foundation
import PageTestSupport
import Testing

@testable import IdentityProvider
@testable import Operations
@testable import Pages

@Suite("Pages of approving in an app")
struct ApprovalPageTests {
    let link = "pando://operation?oid=7f0c&potp=12345678", day = Date(timeIntervalSince1970: 1_793_900_000)

    private func field(_ name: String, in html: String) -> [String: String]? {
        Markup(html).all("input").first { $0.attributes["name"] == name }?.attributes
    }

    @Test(
        "the page that waits has the link as QR code and for this device; the other doors are below",
        arguments: Language.allCases)
    func waits(language: Language) throws {
        let own = language.approval
        let html = PhoneWaitPage(
            language, title: own.title, lead: own.lead, isLogin: true, link: link,
            events: "/login/approval/events?attempt=a&seen=b", password: "/login?request=r",
            alternatives: [.init(label: "By scanning", href: "/login/tiqr?request=r")]
        ).html
        let page = Markup(html), code = try QRCode(link)

        #expect(
            page.all("a").map { $0.attributes["href"] } == [
                "pando://operation?oid=7f0c&amp;potp=12345678", "/login?request=r", "/login/tiqr?request=r",
            ])
        #expect(page.all("path").contains { $0.attributes["d"] == code.path } && html.contains(own.lead))
        #expect(
            page.all("div").contains { $0.attributes["data-events"] == "/login/approval/events?attempt=a&amp;seen=b" }
                && page.forms.isEmpty)
    }

    @Test("an activation code is scanned or typed; it is no link")
    func activation() throws {
        let own = Language.en.approval
        let html = PhoneWaitPage(
            .en, title: own.setup.scanTitle, lead: own.setup.scanLead, code: "AAAAA-BBBBB-CCCCC-DDDDD#MEUC",
            typed: .init(label: own.typed, text: "AAAAA-BBBBB-CCCCC-DDDDD"), events: "/e"
        ).html
        let code = try QRCode("AAAAA-BBBBB-CCCCC-DDDDD#MEUC")

        #expect(Markup(html).all("a") == [] && Markup(html).all("path").contains { $0.attributes["d"] == code.path })
        #expect(html.contains("<p class=\"code shown\">AAAAA-BBBBB-CCCCC-DDDDD</p>") && !html.contains("MEUC"))
    }

    @Test("setting up tells an app its configuration; then digits are compared, and each answer has its own form")
    func setup() {
        let own = Language.en.approval, place = "/account/approvals"
        let begin = PhoneSetupPage(
            .en, .begin(reference: "ref", isNeeded: false), own.setup, at: place, formToken: "tok",
            configuration: .init(
                title: own.configuration, lead: own.configurationText, address: own.address,
                base: "https://pando.example/services/operations", text: "ARAB+/c="),
            alternative: "/account/phones/add?request=ref"
        ).html
        let digits = ApprovingPhone.grouped("12345678")
        let compare = PhoneSetupPage(
            .en, .compare(attempt: "att", digits: digits, same: own.same, events: "/e"), own.setup, at: place,
            formToken: "tok"
        ).html

        #expect(
            Markup(begin).forms.map { $0.tag.attributes } == [["method": "post", "action": "/account/approvals/add"]])
        #expect(field("request", in: begin)?["value"] == "ref")
        #expect(
            begin.contains("<code>ARAB+/c=</code>")
                && begin.contains("<code>https://pando.example/services/operations</code>")
                && begin.contains("class=\"qr\""))
        #expect(Markup(begin).all("a").contains { $0.attributes["href"] == "/account/phones/add?request=ref" })
        #expect(
            Markup(compare).forms.map { $0.tag.attributes["action"] } == [
                "/account/approvals/confirm", "/account/approvals/cancel",
            ])
        #expect(
            compare.contains("<p class=\"code shown\">1234 5678</p>")
                && Markup(compare).all("p").contains { $0.attributes["data-events"] == "/e" })
    }

    @Test(
        "a rejection tells the SDK's reasons in words, others as they are, and no reason as none",
        arguments: [
            ("UNEXPECTED_OPERATION", "Reason given: <bdi>I did not expect this</bdi>"),
            ("a < b", "Reason given: <bdi>a &lt; b</bdi>"), ("UNKNOWN", nil), (nil, nil),
        ] as [(String?, String?)])
    func rejected(reason: String?, strings: String?) {
        let html = PhoneEndingPage(.en, .rejected(reason, in: .en)).html

        #expect(
            html.contains("The login was rejected") && html.contains("Reason given:") == (strings != nil)
                && strings.map { html.contains($0) } ?? true)
    }

    @Test("the account lists phones that approve by their names, with the digits of those that nobody confirmed")
    func account() {
        let phones = [
            ApprovingPhone(
                id: "one", name: "Ada\u{2019}s", device: "iPhone15,2", since: day, lastUsed: day, state: .active,
                fingerprint: "87654321"),
            ApprovingPhone(
                id: "two", name: nil, device: nil, since: day, lastUsed: nil, state: .unconfirmed,
                fingerprint: "12345678"),
        ]
        let ada = PersonShown(name: "Ada", username: "ada")
        let page = AccountPage(
            .en, person: ada, logins: [.approvingPhones(phones, .en)], instances: [], applications: [], sessions: [],
            formToken: "tok"
        ).html
        let forms = Markup(page).forms.map { form in
            (form.tag.attributes["action"] ?? "")
                + form.fields.compactMap { $0.attributes["value"] }.joined(separator: ",")
        }

        #expect(
            forms == ["/account/approvals/removetok,one", "/account/approvals/removetok,two"]
                && page.contains("iPhone15,2"))
        #expect(Markup(page).unasked == [], "what cannot be undone is asked first")
        #expect(
            page.contains("1234 5678") && !page.contains("8765") && page.contains("not confirmed")
                && page.contains("href=\"/account/approvals/add\""))
    }
}
