import Base
import Foundation
import TestSupport
import Testing

@Suite("Finding one's institution")
struct InstitutionFindingTests {
    @Test("the page with the password has a door to it as soon as there is a provider")
    func door() async throws {
        try await TestServer.with { server in
            let before = try await Browser(server).open(.get, "/login")
            _ = try await FakeProvider(server)
            let after = try await Browser(server).open(.get, "/login")

            #expect(!before.body.contains("/login/institution") && after.body.contains("/login/institution"))
            #expect(after.body.contains("Log in with your institution"))
        }
    }

    @Test("one provider is gone to at once; of several one is searched by name or domain, and remembered")
    func search() async throws {
        try await TestServer.with { server in
            let browser = Browser(server), one = try await FakeProvider(server)
            let only = try await browser.open(.get, "/login/institution?return_to=/account")
            let other = try await FakeProvider(server)
            let path = "/login/institution?return_to=/account"

            let all = try await browser.open(.get, path)
            let byName = try await browser.open(.get, path + "&q=University%20\(one.id)")
            let byDomain = try await browser.open(.get, path + "&q=\(other.id).EX")
            let nobody = try await browser.open(.get, path + "&q=%3Cscript%3E")
            _ = try await other.begin(browser)
            let again = try await browser.open(.get, path)

            #expect(only.place == "/login/institution/\(one.id)?return_to=%2Faccount")
            #expect(all.status == 200 && all.body.contains(one.id) && all.body.contains(other.id))
            #expect(byName.body.contains("/\(one.id)?") && !byName.body.contains("/\(other.id)?"))
            #expect(byDomain.body.contains("/\(other.id)?") && !byDomain.body.contains("/\(one.id)?"))
            #expect(nobody.body.contains("No institution was found") && !nobody.body.contains("<script>"))
            #expect(again.body.contains("or another institution"))
        }
    }

    @Test("a request that names the institution, or somebody of it, goes straight on; one can still log in otherwise")
    func straight() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(), one = try await FakeProvider(server)
            _ = try await FakeProvider(server)
            var named = AuthorizationDraft(app.id), hinted = AuthorizationDraft(app.id)
            named.parameters.append(("institution", one.id))
            hinted.parameters.append(("login_hint", "eva@\(one.id).example"))
            let browser = Browser(server), guest = Browser(server)

            let place = try await browser.follow(try await browser.open(.get, named.path))
            let page = try #require(try await guest.follow(try await guest.open(.get, hinted.path)).page)
            let path = try #require(
                page.body.firstMatch(of: #/href="(\/login\/institution\?request=[^"]*)"/#).map { String($0.1) })
            let onward = try await guest.follow(try await guest.open(.get, path))
            let reference = try #require(Browser.form(page).fields.first { $0.0 == "request" }?.1)
            let here = try await guest.open(.get, "/login?request=\(reference)&here=1")

            #expect(place.page == nil && place.answer["client_id"] == "pando")
            #expect(onward.answer["login_hint"] == "eva@\(one.id).example")
            #expect(here.body.contains("type=\"password\""))
        }
    }

    @Test("an institution that nobody knows is a wish, and nothing more")
    func unknown() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(), browser = Browser(server)
            _ = try await FakeProvider(server)
            var draft = AuthorizationDraft(app.id)
            draft.parameters.append(("institution", "nowhere"))

            let page = try await browser.follow(try await browser.open(.get, draft.path)).page

            #expect(page?.body.contains("type=\"password\"") == true)
        }
    }
}
