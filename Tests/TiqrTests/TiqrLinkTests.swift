import Base
import ProtocolTestSupport
import Testing

@testable import Tiqr

@Suite("Links that phones read")
struct TiqrLinkTests {
    @Test(
        "authentication links are those of the protocol page", .enabled(if: TiqrVectors.arePresent, TiqrVectors.whyNot))
    func published() throws {
        // The sixth is one of protocol 1, which is not offered.
        let rows = try TiqrVectors.rows("auth_urls", count: 6).filter { $0["version"]?.integer == 2 }
        #expect(rows.count == 5)
        for row in rows {
            let identifier = try #require(row.text("identifier")), session = try #require(row.text("session")),
                challenge = try #require(row.text("question"))
            let custom = TiqrLink.authentication(
                identifier: identifier, session: session, challenge: challenge, serviceProvider: row.text("sp"),
                identity: row.text("user"), returnURL: nil,
                scheme: "tiqrauth"
            )
            let universal = TiqrLink.authenticationUniversal(
                identifier: identifier, session: session, challenge: challenge, identity: row.text("user"),
                base: "https://tiqr.example.org/tiqrauth/"
            )

            #expect((row.text("form") == "custom-scheme" ? custom : universal) == row.text("url"))
        }
    }

    @Test(
        "enrollment links are those of the protocol page and of the apps' tests",
        .enabled(if: TiqrVectors.arePresent, TiqrVectors.whyNot))
    func publishedEnrollment() throws {
        for row in try TiqrVectors.rows("enroll_urls", count: 3) {
            let metadata = try #require(row.text("metadata_url"))
            let custom = TiqrLink.enrollment(metadata: metadata, scheme: "tiqrenroll")
            let universal = TiqrLink.enrollmentUniversal(metadata: metadata, base: row.text("base") ?? "")

            #expect((row.text("form") == "custom-scheme" ? custom : universal) == row.text("url"))
        }
    }

    func link(serviceProvider: String? = nil, identity: String? = nil, returnURL: String? = nil) -> String {
        TiqrLink.authentication(
            identifier: "h.example", session: "aa", challenge: "bb", serviceProvider: serviceProvider,
            identity: identity, returnURL: returnURL, scheme: "tiqrauth"
        )
    }

    @Test("nothing follows the version but the return URL, which is encoded whole")
    func returnURL() {
        #expect(link() == "tiqrauth://h.example/aa/bb/h.example/2")
        #expect(
            link(returnURL: "https://rp.example/done")
                == "tiqrauth://h.example/aa/bb/h.example/2?https%3A%2F%2Frp.example%2Fdone")
        #expect(link(identity: "id-1") == "tiqrauth://id-1@h.example/aa/bb/h.example/2")
    }

    @Test(
        "the name of the service provider stays one part of the link, never an empty one",
        arguments: [
            ("Moodle", "Moodle"), ("My Moodle", "My%20Moodle"), ("a/b?c#d%", "a%2Fb%3Fc%23d%25"),
            ("Zürich", "Z%C3%BCrich"),
            ("", "h.example"), (" \n", "h.example"), (".", "h.example"), ("..", "h.example"), ("...", "..."),
        ])
    func serviceProvider(name: String, part: String) {
        #expect(link(serviceProvider: name) == "tiqrauth://h.example/aa/bb/\(part)/2")
    }

    @Test("universal links carry each value encoded")
    func universal() {
        let enrollment = TiqrLink.enrollmentUniversal(
            metadata: "https://h.example/m?k=1&x=2", base: "https://h.example/tiqrenroll/")
        let authentication = TiqrLink.authenticationUniversal(
            identifier: "h.example", session: "aa", challenge: "bb", identity: "a b&c",
            base: "https://h.example/tiqrauth/"
        )

        #expect(enrollment == "https://h.example/tiqrenroll/?metadata=https%3A%2F%2Fh.example%2Fm%3Fk%3D1%26x%3D2")
        #expect(authentication == "https://h.example/tiqrauth/?u=a%20b%26c&i=h.example&s=aa&q=bb&v=2")
    }
}

@Suite("From universal links to the app")
struct TiqrLandingTests {
    static let session = "0da1c51c3c3be54441527d4e5bde3710"
    static let good = ["i": "h.example", "s": session, "q": "747d558f3d", "v": "2", "u": "id-1"]

    func authentication(_ query: [String: String]) -> String? {
        TiqrLanding.authentication(query: query, scheme: "tiqrauth") { $0 == "h.example" }
    }

    @Test("a universal link becomes the link of the app's own scheme, with and without identity")
    func opens() {
        var anyone = Self.good
        anyone["u"] = nil

        #expect(authentication(Self.good) == "tiqrauth://id-1@h.example/\(Self.session)/747d558f3d/h.example/2")
        #expect(authentication(anyone) == "tiqrauth://h.example/\(Self.session)/747d558f3d/h.example/2")
    }

    @Test(
        "no link is made for what is not of this server, or not in the form that this server gives",
        arguments: [
            ("i", nil), ("i", "other.example"), ("i", "H.example"), ("i", "h.example:80"), ("i", "h.example/x"),
            ("i", ""),
            ("s", nil), ("s", ""), ("s", "0da1c51c3c3be54"), ("s", "0da1c51c3c3be54441527d4e5bde371g"),
            ("s", TiqrLandingTests.session + "/x"),
            ("s", String(repeating: "a", count: 129)),
            ("q", nil), ("q", "747d55"), ("q", "747d558f3d?https://evil.example"),
            ("q", String(repeating: "a", count: 65)),
            ("v", nil), ("v", "1"), ("v", "2/"), ("u", ""), ("u", "a@evil.example"), ("u", "a b"),
            ("u", String(repeating: "a", count: 129)),
        ] as [(String, String?)])
    func refuses(name: String, value: String?) {
        var query = Self.good
        query[name] = value

        #expect(authentication(Self.good) != nil && authentication(query) == nil)
    }

    @Test(
        "metadata below the service's base gets a link, as it is written",
        arguments: [
            ("https://h.example/services/tiqr/metadata?enrollment_key=ab", true),
            ("https://h.example/services/tiqr", true),
            ("https://h.example/services/tiqrs/metadata", false), ("https://h.example/", false),
            ("http://h.example/services/tiqr/metadata", false),
            ("https://evil.example/services/tiqr/metadata", false),
            ("https://h.example:8443/services/tiqr/metadata", false),
            ("https://h.example@evil.example/services/tiqr/metadata", false),
            ("https://h.example/services/tiqr/../../metadata", false),
            ("https://h.example/services/tiqr/%2e%2e/metadata", false),
            ("https://h.example/services/tiqr/metadata#x", false),
            ("https://h.example/services/tiqr/metadata?x=\"><b>", false), ("javascript:alert(1)", false), ("", false),
            ("/services/tiqr/metadata", false),
        ])
    func enrollment(metadata: String, isOwn: Bool) throws {
        let base = try #require(WebAddress("https://h.example/services/tiqr"))
        let link = TiqrLanding.enrollment(query: ["metadata": metadata], base: base, scheme: "tiqrenroll")

        #expect(link == (isOwn ? "tiqrenroll://\(metadata)" : nil))
        #expect(TiqrLanding.enrollment(query: [:], base: base, scheme: "tiqrenroll") == nil)
    }

    @Test("a server without a path has all of its host below it")
    func root() throws {
        let base = try #require(WebAddress("http://localhost:8080"))

        #expect(
            TiqrLanding.enrollment(query: ["metadata": "http://localhost:8080/m?k=1"], base: base, scheme: "t")
                == "t://http://localhost:8080/m?k=1")
    }

    @Test(
        "identifiers are lower-case host names",
        arguments: [
            ("h.example", true), ("localhost", true), ("a-b.c1.example", true), ("xn--zrich-kva.example", true),
            ("127.0.0.1", true),
            ("H.example", false), ("h..example", false), (".example", false), ("example.", false),
            ("-a.example", false), ("a-.example", false), ("a_b.example", false),
            ("zürich.example", false), ("", false), (String(repeating: "a", count: 64), false),
            (String(repeating: "a.", count: 127) + "a", false),
        ])
    func hosts(text: String, isHost: Bool) {
        #expect(TiqrLanding.isHost(text) == isHost)
    }
}
