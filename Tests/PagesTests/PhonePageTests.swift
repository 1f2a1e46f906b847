import PageTestSupport
import Testing

@testable import Pages

@Suite("Pages of logging in with a phone")
struct PhonePageTests {
    private func field(_ name: String, in html: String) -> [String: String]? {
        Markup(html).all("input").first { $0.attributes["name"] == name }?.attributes
    }

    @Test("each ending is said in words, with what to do next", arguments: Language.allCases)
    func endings(language: Language) {
        let endings: [PhoneEndingPage.Ending] = [
            .expired, .failed, .cancelled, .gone, .wrongPhone, .noPhone, .refused, .tooMany, .blocked(seconds: 600),
            .blocked(seconds: nil),
        ]
        let pages = endings.map {
            PhoneEndingPage(language, $0, next: .again(action: "/login/tiqr/again", attempt: "att", formToken: "tok"))
                .html
        }

        #expect(Set(pages).count == endings.count)
        for page in pages {
            #expect(
                Markup(page).forms.map { $0.tag.attributes } == [["method": "post", "action": "/login/tiqr/again"]])
            #expect(field("attempt", in: page)?["value"] == "att")
        }
        #expect(
            PhoneEndingPage(.en, .blocked(seconds: 600)).html.contains(
                "Please try again in 10 minutes, or use another phone."))
        #expect(
            PhoneEndingPage(.en, .noPhone, next: .begin("/account/phones/add")).html.contains(
                "<a class=\"button\" href=\"/account/phones/add\">Set up a phone</a>"))
        #expect(Markup(PhoneEndingPage(.en, .gone).html).forms.isEmpty)
    }

    @Test("where there are several apps, each is a button of the same form, in place of the only one")
    func choices() {
        let texts = PhoneSetupPage.Texts(
            title: "Set up", lead: "Then you log in", needed: "You need one", steps: [], submit: "Go on",
            scanTitle: "Scan", scanLead: "Scan this", confirmTitle: "Confirm", confirmText: "Is it you?",
            stranger: "Cancel")
        func buttons(_ choices: [PhoneSetupPage.AppChoice]) -> [String?] {
            let page = PhoneSetupPage(
                .en, .begin(reference: nil, isNeeded: false), texts, at: "/account/phones", formToken: "tok",
                choices: choices)
            return Markup(page.html).all("button").filter { $0.attributes["class"] == "button" }
                .map { $0.attributes["value"] }
        }

        #expect(buttons([]) == [nil])
        #expect(
            buttons([.init(value: "a.example", label: "A"), .init(value: "b.example", label: "B")])
                == ["a.example", "b.example"])
    }

    @Test("the script is asked for by its version, takes its address from the page, and keeps nothing")
    func script() {
        #expect(WatchScript.address.wholeMatch(of: #/\/assets\/watch\.js\?v=[A-Za-z0-9_\-]{8}/#) != nil)
        #expect(WatchScript.text.contains("EventSource(page.dataset.events)"))
        #expect(
            ["eval", "innerHTML", "document.write", "localStorage", "document.cookie", "fetch("].allSatisfy {
                !WatchScript.text.contains($0)
            })
    }
}
