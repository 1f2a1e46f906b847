import PageTestSupport
import Testing

@testable import IdentityProvider
@testable import Pages

@Suite("Strings of strangers on the pages of logging in")
struct EscapingTests {
    @Test(
        "whatever somebody else wrote, a page keeps its tags and attributes",
        arguments: PageSample.hostile, Language.allCases)
    func skeleton(text: String, language: Language) {
        PageWording.escaping(text) { PageSamples.pages(language, $0) }
    }

    @Test("marks that turn the direction of a line are not shown", arguments: Language.allCases)
    func direction(language: Language) {
        PageWording.direction { PageSamples.pages(language, $0) }
    }

    @Test("what a form carries comes back as it was")
    func exact() {
        let state = "a\u{202E}b\"c\u{301}&<'> d"
        let html = LogoutPage(
            .en, client: nil, person: PersonShown(name: nil, username: "ada"), formToken: "t",
            hidden: [("state", state)]
        ).html

        #expect(html.contains("name=\"state\" value=\"a\u{202E}b&quot;c\u{301}&amp;&lt;&#39;&gt; d\""))
    }

    @Test("a quotation mark with an accent is escaped, and a line end and a null too")
    func scalars() {
        let html = LoginPage(.en, client: nil, reference: "\"\u{301}\r\0", formToken: "t").html

        #expect(html.contains("value=\"&quot;\u{301}&#13;\u{FFFD}\""))
    }

    @Test("names of people, clients and phones stand apart from the sentence around them")
    func isolated() {
        let client = ClientShown(name: "Lernwelt", host: "lernwelt.example"),
            person = PersonShown(name: "Ada", username: "ada")

        let consent = ConsentPage(.de, client: client, person: person, lines: [], reference: "r", formToken: "t").html

        #expect(consent.contains("<bdi>Lernwelt</bdi> weitergeben?"))
        #expect(consent.contains("<bdi>lernwelt.example</bdi>"))
        #expect(consent.contains(">Ada</bdi>"))
    }
}
