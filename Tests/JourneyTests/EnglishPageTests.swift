import PageTestSupport
import Pages
import Testing

@testable import IdentityProvider
@testable import Viewer

@Suite("Pages for makers of apps")
struct EnglishPageTests {
    static func pages(_ text: String) -> [PageSample] {
        let services = [AboutPage.Service(name: text, base: text, protocols: [text])]
        let attributes = AttributesPage(subject: text, app: text, bundle: text, attributes: [(text, text)])
        return [
            PageSample("about", .en, AboutPage(issuer: text, services: services).html, isEnglishOnly: true),
            PageSample("attributes", .en, attributes.html, isEnglishOnly: true),
        ]
    }

    @Test("what holds of every page holds of them", arguments: EnglishPageTests.pages(PageSample.text))
    func rules(page: PageSample) {
        PageRules.all(page)
        PageWording.direction(EnglishPageTests.pages)
    }

    @Test("whatever somebody else wrote, a page keeps its tags and attributes", arguments: PageSample.hostile)
    func escaping(text: String) {
        PageWording.escaping(text, EnglishPageTests.pages)
    }
}
