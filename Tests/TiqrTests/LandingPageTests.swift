import PageTestSupport
import Testing

@testable import Pages
@testable import Tiqr

@Suite("Where links of phones lead in a browser")
struct LandingPageTests {
    let enroll = "tiqrenroll://https://pando.example/services/tiqr/metadata?enrollment_key=0da1&x=1"

    @Test(
        "the page opens the app by its own scheme, and has the same link as a QR code for another screen",
        arguments: Language.allCases)
    func opens(language: Language) throws {
        let page = Markup(LandingPage(language, .enrollment, link: enroll).html), code = try QRCode(enroll)

        #expect(page.all("a").map { $0.attributes["href"] } == [enroll.replacing("&", with: "&amp;")])
        #expect(
            page.all("svg").contains {
                $0.attributes["class"] == "qr" && $0.attributes["viewBox"] == "0 0 \(code.side) \(code.side)"
            })
        #expect(page.all("path").contains { $0.attributes["d"] == code.path })
        #expect(page.forms.isEmpty)
    }

    @Test("a login that somebody else sent is warned of; an enrollment is not")
    func warns() {
        let login = LandingPage(.en, .authentication, link: "tiqrauth://pando.example/aa/bb/pando.example/2").html

        #expect(
            login.contains("Did someone send you this link?")
                && login.contains("href=\"tiqrauth://pando.example/aa/bb/pando.example/2\""))
        #expect(!LandingPage(.en, .enrollment, link: enroll).html.contains("Did someone send you this link?"))
    }

    @Test("a browser on Android breaks the link of an enrollment, so there is the code alone; that of a login opens")
    func android() {
        let enrollment = Markup(LandingPage(.en, .enrollment, link: enroll, isAndroid: true).html)
        let login = "tiqrauth://pando.example/aa/bb/pando.example/2"

        #expect(enrollment.all("a").isEmpty)
        #expect(enrollment.all("svg").contains { $0.attributes["class"] == "qr" })
        #expect(
            Markup(LandingPage(.en, .authentication, link: login, isAndroid: true).html).all("a")
                .map { $0.attributes["href"] } == [login])
    }

    @Test(
        "what opens no app is no link and no code",
        arguments: [
            "https://evil.example/", "http://evil.example/", "javascript://%0Aalert(1)", "JavaScript://x",
            "javascript:alert(1)", "data:text/html,x", "data://x",
            "intent://x", "file:///etc/passwd", "tiqrauth:///x", "tiqrauth://", "//evil.example/", "/x", "",
            "tiqrauth://a b", "tiqrauth://\u{202E}", " tiqrauth://a",
            "tiqr\"auth://a", "view-source://x",
        ])
    func refuses(link: String) {
        let page = Markup(LandingPage(.en, .authentication, link: link).html)

        #expect(page.all("a") == [] && !page.all("svg").contains { $0.attributes["class"] == "qr" })
    }

    @Test("an app's own scheme may be any other", arguments: ["tiqrauth", "eduidauth", "ch.example.auth", "my-auth+1"])
    func schemes(scheme: String) {
        let link = "\(scheme)://pando.example/x", page = Markup(LandingPage(.en, .authentication, link: link).html)

        #expect(page.all("a").map { $0.attributes["href"] } == [link])
    }
}
