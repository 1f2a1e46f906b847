import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("A server under its operator's name, for people", .server)
struct BrandedServerTests {
    private static let page: HTTPFields = [.accept: "text/html,application/xhtml+xml"]

    @Test(
        "the home page speaks the language of the browser",
        arguments: [
            ("de-CH,de;q=0.9", "Ein Konto für alles"), ("fr", "Un seul compte pour tout"),
            ("it", "Un solo account per tutto"), ("ja", "One account for everything"),
        ])
    func home(accepted: String, title: String) async throws {
        let reply = try await TestServer.ofSuite.get("/", headers: [.acceptLanguage: accepted])

        #expect(reply.status == 200 && reply.body.contains("<h1>\(title)</h1>"))
        #expect(reply.body.contains("href=\"/login?return_to=/account\"") && reply.body.contains("href=\"/account\""))
    }

    @Test("it names the services, and where makers of apps read on")
    func services() async throws {
        let server = try TestServer.ofSuite
        let home = try await server.get("/"), about = try await server.get("/about")

        #expect(home.body.contains("https://quiet.example.org") && home.body.contains("/about"))
        #expect(about.status == 200 && about.body.contains("/.well-known/oauth-authorization-server"))
    }

    @Test("people come in although the database is away")
    func homeAlone() async throws {
        try await TestServer.ofSuite.withoutDatabase { server in
            let reply = try await server.get("/")
            #expect(reply.status == 200 && reply.body.contains("/login?return_to=/account"))
        }
    }

    @Test("a chosen language is remembered, and goes before what browser and application ask for")
    func language() async throws {
        let browser = Browser(try TestServer.ofSuite)

        let chosen = try await browser.open(.get, "/language?ui_locales=it&to=%2Flogin%3Freturn_to%3D%2Faccount")
        let page = try await browser.open(
            .get, "/login?return_to=/account&ui_locales=fr", headers: [.acceptLanguage: "de"])

        #expect(chosen.status == 303)
        #expect(chosen[header: "Location"] == ServerParts.root + "/login?return_to=/account")
        #expect(chosen[header: "Set-Cookie"]?.hasPrefix("pando_language=it; Path=/; Max-Age=31536000") == true)
        #expect(page.body.contains("<html lang=\"it\">"))
        #expect(page.body.contains("value=\"/login?return_to=/account&amp;ui_locales=fr\""))
    }

    @Test(
        "nobody is led to another server by it",
        arguments: ["//evil.example", "https://evil.example/", "/%5Cevil.example", "/a%0D%0ASet-Cookie:%20b=c", ""])
    func redirects(target: String) async throws {
        let reply = try await TestServer.ofSuite.get("/language?ui_locales=de&to=\(target)")

        #expect(reply.status == 303 && reply[header: "Location"] == ServerParts.root + "/")
    }

    @Test("what is no language is not remembered, and a cookie of nonsense counts for nothing")
    func noLanguage() async throws {
        let server = try TestServer.ofSuite
        let reply = try await server.get("/language?ui_locales=xx&to=/")
        let home = try await server.get("/", headers: [.cookie: "pando_language=../../x", .acceptLanguage: "de"])

        #expect(reply.status == 303 && reply[header: "Set-Cookie"] == nil)
        #expect(home.body.contains("<html lang=\"de\">"))
    }

    @Test("nothing at an address is a page for browsers and JSON for programs")
    func notFound() async throws {
        let server = try TestServer.ofSuite
        let page = try await server.get("/nowhere", headers: Self.page), json = try await server.get("/nowhere")

        #expect(page.status == 404 && page[header: "Content-Type"] == "text/html; charset=utf-8")
        #expect(page.body.contains("There is no such page") && !page.body.contains("/nowhere"))
        #expect(page[header: "Content-Security-Policy"]?.hasPrefix("default-src 'none'") == true)
        #expect(json.outcome == "404 not_found" && json[header: "Content-Type"] == "application/json")
    }

    @Test("a program that asks for HTML first, as those of Java do, is told JSON where it posts or shows a token")
    func programs() async throws {
        let server = try TestServer.ofSuite
        let java: HTTPFields = [.accept: "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2"]
        let bearing: HTTPFields = [
            .accept: "text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2", .authorization: "Bearer x",
        ]

        #expect(try await server.send(.post, "/nowhere", headers: java).outcome == "404 not_found")
        #expect(try await server.get("/nowhere", headers: bearing).outcome == "404 not_found")
        #expect(try await server.get("/nowhere", headers: java).body.contains("There is no such page"))
    }

    @Test("another method is a page for browsers, too, and says which there are")
    func wrongMethod() async throws {
        let server = try TestServer.ofSuite
        let page = try await server.get("/token", headers: Self.page), json = try await server.get("/token")

        #expect(page.status == 405 && page.body.contains("<h1>"))
        #expect(page[header: "Allow"] == json[header: "Allow"] && page[header: "Allow"]?.contains("POST") == true)
        #expect(json.status == 405 && json.json != .null)
    }

    @Test("a database that is away is a page that says when to come again")
    func unavailable() async throws {
        try await TestServer.ofSuite.withoutDatabase { server in
            let page = try await server.get("/readyz", headers: Self.page), json = try await server.get("/readyz")

            #expect(page.status == 503 && page.body.contains("Not available at the moment"))
            #expect(page[header: "Retry-After"] == json[header: "Retry-After"] && page[header: "Retry-After"] != nil)
            #expect(json.outcome == "503 temporarily_unavailable")
        }
    }

    @Test("name, logo, colour, links and words of an operator stand on its pages")
    func branded() async throws {
        let folder = FileManager.default.temporaryDirectory
        let logo = folder.appendingPathComponent("\(UUID()).svg"),
            words = folder.appendingPathComponent("\(UUID()).json")
        defer { for file in [logo, words] { try? FileManager.default.removeItem(at: file) } }
        try "<svg xmlns=\"http://www.w3.org/2000/svg\"><script>alert(1)</script></svg>".write(
            to: logo, atomically: true, encoding: .utf8)
        try #"{"de": {"title": "Willkommen", "text": ["Eins", "<b>Zwei</b>"]}}"#.write(
            to: words, atomically: true, encoding: .utf8)
        let flags = [
            "brand-name": "Hochschule", "brand-logo": logo.path, "brand-color": "#7a1f5c", "brand-home": words.path,
            "support-url": "mailto:help@example.org", "privacy-url": "https://example.org/privacy",
        ]

        try await TestServer.with(options: .init(flags: flags)) { server in
            let home = try await server.get("/", headers: [.acceptLanguage: "de"])
            #expect(home.body.contains("<title>Willkommen · Hochschule</title>"))
            #expect(home.body.contains("Eins") && home.body.contains("&lt;b&gt;Zwei&lt;/b&gt;"))
            #expect(home.body.contains("mailto:help@example.org") && home.body.contains("https://example.org/privacy"))
            let english = try await server.get("/")
            #expect(english.body.contains("One account for everything") && !english.body.contains("Willkommen"))
            let missing = try await server.get("/nowhere", headers: Self.page)
            #expect(missing.body.contains("· Hochschule</title>"))
            // Its usual answer is JSON, and it is a page for people all the same.
            let service = try await server.get("/services/learn", headers: Self.page)
            #expect(service.body.contains("· Hochschule</title>"))

            let picture = try await server.get("/assets/brand-logo"), style = try await server.get("/assets/brand.css")
            #expect(picture[header: "Content-Type"] == "image/svg+xml")
            #expect(picture[header: "Content-Security-Policy"]?.contains("default-src 'none'") == true)
            #expect(picture[header: "Content-Security-Policy"]?.contains("sandbox") == true)
            #expect(picture[header: "X-Content-Type-Options"] == "nosniff")
            #expect(style.body.contains("--leaf: #7a1f5c"))
        }
    }

    @Test("without a brand there is nothing of one to load")
    func noBrand() async throws {
        let server = try TestServer.ofSuite

        #expect(try await server.get("/assets/brand-logo").status == 404)
        #expect(try await server.get("/assets/brand.css").status == 404)
    }

    @Test("whom to tell of a hole is told by the server whose operator has said it")
    func securityContact() async throws {
        let flags = ["security-contact": "mailto:security@example.org"]
        try await TestServer.with(options: .init(flags: flags)) { server in
            let reply = try await server.get("/.well-known/security.txt")
            let now = server.time.now.timeIntervalSince1970

            #expect(reply.status == 200 && reply.body.hasPrefix("Contact: mailto:security@example.org\nExpires: "))
            let expires = try #require(reply.body.firstMatch(of: #/Expires: (\S+)/#)?.1)
            let days = (try #require(Date(rfc3339: String(expires))).timeIntervalSince1970 - now) / 86_400
            #expect((89...90).contains(days), "by the server's clock")
            #expect(try await server.get("/openapi.yaml").body.contains("/.well-known/security.txt"))
        }
    }

    @Test("without a contact there is no security.txt")
    func noSecurityContact() async throws {
        let reply = try await TestServer.ofSuite.get("/.well-known/security.txt")

        #expect(reply.status == 404 && !reply.body.contains("Contact:"))
    }
}
