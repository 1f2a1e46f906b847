import Base
import Foundation
import HTTP
import HTTPTypes
import OAuth
import TestSupport
import Testing

@Suite("how much strangers may begin from one address")
struct StrangerPaceTests {
    private static let paced: [(method: HTTPRequest.Method, path: String, kind: AnonymousRateLimit.Kind)] = [
        (.get, "/authorize", .request), (.post, "/par", .request), (.post, "/device_authorization", .request),
        (.post, "/login", .request),
        (.get, "/login/tiqr", .login), (.post, "/login/tiqr/again", .login), (.get, "/login/approval", .login),
        (.post, "/login/approval/again", .login),
        (.post, "/login/passkey/options", .login), (.get, "/login/wallet", .login),
        (.post, "/login/wallet/again", .login),
    ]

    private func drain(_ server: TestServer, _ address: String) throws {
        for _ in 0..<400 { try server.web.pace.take(.login, from: address) }
        for _ in 0..<1_000 { try server.web.pace.take(.request, from: address) }
    }

    @Test(
        """
        beyond it nothing is written: 429 with Retry-After, to the whole /64; elsewhere it goes on, and here a \
        second later
        """
    )
    func refused() async throws {
        try await TestServer.with(options: try .forwarded()) { server in
            let requests = try await StrangerRequests(server)
            try drain(server, "2001:db8:1:2::1")
            let before = try await TableSizes(server.database)
            for paced in StrangerPaceTests.paced {
                let endpoint = try #require(
                    server.parts.routes.endpoints.first { $0.method == paced.method && $0.path == paced.path })

                let refused = try await requests.send(endpoint, number: 0, from: "2001:db8:1:2:ffff::9")

                #expect(
                    refused.status == 429 && refused[header: "Retry-After"] == "1", "\(paced.path): \(refused.status)")
            }
            #expect(try await TableSizes(server.database) == before)
            server.time.advance(1)
            let authorize = try #require(
                server.parts.routes.endpoints.first { $0.method == .get && $0.path == "/authorize" })
            let later = try await requests.send(authorize, number: 0, from: "2001:db8:1:2::1")
            let neighbour = try await requests.send(authorize, number: 0, from: "2001:db8:1:3::1")
            #expect(later.status == 303 || later.status == 302)
            #expect(neighbour.status == later.status)
        }
    }

    @Test("it is no measure of people who are logged in, nor of clients that authenticate")
    func known() async throws {
        try await TestServer.with { server in
            let ada = try await server.newResident(), browser = Browser(server), app = try await server.webApp()
            try await browser.logInWithPassword(as: ada)
            for _ in 0..<1_000 where (try? server.web.pace.take(.request, from: nil)) != nil {}
            for _ in 0..<400 where (try? server.web.pace.take(.login, from: nil)) != nil {}

            let place = try await browser.signIn(AuthorizationDraft(app.id), as: ada.username)
            let pushed = try await server.post(
                "/par",
                [
                    "response_type": "code", "client_id": app.id, "redirect_uri": Browser.callback,
                    "code_challenge": Phone.challenge, "code_challenge_method": "S256", "scope": "openid",
                ], headers: app.basic)
            let stranger = try await Browser(server).open(.get, "/login/tiqr?return_to=/account")

            #expect(place.answer["code"] != nil && pushed.status == 201 && stranger.status == 429)
        }
    }
}
