import Base
import Foundation
import HTTPTypes
import Registration
import TestSupport
import Testing
import Vocabulary

/// Issue 15, point 6: a private-use scheme or a port on loopback is whoever takes it.
@Suite("RFC 8252, 8.6: native applications are never let through unseen", .server)
struct NativeConsentTests {
    private static let scheme = "com.example.notes:/callback", loopback = "http://127.0.0.1/callback",
        claimed = "https://rp.example.org/native"

    private func app(_ redirectURI: String, method: WebClient.AuthMethod = .none) async throws -> WebApp {
        try await TestServer.ofSuite.webApp("Native", method: method, redirectURIs: [redirectURI]) {
            $0.applicationType = .native
        }
    }

    @Test(
        "a public client with such a redirect URI sees the consent page each time, though everything was agreed to",
        arguments: [
            (scheme, scheme), (loopback, "http://127.0.0.1:49152/callback"),
        ])
    func asked(_ registered: String, _ presented: String) async throws {
        let app = try await app(registered), browser = Browser(app.server),
            draft = AuthorizationDraft(app.id, redirectURI: presented)
        let first = try await browser.signIn(draft)
        try #require(first.answer["code"] != nil, "\(first)")

        let second = try await browser.follow(try await browser.open(.get, draft.path))
        let silent = try await browser.follow(
            try await browser.open(
                .get, AuthorizationDraft(app.id, redirectURI: presented, changes: ["prompt": "none"]).path))

        #expect(second.page?.body.contains("name=\"decision\"") == true)
        #expect(silent.answer["error"] == "consent_required" && silent.answer["code"] == nil)
        #expect(try await browser.goOn(second).answer["code"] != nil)
    }

    @Test(
        "a claimed https address, and a client that authenticates, are who they say: asked once",
        arguments: [
            (claimed, WebClient.AuthMethod.none), (loopback, .basic), (scheme, .basic),
        ])
    func known(_ redirectURI: String, _ method: WebClient.AuthMethod) async throws {
        let app = try await app(redirectURI, method: method), browser = Browser(app.server),
            draft = AuthorizationDraft(app.id, redirectURI: redirectURI)
        try #require(try await browser.signIn(draft).answer["code"] != nil)

        let second = try await browser.follow(try await browser.open(.get, draft.path))

        #expect(second.answer["code"] != nil, "\(second)")
    }
}
