import Foundation
import PageTestSupport
import Testing

@testable import Pages

@Suite("A brand on every page")
struct BrandTests {
    private static let brand = Brand(
        name: "Uni \"Somewhere\"",
        logo: Brand.Logo(bytes: [1], type: "image/png", version: "v1"), colours: try? BrandColours("#7a1f5c"),
        support: "mailto:help@example.org", privacy: "https://example.org/privacy", terms: "https://example.org/terms")

    private func page(_ place: PagePlace, _ language: Language = .en) -> String {
        PagePlace.$current.withValue(place) {
            ProblemPage(language, .notFound, code: "not_found", detail: "gone").html
        }
    }

    @Test("its name, logo, colours and links stand on a page, and nothing of them opens it")
    func branded() {
        let html = page(PagePlace(Self.brand, address: nil)), markup = Markup(html)

        #expect(html.contains("<title>There is no such page · Uni &quot;Somewhere&quot;</title>"))
        #expect(markup.all("img").map { $0.attributes["src"] } == ["/assets/brand-logo?v=v1"])
        #expect(markup.all("link").contains { $0.attributes["href"]?.hasPrefix("/assets/brand.css?v=") == true })
        #expect(
            markup.all("a").compactMap { $0.attributes["href"] }
                == ["/", "mailto:help@example.org", "https://example.org/privacy", "https://example.org/terms"])
        #expect(markup.rubbish == [] && !html.contains("One root, many trunks"))
    }

    @Test("without a brand there is the leaf, and no switch where no address is known")
    func plain() {
        let html = page(PagePlace(.pando, address: nil))

        #expect(html.contains("· Pando</title>") && html.contains("One root, many trunks"))
        #expect(!html.contains("/language") && Markup(html).all("img") == [])
    }

    @Test("the foot of a page leads to it in each language; the present one is said", arguments: Language.allCases)
    func languages(language: Language) {
        let html = page(PagePlace(.pando, address: "/login?a=1&b=\"x"), language), markup = Markup(html)

        let form = markup.forms.first { $0.tag.attributes["action"] == "/language" }
        #expect(form?.tag.attributes["method"] == "get")
        #expect(form?.fields.first?.attributes["value"] == "/login?a=1&amp;b=&quot;x")
        #expect(
            form?.fields.filter { $0.name == "button" }.compactMap { $0.attributes["lang"] } == [
                "en", "de", "fr", "it",
            ])
        #expect(
            form?.fields.filter { $0.attributes["aria-current"] == "true" }.map { $0.attributes["value"] }
                == [language.rawValue])
        PageRules.all(PageSample("problem", language, html))
    }

    @Test(
        "what is no path of this server is no address",
        arguments: ["//evil.example", "https://evil.example", "/\\evil.example", "/a b", "/a\r\nb", "", "/é"])
    func foreign(address: String) {
        #expect(!PagePlace.isOurs(address))
        #expect(!page(PagePlace(.pando, address: address)).contains("/language"))
    }

    @Test("a page in English for everybody has no language to choose")
    func english() {
        let html = PagePlace.$current.withValue(PagePlace(.pando, address: "/")) {
            ServicePage(name: "a", base: "https://a.example", rsd: "/rsd", protocols: []).html
        }

        #expect(!html.contains("/language"))
    }

    @Test(
        "of any colour that is taken, all texts have 4.5:1 in both schemes",
        arguments: ["#1b6b43", "#7a1f5c", "#000000", "#003366", "#b00020", "#5b5b00", "#0000ff", "#6a1b9a", "#004d40"])
    func readable(text: String) throws {
        let style = try #require(try BrandColours(text)).style
        let schemes = style.matches(of: #/:root \{ ([^}]*)\}/#).map { root in
            String(root.1).matches(of: #/--([a-z\-]+): #([0-9a-f]{6});/#).reduce(into: [String: [Double]]()) {
                let value = Int($1.2, radix: 16) ?? 0
                $0[String($1.1)] = [value >> 16 & 255, value >> 8 & 255, value & 255].map { Double($0) / 255 }
            }
        }

        #expect(schemes.count == 2)
        for (own, usual) in zip(schemes, StylesheetTests.schemes) {
            let colours = usual.merging(own) { $1 }
            for (text, ground, least) in [
                ("leaf", "paper", 4.5), ("leaf", "card", 4.5), ("on-leaf", "leaf", 4.5),
                ("on-leaf", "leaf-strong", 4.5),
                ("leaf-strong", "wash", 4.5), ("leaf-strong", "card", 4.5), ("ring", "paper", 3), ("ring", "card", 3),
            ] {
                let ratio = StylesheetTests.contrast(try #require(colours[text]), try #require(colours[ground]))

                #expect(ratio >= least, "\(text) on \(ground): \(ratio)")
            }
        }
    }

    @Test("a colour that nobody could read is refused with the nearest that can be", arguments: ["#ffd700", "#00aaff"])
    func unreadable(text: String) throws {
        let refused = try #require(throws: BrandColours.Unreadable.self) { _ = try BrandColours(text) }

        #expect(try BrandColours(refused.nearest) != nil)
        #expect(refused.description.contains(refused.nearest))
    }

    @Test("what is no colour is none", arguments: ["", "red", "#fff", "#12345g", "123456", "#1234567"])
    func noColour(text: String) throws {
        #expect(try BrandColours(text) == nil)
    }
}
