import Foundation
import PageTestSupport
import Testing

@testable import IdentityProvider
@testable import Pages

@Suite("What pages say and ask")
struct DialogueTests {
    let client = ClientShown(name: "Moodle", host: "moodle.example.ch")
    let ada = PersonShown(name: "Ada Lovelace", username: "ada", email: "ada@example.ch")
    let day = Date(timeIntervalSince1970: 1_793_900_000)

    func field(_ name: String, in html: String) -> [String: String]? {
        Markup(html).all("input").first { $0.attributes["name"] == name }?.attributes
    }

    @Test("the login form carries its request and where to go; what is absent is no field")
    func login() {
        let page = LoginPage(.en, client: client, reference: "ref", formToken: "tok", returnTo: "/account").html
        let plain = LoginPage(.en, client: nil, reference: nil, formToken: "tok").html

        #expect(Markup(page).forms.map { $0.tag.attributes } == [["method": "post", "action": "/login"]])
        #expect(field("request", in: page)?["value"] == "ref" && field("return_to", in: page)?["value"] == "/account")
        #expect(field("request", in: plain) == nil && field("return_to", in: plain) == nil)
        #expect(
            field("username", in: page)?["autocomplete"] == "username"
                && field("password", in: page)?["autocomplete"] == "current-password")
        #expect(page.contains("moodle.example.ch"))
    }

    @Test("after a wrong password the cursor is in the password, which tells what was wrong; the username stays")
    func wrong() {
        let page = LoginPage(.fr, client: client, reference: "r", formToken: "t", username: "ada", problem: .wrong).html

        #expect(page.contains("role=\"alert\" id=\"problem\">Le nom d’utilisateur"))
        #expect(field("username", in: page)?["value"] == "ada" && field("username", in: page)?["autofocus"] == nil)
        #expect(
            field("password", in: page)?["autofocus"] == ""
                && field("password", in: page)?["aria-describedby"] == "problem")
        #expect(page.contains("<title>Problème\u{A0}: Connexion · Moodle · Pando</title>"))
    }

    @Test(
        "how long to wait is rounded up to minutes and hours",
        arguments: [
            (-5, "in one minute"), (0, "in one minute"), (60, "in one minute"), (61, "in 2 minutes"),
            (3_540, "in 59 minutes"),
            (3_541, "in one hour"), (3_601, "in 2 hours"), (.max, "in 2400 hours"),
        ])
    func wait(seconds: Int, text: String) {
        #expect(
            LoginPage(.en, client: nil, reference: nil, formToken: "t", problem: .tooMany(seconds: seconds)).html
                .contains("Please try again \(text)."))
    }

    @Test("consent says each scope in words with its values, and an unknown one by its name; allow comes first")
    func consent() {
        let lines: [ConsentPage.Line] = [
            .init(scope: "profile", values: ["Ada Lovelace"]), .init(scope: "library.loans"),
        ]
        let page = ConsentPage(
            .it, client: client, person: ada, lines: lines, reference: "ref", formToken: "tok", action: "/consent?x"
        ).html

        #expect(page.contains("Il Suo nome") && page.contains("<bdi class=\"value\">Ada Lovelace</bdi>"))
        #expect(
            page.contains("<code class=\"strong\"><bdi>library.loans</bdi></code>")
                && page.contains("l’autorizzazione con questo nome"))
        #expect(Markup(page).all("button").map { $0.attributes["value"] } == ["allow", "deny"])
        #expect(
            field("request", in: page)?["value"] == "ref"
                && Markup(page).forms.first?.tag.attributes["action"] == "/consent?x")
    }

    @Test("logout asks with its own form, and offers to stay")
    func logout() {
        let page = LogoutPage(
            .de, client: client, person: ada, formToken: "tok", hidden: [("state", "s"), ("client_id", "c")]
        ).html

        #expect(field("state", in: page)?["value"] == "s" && field("client_id", in: page)?["value"] == "c")
        #expect(Markup(page).all("button").map { $0.attributes["value"] } == ["logout"])
        #expect(Markup(page).all("a").map { $0.attributes["href"] } == ["/account"])
        #expect(page.contains("<bdi class=\"strong\">Moodle</bdi> möchte Sie abmelden."))
    }

    @Test(
        "the way back after logout is a link when it is one of the web or of an app",
        arguments: [
            ("https://moodle.example.ch/bye?x=1#y", true), ("ch.example.app:/bye", true),
            ("javascript:alert(1)", false), ("data:text/html,x", false),
            ("//evil.example", false), ("https://a.example\\@b.example", false),
            ("JAVASCRIPT.:alert(1)", false), (" https://moodle.example.ch", false),
            ("https://moodle.example.ch/\u{202E}", false),
        ])
    func back(address: String, isLink: Bool) {
        #expect(
            Markup(LoggedOutPage(.en, client: nil, returnTo: address).html).all("a").contains {
                $0.attributes["href"] == address
            } == isLink)
    }

    @Test(
        "other ways to log in and a client's own pages are links only when they are http(s) or of this server",
        arguments: [
            ("/login/tiqr", true, false), ("https://moodle.example.ch/privacy/", true, true),
            ("javascript:alert(1)", false, false), ("//evil.example/", false, false),
            ("/", true, false),
        ])
    func links(address: String, isWay: Bool, isPage: Bool) {
        let login = LoginPage(
            .en, client: nil, reference: nil, formToken: "t", alternatives: [.init(label: "x", href: address)]
        ).html
        let consent = ConsentPage(
            .en, client: ClientShown(name: "x", host: nil, policy: address), person: ada, lines: [], reference: "r",
            formToken: "t"
        ).html

        #expect(Markup(login).all("a").contains { $0.attributes["href"] == address } == isWay)
        #expect(Markup(consent).all("a").contains { $0.attributes["href"] == address } == isPage)
    }

    @Test("what this browser remembers stands before the password, and nothing has the cursor then")
    func remembered() throws {
        let page = LoginPage(
            .en, client: nil, reference: nil, formToken: "t",
            favourite: .init(label: "Phone", href: "/login/tiqr?return_to=/account"),
            alternatives: [.init(label: "Other", href: "/login/other")]
        ).html
        let way = try #require(page.range(of: "/login/tiqr")),
            username = try #require(page.range(of: "id=\"username\"")),
            other = try #require(page.range(of: "/login/other"))

        #expect(way.lowerBound < username.lowerBound && username.lowerBound < other.lowerBound)
        #expect(page.contains("As last time in this browser:") && !page.contains("autofocus"))
    }

    @Test("the account shows phones, applications and browsers, each with its own way out")
    func account() {
        let page = AccountPage(
            .en, person: ada,
            instances: [
                .init(
                    id: "i1", name: "Ada’s", deviceType: "iPhone17,1", osVersion: "iOS 20", app: "ch.example.app",
                    version: "3.1", lastSeen: day),
                .init(
                    id: "i2", name: nil, deviceType: "Pixel 11", osVersion: nil, app: "ch.example.app", version: "",
                    lastSeen: day),
            ],
            applications: [.init(client: client, id: "c1", scopes: ["email"], since: day)],
            sessions: [
                .init(
                    id: "s1", device: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0", since: day,
                    lastSeen: day, isCurrent: true, clients: ["Moodle"])
            ],
            formToken: "tok", notice: .ended
        ).html
        let forms = Markup(page).forms.map { form in
            (form.tag.attributes["action"] ?? "")
                + form.fields.compactMap { $0.attributes["value"] }.joined(separator: ",")
        }

        #expect(
            forms == [
                "/account/disconnecttok,i1", "/account/disconnecttok,i2", "/account/others/endtok,instance",
                "/account/withdrawtok,c1", "/account/endtok,s1",
            ])
        #expect(
            page.contains("iPhone17,1") && page.contains("Pixel 11") && page.contains("ch.example.app 3.1")
                && page.contains("5 November 2026"))
        #expect(
            page.contains("Firefox on Linux") && page.contains("this browser") && page.contains("Your e-mail address"))
        #expect(page.contains("ends everything this phone may do, at once"))
        #expect(page.contains("role=\"status\">The session is ended."))
        #expect(
            Set(["/account/password", "/logout"]).isSubset(
                of: Markup(page).all("a").compactMap { $0.attributes["href"] }))
    }

    @Test("a new password is asked for twice; the password manager learns whose it is")
    func password() {
        let page = PasswordPage(.en, username: "ada", formToken: "t", problem: .short(minimum: 12)).html

        #expect(
            ["current", "new", "again"].compactMap { field($0, in: page)?["autocomplete"] } == [
                "current-password", "new-password", "new-password",
            ])
        #expect(
            field("username", in: page) == [
                "name": "username", "value": "ada", "autocomplete": "username", "readonly": "", "hidden": "",
            ])
        #expect(
            page.contains("at least 12 characters") && field("new", in: page)?["aria-describedby"] == "problem hint")
    }

    @Test("the device flow asks for the code, then warns, shows the code and asks")
    func device() {
        let enter = DevicePage(.en, .enter(code: "BCDF", isUnknown: false), person: nil).html
        let confirm = DevicePage(
            .de, .confirm(client: client, code: "BCDF-GHJK", lines: [.init(scope: "openid")]), person: ada,
            formToken: "tok"
        ).html

        #expect(Markup(enter).forms.map { $0.tag.attributes } == [["method": "get", "action": "/device"]])
        #expect(field("user_code", in: enter)?["value"] == "BCDF")
        #expect(Markup(confirm).forms.map { $0.tag.attributes } == [["method": "post", "action": "/device"]])
        #expect(!confirm.contains("class=\"host\""), "nothing is sent to a host")
        #expect(
            field("user_code", in: confirm)?["value"] == "BCDF-GHJK"
                && field("form_token", in: confirm)?["value"] == "tok")
        #expect(Markup(confirm).all("button").map { $0.attributes["value"] } == ["allow", "deny"])
        #expect(confirm.contains("Hat Ihnen jemand diesen Code geschickt?") && confirm.contains(" B C D F, G H J K"))
        #expect(!confirm.contains("<code class=\"strong\"><bdi>BCDF"))
    }
}
