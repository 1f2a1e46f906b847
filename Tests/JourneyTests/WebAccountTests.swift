import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("A person's own pages", .server)
struct WebAccountTests {
    @Test("the account page wants a login, and comes back after it")
    func wantsLogin() async throws {
        let browser = Browser(try TestServer.ofSuite)

        let first = try await browser.open(.get, "/account")
        let page = try await browser.goOn(try await browser.follow(first)).page

        #expect(first.status == 303 && first[header: "Location"] == "\(ServerParts.root)/login?return_to=/account")
        #expect(page?.status == 200 && page?.body.contains("ada@example.org") == true)
    }

    @Test("consent withdrawn: the application's tokens are dead and it must ask again; others keep theirs")
    func withdraw() async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp("Gone"),
            other = try await server.webApp("Stays"), browser = Browser(server)
        let tokens = try await app.logIn(browser), kept = try await other.logIn(browser)

        let form = try await server.formToken(browser, at: "/account")
        let done = try await browser.open(.post, "/account/withdraw", form: [("form_token", form), ("client", app.id)])

        #expect(done.status == 303)
        #expect(try await app.userInfo(tokens.accessToken).outcome == "401 invalid_token")
        #expect(try await other.userInfo(kept.accessToken).outcome == "200")
        let again = try await browser.follow(try await browser.open(.get, AuthorizationDraft(app.id).path)).page
        #expect(again?.body.contains("name=\"decision\"") == true)
    }

    @Test("a new password ends every other browser session, and the old one is taken no more")
    func password() async throws {
        try await TestServer.with { server in
            let here = Browser(server), there = Browser(server), app = try await server.webApp()
            _ = try await app.logIn(here)
            _ = try await app.logIn(there)
            let form = try await server.formToken(here, at: "/account/password")
            func change(_ current: String, _ new: String, _ again: String) async throws -> Reply {
                try await here.open(
                    .post, "/account/password",
                    form: [("form_token", form), ("current", current), ("new", new), ("again", again)])
            }

            let wrong = try await change("wrong", "another long one", "another long one")
            let short = try await change(Residents.password, "short", "short")
            let typo = try await change(Residents.password, "another long one", "another long ome")
            #expect([wrong, short, typo].allSatisfy { $0.status == 200 && $0.body.contains("role=\"alert\"") })
            let done = try await change(Residents.password, "another long one", "another long one")

            #expect(done.status == 303)
            #expect(try await here.open(.get, "/account").status == 200)
            #expect(try await there.open(.get, "/account").status == 303)
            #expect(
                try await Browser(server).signIn(AuthorizationDraft(app.id)).page?.body.contains("role=\"alert\"")
                    == true)
            #expect(
                try await Browser(server).signIn(AuthorizationDraft(app.id), password: "another long one").answer[
                    "code"] != nil)
        }
    }

    @Test("forms of one person or browser are worth nothing in another's")
    func foreignForms() async throws {
        let server = try TestServer.ofSuite, app = try await server.webApp(), mine = Browser(server),
            theirs = Browser(server)
        let tokens = try await app.logIn(mine)
        _ = try await app.logIn(theirs, as: "bob")

        let stolen = try await server.formToken(theirs, at: "/account")
        let reply = try await mine.open(.post, "/account/withdraw", form: [("form_token", stolen), ("client", app.id)])

        #expect(reply.status == 403)
        #expect(try await app.userInfo(tokens.accessToken).outcome == "200")
    }

    @Test(
        "a browser session may list and disconnect instances, from the same origin only",
        arguments: [(ServerParts.root, "204"), ("https://evil.example", "403 forbidden"), ("", "403 forbidden")])
    func instances(_ origin: String, _ expected: String) async throws {
        let server = try TestServer.ofSuite, phone = try await Phone.registered(in: server),
            app = try await server.webApp(), browser = Browser(server)
        _ = try await phone.logIn()
        _ = try await app.logIn(browser)
        let headers: HTTPFields =
            origin.isEmpty ? [.accept: "application/json"] : [.accept: "application/json", .origin: origin]

        let listed = try await browser.open(.get, "/instances", headers: [.accept: "application/json"])
        let reply = try await browser.open(.delete, "/instances/\(phone.clientID)", headers: headers)

        #expect(listed.body.contains(phone.clientID))
        #expect(reply.outcome == expected)
    }
}
