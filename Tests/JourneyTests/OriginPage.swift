import Base
import Foundation
import HTTPTypes
import Registration
import TestSupport
import Testing
import Vocabulary

/// A page without a server: a public client whose tokens are bound to a key of the browser, and what a browser sends
/// for it.
struct OriginPage: Sendable {
    static let origin = "https://app.example.org"
    /// Of another client.
    static let neighbour = "https://neighbour.example.org"

    let app: WebApp
    /// Its key alone is used here: proofs of DPoP are the same for everybody.
    let phone: Phone

    var server: TestServer { app.server }

    static func made(in server: TestServer) async throws -> OriginPage {
        _ = try await server.webApp("Neighbour", method: .none) { $0.webOrigins = [neighbour] }
        let app = try await server.webApp(
            "Page", method: .none, scope: "openid profile email offline_access discovery"
        ) {
            ($0.webOrigins, $0.isDPoPBound) = ([origin], true)
        }
        let nobody = Reply(status: 200, headers: [:], body: "{}")
        return OriginPage(app: app, phone: Phone(server: server, key: PhoneKey(), device: "", instance: nobody))
    }

    func headers(
        _ method: HTTPRequest.Method = .post, _ path: String = "/token", token: String? = nil,
        origin: String? = OriginPage.origin
    ) throws -> HTTPFields {
        var headers = try phone.dpop(method, path, token: token)
        headers[.origin] = origin
        return headers
    }

    func code(scope: String = "openid profile email") async throws -> String {
        let place = try await Browser(server).signIn(AuthorizationDraft(app.id, scope: scope))
        return try #require(place.answer["code"], "login: \(place)")
    }

    func logIn(scope: String = "openid profile email") async throws -> Reply {
        let reply = try await app.redeem(try await code(scope: scope), headers: headers())
        try #require(reply.outcome == "200", "code: \(reply.body)")
        return reply
    }
}

extension Reply {
    /// Whose pages may read it.
    var reader: String? { self[header: "Access-Control-Allow-Origin"] }
}
