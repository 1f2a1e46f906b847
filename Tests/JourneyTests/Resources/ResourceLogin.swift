import Base
import Federation
import Foundation
import TestSupport
import Testing
import TokenTree

/// A web client that asks for tokens for services of the federation, and the person's browser.
struct ResourceLogin {
    static let learn = ServerParts.base, quiet = Residents.quietBase, issuer = ServerParts.root

    let server: TestServer
    let app: WebApp
    let browser: Browser

    init(
        _ server: TestServer, name: String = "Notes", grants: [String] = ["authorization_code", "refresh_token"]
    ) async throws {
        (self.server, app, browser) = (server, try await server.webApp(name, grants: grants), Browser(server))
    }

    func draft(
        _ resources: [String], scope: String = "openid email", changes: KeyValuePairs<String, String?> = [:]
    ) -> AuthorizationDraft {
        var draft = AuthorizationDraft(app.id, scope: scope, changes: changes)
        draft.parameters += resources.map { ("resource", $0) }
        return draft
    }

    /// Logs in and agrees where asked.
    func answer(_ resources: [String], scope: String = "openid email") async throws -> [String: String] {
        try await browser.signIn(draft(resources, scope: scope)).answer
    }

    func code(_ resources: [String], scope: String = "openid email") async throws -> String {
        let answer = try await answer(resources, scope: scope)
        return try #require(answer["code"], "\(answer)")
    }

    func tokens(
        _ resources: [String], scope: String = "openid email", resource: String? = nil
    ) async throws -> Reply {
        let reply = try await app.redeem(try await code(resources, scope: scope), resource: resource)
        try #require(reply.outcome == "200", "\(reply.body)")
        return reply
    }

    /// The page that is shown, if it is that of consent.
    func consentPage(_ resources: [String], scope: String = "openid email") async throws -> Reply? {
        let first = try await browser.follow(try await browser.open(.get, draft(resources, scope: scope).path))
        let page = try await browser.goOn(first, stopsAt: "/consent").page
        return page.flatMap { Browser.form($0).action == "/consent" ? $0 : nil }
    }

    func ada() async throws -> UUID {
        try await server.database.value("select id from account where username = 'ada'")
    }

    func revoke(_ ancestor: Ancestor) async throws {
        _ = try await server.parts.revocation.revoke(.virtual(ancestor), by: AuditActor(name: "admin:test"))
    }

    func move(_ service: String, to status: FederationService.Status) async throws {
        _ = try await ServiceIndex(clock: server.time.clock).move(service, to: status, in: server.database)
    }

    /// As the service would ask: whether the token lives there.
    func isActive(_ token: String, at service: (id: String, secret: String)) async throws -> Bool {
        let basic = WebApp(server: server, id: service.id, secret: service.secret).basic
        return try await server.post("/introspect", ["token": token], headers: basic).json["active"] == true
    }
}

/// `aud` of the access token.
func audience(_ reply: Reply) -> String? { claims(of: reply.accessToken)["aud"]?.string }
