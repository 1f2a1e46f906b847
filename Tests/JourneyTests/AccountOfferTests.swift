import Accounts
import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("/account: a passkey is offered to who logs in with a phone", .server)
struct AccountOfferTests {
    private static let title = "Log in with a passkey too?"

    /// Logged in with a phone, on the account page.
    private func page(_ browser: Browser) async throws -> Reply {
        let account = try await browser.server.newResident()
        try await browser.logInWithPhone(try await browser.server.enrollPhone(of: account))
        return try await browser.open(.get, "/account")
    }

    @Test("who has a phone is offered a passkey until they decline, once for all browsers")
    func declined() async throws {
        let server = try TestServer.ofSuite, browser = Browser(server), page = try await page(browser)
        let form = page.fields("/account/decline")

        let reply = try await browser.open(.post, "/account/decline", form: form),
            again = try await browser.open(.post, "/account/decline", form: form)
        let after = try await browser.open(.get, "/account")

        #expect(page.body.contains(Self.title) && page.body.contains("href=\"/account/passkeys/add\""))
        #expect(reply.status == 303 && reply.place == "/account" && again.status == 303)
        #expect(after.status == 200 && !after.body.contains(Self.title) && !after.body.contains("/account/decline"))
    }

    @Test("who has no factor yet is offered none")
    func bare() async throws {
        let server = try TestServer.ofSuite, account = try await server.newResident(), browser = Browser(server)
        try await browser.logInWithPassword(as: account)

        let page = try await browser.open(.get, "/account")

        #expect(page.status == 200 && !page.body.contains(Self.title))
    }

    @Test(
        "what is no word of an offer is refused, and so is another browser's form",
        arguments: ["", "PASSKEY", "a b", "<b>"])
    func hostile(_ word: String) async throws {
        let browser = Browser(try TestServer.ofSuite), page = try await page(browser)
        let token = try #require(page.fields("/account/decline").first { $0.0 == "form_token" }).1

        let reply = try await browser.open(
            .post, "/account/decline", form: [("form_token", token), ("offer", word)])
        let foreign = try await browser.open(
            .post, "/account/decline", form: [("form_token", "AAAA"), ("offer", "passkey")])
        let after = try await browser.open(.get, "/account")

        #expect(reply.status == 400 && foreign.status == 403 && after.body.contains(Self.title))
    }

    @Test("a word that nobody offers changes nothing, and the list does not grow")
    func unknown() async throws {
        let browser = Browser(try TestServer.ofSuite), page = try await page(browser)
        let token = try #require(page.fields("/account/decline").first { $0.0 == "form_token" }).1
        for letter in "abcdefghijklmnopqrst" {
            _ = try await browser.open(
                .post, "/account/decline", form: [("form_token", token), ("offer", String(letter))])
        }

        let most: Int = try await browser.server.database.value(
            "select max(cardinality(offers_declined)) from account")

        #expect(most <= 16)
    }
}
