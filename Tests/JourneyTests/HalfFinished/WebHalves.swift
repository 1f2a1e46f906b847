import Base
import Foundation
import TestSupport
import Testing
import TokenTree

/// Halves of web clients.
enum WebHalves {
    /// Asks for a token for a service, so that there is one which may be suspended.
    private static func draft(_ scene: MatrixScene) async throws -> AuthorizationDraft {
        AuthorizationDraft(
            try await scene.client().id, scope: MatrixScene.scope, changes: ["resource": ServerParts.base])
    }

    static func pushedRequest(_ scene: MatrixScene) async throws -> Finish {
        let draft = try await draft(scene), pushed = try await scene.post("/par", draft.parameters)
        let reference = try #require(pushed["request_uri"], "par: \(pushed.body)"), client = try await scene.client().id
        return {
            let browser = Browser(scene.server)
            let path = "/authorize?" + FormCodec.write([("client_id", client), ("request_uri", reference)])
            return SecondHalf(try await scene.goOn(browser, try await browser.open(.get, path)))
        }
    }

    static func openRequest(_ scene: MatrixScene) async throws -> Finish {
        let browser = try await scene.browser(), draft = try await draft(scene)
        let page = try #require(try await browser.follow(try await browser.open(.get, draft.path)).page)
        try #require(Browser.form(page).action.hasSuffix("/consent"), "consent: \(page.status)")
        return { SecondHalf(try await browser.follow(try await browser.submit(page, ["decision": "allow"]))) }
    }

    static func webCode(_ scene: MatrixScene) async throws -> Finish {
        let code = try await code(scene, try await draft(scene))
        return { SecondHalf(try await scene.redeem(code)) }
    }

    private static func code(_ scene: MatrixScene, _ draft: AuthorizationDraft) async throws -> String {
        let browser = try await scene.browser()
        let place = try await scene.goOn(browser, try await browser.open(.get, draft.path))
        return try #require(place.answer["code"], "code: \(place)")
    }

    /// The access token was rotated, and the answer is asked for again.
    static func refreshChild(_ scene: MatrixScene) async throws -> Finish {
        let draft = AuthorizationDraft(try await scene.client().id, scope: MatrixScene.scope)
        let first = try await scene.redeem(try await code(scene, draft))
        let form = [("grant_type", "refresh_token"), ("refresh_token", first.refreshToken)]
        let child = try await scene.post("/token", form)
        try #require(child.outcome == "200", "refresh: \(child.body)")
        return {
            let again = try await scene.post("/token", form)
            return SecondHalf(again, isDone: again.outcome == "200" && again.refreshToken == child.refreshToken)
        }
    }

    // MARK: Devices

    static func deviceWaiting(_ scene: MatrixScene) async throws -> Finish {
        let begun = try await begin(scene)
        return {
            _ = try await decide(begun, Browser(scene.server), scene)
            return SecondHalf(try await poll(begun, scene))
        }
    }

    static func deviceApproved(_ scene: MatrixScene) async throws -> Finish {
        let begun = try await begin(scene), page = try await decide(begun, try await scene.browser(), scene)
        try #require(page.status == 200, "device: \(page.status)")
        return { SecondHalf(try await poll(begun, scene)) }
    }

    private static func begin(_ scene: MatrixScene) async throws -> Reply {
        let begun = try await scene.post("/device_authorization", [("scope", MatrixScene.scope)])
        try #require(begun.outcome == "200", "device: \(begun.body)")
        return begun
    }

    /// The page that the person's yes leads to, or the one where they get no further.
    private static func decide(_ begun: Reply, _ browser: Browser, _ scene: MatrixScene) async throws -> Reply {
        let first = try await browser.open(.get, "/device?user_code=\(begun["user_code"] ?? "")")
        let page = try #require(try await scene.goOn(browser, first, stopsAt: "/device").page)
        guard Browser.form(page).fields.contains(where: { $0.0 == "user_code" }) else { return page }
        return try await browser.submit(page, ["decision": "allow"])
    }

    private static func poll(_ begun: Reply, _ scene: MatrixScene) async throws -> Reply {
        try await scene.post(
            "/token", [("grant_type", MatrixScene.device), ("device_code", begun["device_code"] ?? "")])
    }

    // MARK: Logout

    /// The session has ended, and the client is to be told.
    static func logout(_ scene: MatrixScene) async throws -> Finish {
        let server = scene.server, uri = "https://rp.example.org/logout/\(UUID().uuidString.lowercased())"
        await scene.adopts(try await server.webApp("Half") { $0.backchannelLogoutURI = uri })
        _ = try await code(scene, AuthorizationDraft(try await scene.client().id))
        try await server.parts.revocation.revoke(.virtual(Ancestor(.session, try await scene.session())), by: .server)
        return {
            try await server.sendLogouts()
            let isTold = server.wire.pushes.contains { $0.url == uri }
            return SecondHalf(isDone: isTold, isTold ? "told" : "told nobody")
        }
    }

    // MARK: Clients that register themselves

    static func invitation(_ scene: MatrixScene) async throws -> Finish {
        let fixture = RegistrationFixture(server: scene.server), token = try await fixture.invitation()
        return {
            let reply = try await fixture.ask(RegistrationFixture.usual, token: token)
            return SecondHalf(reply, isDone: reply.outcome == "201")
        }
    }
}
