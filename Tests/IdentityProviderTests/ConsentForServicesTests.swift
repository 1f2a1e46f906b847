import PageTestSupport
import Testing

@testable import IdentityProvider
@testable import Pages

@Suite("The consent page names the services at which an application would act")
struct ConsentForServicesTests {
    private func page(_ services: [ServicesShown.Row], _ language: Language = .en) -> String {
        ConsentPage(
            language, client: ClientShown(name: "Notes", host: "notes.example.ch"),
            person: PersonShown(name: "Ada Lovelace", username: "ada"), lines: [.init(scope: "openid")],
            services: services, reference: "r", formToken: "t"
        ).html
    }

    @Test("under a heading of their own, in each language, by name and address", arguments: Language.allCases)
    func named(_ language: Language) {
        let html = page(
            [
                .init(name: "Learn", base: "https://learn.example.ch"),
                .init(name: "Files", base: "http://localhost:8080/services/files"),
            ], language)

        let headings = Markup(html).all("h2").count, plain = Markup(page([], language)).all("h2").count
        #expect(headings == plain + 1 && html.contains(language.own.consent.acts))
        for words in ["Learn", "learn.example.ch", "Files", "localhost:8080/services/files"] {
            #expect(html.contains("<bdi>\(words)</bdi>"), "\(words)")
        }
        #expect(Markup(html).all("button").map { $0.attributes["value"] } == ["allow", "deny"])
    }

    @Test("where there are none, nothing is said of services", arguments: Language.allCases)
    func none(_ language: Language) {
        #expect(!page([], language).contains(language.own.consent.acts))
    }

    @Test("a name is made fit to be shown, and one of nothing gives way to the address")
    func hostile() {
        let html = page([
            .init(name: "<b>x</b>\u{202E}", base: "https://a.example"),
            .init(name: "\u{200B}", base: "https://b.example"),
        ])

        #expect(html.contains("&lt;b&gt;x&lt;/b&gt;") && !html.contains("<b>x") && !html.contains("\u{202E}"))
        #expect(html.components(separatedBy: "<bdi>b.example</bdi>").count == 3)
    }
}
