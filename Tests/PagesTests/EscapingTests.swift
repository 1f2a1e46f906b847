import Pages
import Testing

@Suite("Strings of strangers")
struct EscapingTests {
    /// Of the same pages with words that do no harm, and are no link either.
    static let plain = Dictionary(uniqueKeysWithValues: Language.allCases.map { ($0, Samples.pages($0, "not a link").map { Markup($0.html).skeleton }) })

    @Test("whatever somebody else wrote, a page keeps its tags and attributes", arguments: Samples.hostile, Language.allCases)
    func skeleton(text: String, language: Language) {
        for (hostile, plain) in zip(Samples.pages(language, text), Self.plain[language] ?? []) {
            let page = Markup(hostile.html)

            #expect(page.rubbish == [], "\(hostile.description)")
            #expect(page.tags.filter { $0.attributes.keys.contains { $0.hasPrefix("on") || $0 == "style" || $0 == "formaction" } } == [], "\(hostile.description)")
            #expect(page.all("style", "img") == [], "\(hostile.description)")
            #expect(page.all("script").count == (hostile.name.hasPrefix("phoneWait") || hostile.name.hasPrefix("passkeyAsk") ? 1 : 0), "\(hostile.description)")
            if text.unicodeScalars.allSatisfy({ $0.value >= 32 && $0.value < 0x2000 }) { #expect(page.skeleton == plain, "\(hostile.description)") }
        }
    }

    static func turns(_ text: String) -> Int { text.unicodeScalars.count { (0x202A ... 0x202E).contains($0.value) || (0x2066 ... 0x2069).contains($0.value) } }

    @Test("marks that turn the direction of a line are not shown", arguments: Language.allCases)
    func direction(language: Language) {
        for page in Samples.pages(language, "Uni\u{202E}gnp\u{2066}") {
            let inFields = Markup(page.html).tags.flatMap { tag in ["value", "action", "name", "href"].compactMap { tag.attributes[$0] } }

            #expect(Self.turns(page.html) == inFields.map(Self.turns).reduce(0, +), "\(page.description)")
        }
    }

    @Test("what a form carries comes back as it was")
    func exact() {
        let state = "a\u{202E}b\"c\u{301}&<'> d"
        let html = LogoutPage(.en, client: nil, person: PersonShown(name: nil, username: "ada"), formToken: "t", hidden: [("state", state)]).html

        #expect(html.contains("name=\"state\" value=\"a\u{202E}b&quot;c\u{301}&amp;&lt;&#39;&gt; d\""))
    }

    @Test("a quotation mark with an accent is escaped, and a line end and a null too")
    func scalars() {
        let html = LoginPage(.en, client: nil, reference: "\"\u{301}\r\0", formToken: "t").html

        #expect(html.contains("value=\"&quot;\u{301}&#13;\u{FFFD}\""))
    }

    @Test("names of people, clients and phones stand apart from the sentence around them")
    func isolated() {
        let client = ClientShown(name: "Lernwelt", host: "lernwelt.example"), person = PersonShown(name: "Ada", username: "ada")

        let consent = ConsentPage(.de, client: client, person: person, lines: [], reference: "r", formToken: "t").html

        #expect(consent.contains("<bdi>Lernwelt</bdi> weitergeben?"))
        #expect(consent.contains("<bdi>lernwelt.example</bdi>"))
        #expect(consent.contains(">Ada</bdi>"))
    }
}
