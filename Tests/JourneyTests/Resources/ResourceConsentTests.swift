import Base
import Foundation
import TestSupport
import Testing

@Suite("RFC 8707: consent holds for the services that it named")
struct ResourceConsentTests {
    static let learn = ResourceLogin.learn, quiet = ResourceLogin.quiet, issuer = ResourceLogin.issuer

    @Test("the page names each service with its address; once agreed to it is not asked again, another is")
    func asked() async throws {
        try await TestServer.with { server in
            _ = try await server.database.execute("update service set name = 'Quiet & Co.' where id = 'quiet'")
            let login = try await ResourceLogin(server)
            let plain = try #require(try await login.consentPage([]))
            #expect(!plain.body.contains("act for you at"))
            _ = try await login.code([])

            let page = try #require(try await login.consentPage([Self.quiet]))
            #expect(page.body.contains("This application will act for you at:"))
            #expect(page.body.contains("Quiet &amp; Co.") && page.body.contains("<bdi>quiet.example.org</bdi>"))
            #expect(page.body.firstRange(of: "<bdi>learn</bdi>") == nil)
            _ = try await login.code([Self.quiet])
            #expect(try await login.consentPage([Self.quiet]) == nil)
            #expect(try await login.consentPage([Self.quiet, Self.issuer]) == nil, "userinfo is part of openid")

            let both = try #require(try await login.consentPage([Self.quiet, Self.learn]))
            #expect(both.body.contains("<bdi>learn</bdi>") && both.body.contains("Quiet &amp; Co."))
            _ = try await login.code([Self.quiet, Self.learn])
            #expect(try await login.consentPage([Self.learn]) == nil)
        }
    }

    @Test(
        "in four languages",
        arguments: [
            ("en", "This application will act for you at:"), ("de", "Diese Anwendung handelt in Ihrem Namen bei:"),
            ("fr", "Cette application agira en votre nom auprès de\u{A0}:"),
            ("it", "Questa applicazione agirà a Suo nome presso:"),
        ])
    func languages(_ language: String, _ words: String) async throws {
        try await TestServer.with { server in
            let login = try await ResourceLogin(server)
            let draft = login.draft([Self.quiet], changes: ["ui_locales": language])
            let first = try await login.browser.follow(try await login.browser.open(.get, draft.path))

            let page = try #require(try await login.browser.goOn(first, stopsAt: "/consent").page)

            #expect(page.body.contains(words) && page.body.contains("<html lang=\"\(language)\""))
        }
    }

    @Test("prompt=none for a service that was not agreed to is consent_required")
    func silent() async throws {
        try await TestServer.with { server in
            let login = try await ResourceLogin(server)
            _ = try await login.code([Self.quiet])
            func silently(_ resources: [String]) async throws -> [String: String] {
                let draft = login.draft(resources, changes: ["prompt": "none"])
                return try await login.browser.follow(try await login.browser.open(.get, draft.path)).answer
            }

            #expect(try await silently([Self.learn])["error"] == "consent_required")
            #expect(try await silently([Self.quiet])["code"] != nil)
        }
    }

    @Test("what was refused is not remembered, and what was agreed to before services were named asks again")
    func denied() async throws {
        try await TestServer.with { server in
            let login = try await ResourceLogin(server)
            let page = try #require(try await login.consentPage([Self.quiet]))
            let place = try await login.browser.follow(try await login.browser.submit(page, ["decision": "deny"]))
            #expect(place.answer["error"] == "access_denied")
            #expect(try await login.consentPage([Self.quiet]) != nil)

            _ = try await login.code([Self.quiet])
            _ = try await server.database.execute("update consent set services = '{}'")
            #expect(try await login.consentPage([Self.quiet]) != nil)
        }
    }

    @Test("another application's consent is no help, and the account says where each acts")
    func account() async throws {
        try await TestServer.with { server in
            let login = try await ResourceLogin(server), other = try await ResourceLogin(server, name: "Other")
            _ = try await login.code([Self.quiet])
            #expect(try await other.consentPage([Self.quiet]) != nil)

            let page = try await login.browser.open(.get, "/account")
            #expect(page.body.contains("Acts for you at") && page.body.contains("<bdi>quiet</bdi>"))
            let export = try await login.browser.open(.get, "/account/export?format=json").body
            #expect(export.contains("\"services\""))
        }
    }

    @Test("a service that is suspended while the page is shown gets nothing")
    func meanwhile() async throws {
        try await TestServer.with { server in
            let login = try await ResourceLogin(server)
            let page = try #require(try await login.consentPage([Self.learn, Self.quiet]))

            try await login.move("quiet", to: .suspended)
            let place = try await login.browser.follow(try await login.browser.submit(page, ["decision": "allow"]))

            #expect(place.answer["error"] == "invalid_target" && place.answer["code"] == nil)
            #expect(try await server.database.query("select account from consent").isEmpty)
        }
    }
}
