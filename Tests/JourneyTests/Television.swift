import Foundation
import HTTPTypes
import TestSupport
import Testing

/// A public client with the device grant (RFC 8628), on a machine without a browser.
struct Television {
    static let grant = "urn:ietf:params:oauth:grant-type:device_code"

    let app: WebApp
    var server: TestServer { app.server }

    init(in server: TestServer, scope: String = "openid profile") async throws {
        let grants = [Television.grant, "refresh_token"]
        app = try await server.webApp("Television", method: .none, redirectURIs: [], scope: scope, grants: grants)
    }

    func begin(_ changes: [String: String] = [:]) async throws -> Reply {
        try await server.post(
            "/device_authorization", ["client_id": changes["client_id"] ?? app.id, "scope": changes["scope"]])
    }

    func poll(_ begun: Reply) async throws -> Reply {
        try await server.post(
            "/token", ["grant_type": Television.grant, "device_code": begun["device_code"], "client_id": app.id])
    }

    /// Somebody logs in where asked, and decides.
    static func decide(
        _ begun: Reply, _ decision: String, _ browser: Browser, as user: String = "ada"
    ) async throws -> Reply {
        let first = try await browser.follow(
            try await browser.open(.get, "/device?user_code=\(begun["user_code"] ?? "")"))
        let page = try #require(try await browser.goOn(first, as: user).page)
        return try await browser.submit(page, ["decision": decision])
    }

    /// Begun and approved, not yet fetched.
    func approved(_ browser: Browser) async throws -> Reply {
        let begun = try await begin(), page = try await Television.decide(begun, "allow", browser)
        try #require(page.status == 200 && !page.body.contains("name=\"user_code\""), "not allowed: \(page.body)")
        return begun
    }

    /// As the account page does.
    func withdraw(_ browser: Browser) async throws -> Reply {
        let form = try await server.formToken(browser, at: "/account")
        return try await browser.open(.post, "/account/withdraw", form: [("form_token", form), ("client", app.id)])
    }
}
