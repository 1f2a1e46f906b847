import Foundation
import PageTestSupport
import Testing

@testable import IdentityProvider
@testable import Pages
@testable import Passkeys

@Suite("Pages of passkeys")
struct PasskeyPageTests {
    private func fields(_ action: String, in html: String) -> [String: String] {
        let form = Markup(html).forms.first { $0.tag.attributes["action"] == action }
        let pairs = (form?.fields ?? []).compactMap { field in
            field.attributes["name"].map { ($0, field.attributes["value"] ?? "") }
        }
        return Dictionary(pairs, uniquingKeysWith: { $1 })
    }

    @Test(
        """
        the login page lets the browser offer passkeys where the username is typed,
            and has a form of its own for them; without them it is as before
        """
    )
    func login() {
        let html = LoginPage(
            .en, client: nil, reference: "ref", formToken: "tok",
            alternatives: [.init(label: "Log in with your phone", href: "/login/tiqr?request=ref")],
            credentials: .passkeys(.en, formToken: "tok", reference: "ref", returnTo: nil)
        ).html
        let without = LoginPage(.en, client: nil, reference: "ref", formToken: "tok").html
        let username = Markup(html).all("input").first { $0.attributes["name"] == "username" }?.attributes[
            "autocomplete"]

        let password = Markup(html).all("input").first { $0.attributes["name"] == "password" }?.attributes[
            "autocomplete"]
        #expect(password == "current-password webauthn")
        #expect(
            username == "username webauthn"
                && Markup(html).forms.map { $0.tag.attributes["action"] } == ["/login", "/login/passkey"])
        #expect(
            Markup(html).forms.last?.tag.attributes["data-passkey"] == "login"
                && Markup(html).forms.last?.tag.attributes["data-options"] == "/login/passkey/options")
        #expect(
            fields("/login/passkey", in: html) == ["form_token": "tok", "request": "ref", "attempt": "", "answer": ""])
        #expect(html.contains("Log in with a passkey") && html.contains("href=\"/login/tiqr?request=ref\""))
        #expect(
            without.contains("autocomplete=\"username\"") && !without.contains("passkey")
                && Markup(without).all("script") == [])
    }

    @Test("who has no script reads that passkeys need it, and finds the other ways", arguments: Language.allCases)
    func noScript(language: Language) {
        let form = PasskeyForm.login(language, .get, formToken: "tok", reference: "ref", returnTo: nil)
        let html = PasskeyPage(
            language, client: nil, form: form, password: "/login?request=ref",
            alternatives: [.init(label: "By approving", href: "/login/approval?request=ref")]
        ).html

        #expect(html.contains("<noscript><p class=\"note warn\">\(language.passkey.noScript)</p></noscript>"))
        #expect(
            Markup(html).all("a").map { $0.attributes["href"] } == [
                "/login?request=ref", "/login/approval?request=ref",
            ])
        #expect(!html.contains("http-equiv"), "a page with something to press is not loaded again")
    }

    @Test("what the script says is in the page, hidden, in a region that is watched")
    func notes() {
        let html = PasskeyPage(
            .en, client: nil, form: PasskeyForm.login(.en, .get, formToken: "t", reference: nil, returnTo: "/account")
        ).html
        let notes = Markup(html).all("p").filter { $0.attributes["data-note"] != nil }

        #expect(notes.map { $0.attributes["data-note"] } == ["unsupported", "cancelled", "exists", "failed"])
        #expect(notes.allSatisfy { $0.attributes["hidden"] != nil } && html.contains("<div role=\"alert\">"))
        #expect(Stylesheet.text.contains(".note[hidden] { display: none; }"), "a note has a display of its own")
        #expect(notes.allSatisfy { PasskeyScript.text.contains("\"\($0.attributes["data-note"] ?? "")\"") })
    }

    @Test("each problem says what to do next, and stands in the title", arguments: PasskeyProblem.allCases)
    func problems(problem: PasskeyProblem) {
        let html = PasskeyPage(
            .en, client: nil, form: PasskeyForm.login(.en, .get, formToken: "t", reference: nil, returnTo: nil),
            problem: problem
        ).html

        #expect(
            html.contains("<p class=\"note bad\" role=\"alert\">\(problem.text(Language.en.passkey))</p>")
                && html.contains("<title>Problem: "))
    }

    @Test("a person without a passkey is led to setting one up, and asked nothing")
    func none() {
        let html = PasskeyPage(.en, client: nil, form: nil, setUp: "/account/passkeys/add?request=ref").html

        #expect(
            html.contains("No passkey is set up")
                && Markup(html).all("a").map { $0.attributes["href"] } == ["/account/passkeys/add?request=ref"])
        #expect(Markup(html).forms.isEmpty && Markup(html).all("script") == [])
    }

    @Test("setting one up asks for a name, and keeps what waits for it")
    func setup() {
        let add = PasskeySetupPage(
            .en, .add, formToken: "tok", reference: "ref", isNeeded: true, wallets: "/account/passkeys/link"
        ).html
        let link = PasskeySetupPage(.en, .link, formToken: "tok").html

        #expect(
            fields("/account/passkeys/add", in: add) == [
                "form_token": "tok", "request": "ref", "answer": "", "name": "",
            ])
        #expect(
            add.contains("data-passkey=\"create\" data-options=\"/account/passkeys/add/options\"")
                && add.contains("asks for a login with a passkey"))
        #expect(
            fields("/account/passkeys/link", in: link) == ["form_token": "tok", "answer": ""]
                && link.contains("data-passkey=\"get\""))
        #expect(Markup(add).all("a").contains { $0.attributes["href"] == "/account/passkeys/link" })
    }

    @Test("where one is set up or linked nobody is told to log in another way", arguments: Language.allCases)
    func aside(language: Language) {
        let strings = language.passkey, steps: [PasskeySetupPage.Step] = [.add, .link]
        for step in steps {
            let pages = PasskeyProblem.allCases.map {
                PasskeySetupPage(language, step, formToken: "tok", problem: $0).html
            }
            for text in [
                strings.noScript, strings.notes.unsupported, strings.notes.cancelled, strings.problems.refused,
                strings.problems.unknown, strings.problems.copied,
            ] {
                #expect(pages.allSatisfy { !$0.contains(text) })
            }
            #expect(
                pages.allSatisfy {
                    $0.contains(strings.aside.noScript) && $0.contains(strings.aside.unsupported)
                        && $0.contains(strings.aside.cancelled)
                })
            #expect(pages.contains { $0.contains(strings.aside.unknown) })
        }
    }

    @Test("who has no other way reads who can help", arguments: [true, false])
    func lost(isOnly: Bool) {
        let form = PasskeyForm.login(.en, .get, formToken: "t", reference: nil, returnTo: "/account", isOwn: true)
        #expect(
            PasskeyPage(.en, client: nil, form: form, isOnly: isOnly).html.contains("Have you lost your passkey?")
                == isOnly)
    }

    @Test("without scripts nobody is sent another way who has none, in any language", arguments: Language.allCases)
    func alone(language: Language) {
        let strings = language.passkey
        func form(isOnly: Bool) -> String {
            let form = PasskeyForm.login(
                language, .get, formToken: "t", reference: nil, returnTo: "/account", isOwn: true, isOnly: isOnly)
            return PasskeyPage(language, client: nil, form: form, isOnly: isOnly).html
        }

        #expect(form(isOnly: true).contains(strings.noScriptAlone) && !form(isOnly: true).contains(strings.noScript))
        #expect(form(isOnly: false).contains(strings.noScript) && !form(isOnly: false).contains(strings.noScriptAlone))
    }

    @Test("the account lists passkeys with what they are, and how to name and remove each")
    func account() {
        let day = Date(timeIntervalSince1970: 1_793_900_000)
        let keys = [
            OwnPasskey(
                id: "one", name: "my laptop", since: day, lastUsed: day, isSynced: true, isWallets: false,
                isFlagged: false),
            OwnPasskey(
                id: "two", name: "Pera", since: day, lastUsed: nil, isSynced: false, isWallets: true, isFlagged: true),
        ]
        let ada = PersonShown(name: "Ada", username: "ada")
        let html = AccountPage(
            .en, person: ada, logins: [.passkeys(keys, .en)], instances: [], applications: [], sessions: [],
            formToken: "tok", notice: .passkeyKept
        ).html
        let forms = Markup(html).forms.map { form in
            (form.tag.attributes["action"] ?? "")
                + form.fields.compactMap { $0.attributes["value"] }.joined(separator: ",")
        }

        #expect(forms == ["/account/passkeys/removetok,one", "/account/passkeys/removetok,two"])
        #expect(Markup(html).unasked == [], "what cannot be undone is asked first")
        #expect(
            html.contains("in your password manager") && html.contains("on one device")
                && html.contains("<span class=\"badge\">perhaps copied</span>"))
        #expect(
            html.contains("href=\"/account/passkeys/name?passkey=one\"")
                && html.contains("href=\"/account/passkeys/add\""))
        #expect(html.contains("<p class=\"note bad\" role=\"alert\">This is your last passkey"))
        #expect(
            html.contains(">Remove<span class=\"unseen\"> <bdi>my laptop</bdi>")
                && html.contains(">Unlink<span class=\"unseen\"> <bdi>Pera</bdi>"))
    }

    @Test("the script is asked for by its version, asks this server only, and writes no markup")
    func script() {
        #expect(PasskeyScript.address.wholeMatch(of: #/\/assets\/passkey\.js\?v=[A-Za-z0-9_\-]{8}/#) != nil)
        #expect(
            PasskeyScript.text.contains("fetch(form.dataset.options")
                && PasskeyScript.text.contains("mediation: \"conditional\""))
        #expect(
            PasskeyScript.text.contains("document.hasFocus()")
                && PasskeyScript.text.contains("getClientExtensionResults()"))
        #expect(
            ["eval", "innerHTML", "document.write", "localStorage", "document.cookie", "http"].allSatisfy {
                !PasskeyScript.text.contains($0)
            })
    }
}
