import Accounts
import Base
import Federation
import Foundation
import HTTPTypes
import OAuth
import Registration
import TestSupport
import Testing
import TokenTree

@Suite("Keeping a person or a phone out of one service")
struct ServiceRefusalTests {
    private static let admin = AuditActor(name: "admin:test", reason: "test")

    private func ada(_ server: TestServer) async throws -> UUID {
        try #require(
            try await AccountStore(clock: server.time.clock).find("ada", in: server.database)
        ).id
    }

    private func refusing(_ server: TestServer) -> RefuseAtService {
        RefuseAtService(revocation: server.parts.revocation, clock: server.time.clock)
    }

    /// As `pando admin accounts refuse` does it.
    @discardableResult
    private func refuse(_ account: UUID, at service: String = "learn", _ server: TestServer) async throws -> Bool {
        try await server.database.atomically { transaction in
            let isNew = try await refusing(server).refuse(account, at: service, by: Self.admin, in: transaction)
            try await server.parts.revocation.revoke(
                .virtual(.use(account, at: service)), by: Self.admin, in: transaction)
            return isNew
        }
    }

    private func allow(_ account: UUID, _ server: TestServer) async throws -> Bool {
        try await server.database.atomically {
            try await refusing(server).allow(account, at: "learn", in: $0)
        }
    }

    private func instance(_ phone: Phone) async throws -> AppInstance {
        try #require(
            try await InstanceStore(clock: phone.server.time.clock).find(phone.clientID, in: phone.server.database))
    }

    /// As `pando admin instances refuse` does it.
    @discardableResult
    private func refuse(_ phone: Phone, at service: String = "learn") async throws -> (isNew: Bool, ended: Int) {
        let known = try await instance(phone), server = phone.server
        return try await server.database.atomically {
            try await refusing(server).refuse(known, at: service, by: Self.admin, in: $0)
        }
    }

    private func attributes(_ server: TestServer, _ app: Reply) async throws -> String {
        try await server.get(
            "/services/learn/attributes", headers: [.authorization: "Bearer \(app.accessToken)"]
        ).outcome
    }

    @Test(
        "a person kept out of a service gets no assertion for it; what they have there ends, what is elsewhere not"
    )
    func person() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            let service = try await phone.redeem(assertion: phone.assertion(pat)),
                app = try await phone.authorizeApp(service), account = try await ada(server)

            #expect(try await refuse(account, server))
            try await server.sendEvents()

            let refused = try await phone.askAssertion(pat)
            #expect(refused.outcome == "403 access_denied")
            #expect(refused["error_description"]?.contains("closed to you") == true)
            #expect(try await attributes(server, app) == "401 invalid_token")
            #expect(
                try await phone.refresh(service.refreshToken, at: "/services/learn/token").outcome
                    == "400 invalid_grant")
            #expect(try await phone.askAssertion(pat, for: Residents.quietBase).outcome == "200")
            let bob = try await Phone.registered(in: server)
            #expect(try await bob.askAssertion(try await bob.logIn(as: "bob")).outcome == "200")

            #expect(try await !refuse(account, server), "the second time it is so already")
            #expect(try await allow(account, server))
            #expect(try await !allow(account, server))
            #expect(try await phone.askAssertion(pat).outcome == "200")
            #expect(try await attributes(server, app) == "401 invalid_token", "what was ended stays so")
        }
    }

    @Test("by token exchange the refusal is a 400, as others of the token endpoint")
    func exchange() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            try await refuse(try await ada(server), server)

            let reply = try await server.post(
                "/token",
                [
                    "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "subject_token": pat.accessToken,
                    "subject_token_type": "urn:ietf:params:oauth:token-type:access_token",
                    "audience": ServerParts.base, "requested_token_type": "urn:ietf:params:oauth:token-type:jwt",
                ], headers: phone.dpop(.post, "/token", token: pat.accessToken))

            #expect(reply.outcome == "400 access_denied")
        }
    }

    @Test("a phone kept out of a service does not come back by registering again, and its person does with another")
    func phone() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            let service = try await phone.redeem(assertion: phone.assertion(pat)),
                app = try await phone.authorizeApp(service)

            let done = try await refuse(phone)
            try await server.sendEvents()

            #expect(done.isNew && done.ended == 1)
            #expect(try await phone.askAssertion(pat).outcome == "403 access_denied")
            #expect(try await attributes(server, app) == "401 invalid_token")
            #expect(try await phone.askAssertion(pat, for: Residents.quietBase).outcome == "200")
            // The same device with another key, and the same key on another device.
            for draft in [
                RegistrationDraft(server, device: phone.device), RegistrationDraft(server, key: phone.key),
            ] {
                let again = Phone(
                    server: server, key: draft.key, device: draft.device, instance: try await draft.send())
                #expect(again.instance.outcome == "200")
                #expect(try await again.askAssertion(try await again.logIn()).outcome == "403 access_denied")
            }
            let other = try await Phone.registered(in: server)
            #expect(try await other.askAssertion(try await other.logIn()).outcome == "200")
            #expect(try await !refuse(phone).isNew)

            let known = try await instance(phone)
            #expect(
                try await server.database.atomically {
                    try await refusing(server).allow(known, at: "learn", in: $0)
                })
            let back = Phone(
                server: server, key: phone.key, device: phone.device,
                instance: try await RegistrationDraft(server, key: phone.key, device: phone.device).send())
            #expect(try await back.askAssertion(try await back.logIn()).outcome == "200")
        }
    }

    @Test("what keeps a phone out can be lifted when its instance is registered no more")
    func gone() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server)
            try await refuse(phone)
            for isThere in [true, false] {
                let wasRefused = try await server.database.atomically {
                    try await refusing(server).allow(gone: phone.clientID, at: "learn", in: $0)
                }
                #expect(wasRefused == isThere)
            }
            #expect(try await phone.askAssertion(try await phone.logIn()).outcome == "200")
        }
    }

    @Test("of assertions and a refusal at once, none lives after it")
    func race() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn(),
                account = try await ada(server)
            for round in 0..<6 {
                async let refusal = refuse(account, server)
                async let first = phone.askAssertion(pat)
                async let second = phone.askAssertion(pat)
                let (_, replies) = (try await refusal, [try await first, try await second])

                for reply in replies {
                    #expect(["200", "403 access_denied"].contains(reply.outcome), "round \(round)")
                    guard let text = reply["code"], let id = NodeID(claims(of: text)["jti"]?.string ?? "") else {
                        continue
                    }
                    let row = try #require(try await server.parts.store.find(id))
                    #expect(row.isRevoked, "round \(round)")
                }
                _ = try await allow(account, server)
            }
        }
    }

    /// A web application that is a service of the federation itself.
    private func shop(_ server: TestServer) async throws -> WebApp {
        let app = try await server.webApp("Shop")
        let base = try #require(WebAddress("https://shop.example.org"))
        _ = try await ServiceIndex(clock: server.time.clock).add(
            id: "shop", name: "Shop", base: base, client: app.id, claims: [], rsd: nil, allowsLoopback: false,
            status: .active, in: server.database)
        return app
    }

    @Test("a web login at the service's own client hangs below the use, and is refused with it")
    func web() async throws {
        try await TestServer.with { server in
            let app = try await shop(server), browser = Browser(server), account = try await ada(server)
            let tokens = try await app.logIn(browser, scope: "openid offline_access")
            #expect(try await app.userInfo(tokens.accessToken).outcome == "200")

            try await refuse(account, at: "shop", server)

            #expect(try await app.userInfo(tokens.accessToken).outcome == "401 invalid_token")
            #expect(try await app.refresh(tokens.refreshToken).outcome == "400 invalid_grant")
            let place = try await browser.signIn(AuthorizationDraft(app.id))
            #expect(place.answer["error"] == "access_denied" && place.answer["code"] == nil)
            #expect(try await browser.open(.get, "/account").status == 200, "the person goes on elsewhere")
        }
    }

    @Test("a web login with the service as resource is refused with it, and ended by it")
    func resource() async throws {
        try await TestServer.with { server in
            let app = try await server.webApp(), browser = Browser(server), account = try await ada(server)
            let draft = AuthorizationDraft(app.id, changes: ["resource": Residents.quietBase])
            let code = try await browser.signIn(draft).answer["code"]
            let tokens = try await app.redeem(code)
            try #require(tokens.outcome == "200", "\(tokens.body)")
            let waiting = try await browser.signIn(draft).answer["code"]

            try await refuse(account, at: "quiet", server)

            #expect(try await app.refresh(tokens.refreshToken).outcome == "400 invalid_grant")
            #expect(try await app.redeem(waiting).outcome == "400 invalid_grant")
            #expect(try await browser.signIn(draft).answer["error"] == "access_denied")
            #expect(try await browser.signIn(AuthorizationDraft(app.id)).answer["code"] != nil)
        }
    }

    @Test("a service that is removed forgets whom it refused")
    func removed() async throws {
        try await TestServer.with { server in
            try await refuse(try await ada(server), at: "quiet", server)
            let index = ServiceIndex(clock: server.time.clock)
            let quiet = try #require(try await index.find("quiet", in: server.database))

            try await server.database.atomically { try await index.remove(quiet, in: $0) }

            #expect(try await server.database.value("select count(*) from service_refusal") == 0)
        }
    }
}
