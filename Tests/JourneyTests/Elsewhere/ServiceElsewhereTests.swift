import Base
import Database
import Federation
import Foundation
import HTTPTypes
import OAuth
import TestSupport
import Testing
import TokenTree

@Suite("a service at another server, with only HTTP between")
struct ServiceElsewhereTests {
    static let path = "/services/operations"
    static let scope = "com.wultra.operations"

    /// A phone whose person has a service token of the far service.
    private struct Visit: Sendable {
        let home: TestServer
        let far: ServerElsewhere
        let phone: Phone
        let token: Reply

        static func with(
            hearing: String = "push", failClosed: Int = 0, _ body: @escaping @Sendable (Visit) async throws -> Void
        ) async throws {
            try await TestServer.with { home in
                try await ServerElsewhere.with(["operations"], of: home, hearing: hearing, failClosed: failClosed) {
                    far in
                    let phone = try await Phone.registered(in: home)
                    let assertion = try await phone.assertion(
                        try await phone.logIn(), for: ServerElsewhere.base("operations"))
                    let token = try await Visit.redeem(assertion, at: far)
                    try #require(token.outcome == "200", "redeem: \(token.body)")
                    try await body(Visit(home: home, far: far, phone: phone, token: token))
                }
            }
        }

        static func redeem(_ assertion: String, at far: ServerElsewhere) async throws -> Reply {
            try await far.post(
                ServiceElsewhereTests.path + "/token",
                ["grant_type": "urn:ietf:params:oauth:grant-type:jwt-bearer", "assertion": assertion])
        }

        /// An app token for another app, whose bearer it is.
        func handOut(_ bundle: String = Phone.bundle) async throws -> Reply {
            let path = ServiceElsewhereTests.path + "/token"
            let code = try phone.appCode(changes: [
                "aud": .string(ServerElsewhere.base("operations") + "/token"), "sub": .string(bundle),
            ])
            return try await far.post(
                path,
                [
                    "grant_type": "authorization_code", "code": code, "client_id": bundle,
                    "scope": ServiceElsewhereTests.scope,
                ], headers: phone.dpop(.post, elsewhere: path, token: token.accessToken))
        }

        /// What the back office answers to an app token.
        func look(_ app: Reply) async throws -> Reply {
            try await far.send(
                .get, ServiceElsewhereTests.path + "/v2/operations",
                headers: [.authorization: "Bearer \(app.accessToken)"])
        }

        func end() async throws {
            try await home.parts.revocation.revoke(.virtual(Ancestor(.instance, phone.clientID)), by: .server)
        }

        func position() async throws -> Int {
            try await far.composition.database.value("select seq from event_received where realm = 'operations'")
        }
    }

    @Test("redeems an assertion by the issuer's key set alone, and hands out tokens that are its own")
    func journey() async throws {
        try await Visit.with { visit in
            let app = try await visit.handOut()

            #expect(app.outcome == "200", "\(app.body)")
            let claims = claims(of: app.accessToken), base = ServerElsewhere.base("operations")
            #expect(claims["iss"] == .string(base) && claims["aud"] == .string(base))
            #expect(try await visit.look(app).status == 200)
            let keys = try await visit.far.send(.get, "/jwks.json").json["keys"]?.array ?? []
            #expect(!keys.isEmpty && visit.far.asked.contains(ServerParts.root + "/jwks.json"))
            // Neither knows what the other has.
            let people: Int64 = try await visit.far.composition.database.value("select count(*) from account")
            let listed: Int64 = try await visit.far.composition.database.value(
                "select count(*) from service where status = 'active'")
            #expect(people == 0 && listed == 0)
            #expect(
                try await visit.home.get("/user-profile", headers: [.authorization: "Bearer \(app.accessToken)"]).status
                    == 401)
        }
    }

    @Test("refuses what its issuer did not sign for it, whatever its own keys say")
    func foreign() async throws {
        try await Visit.with { visit in
            let keys = visit.far.composition.keys, pat = try await visit.phone.logIn()
            var made = claims(of: try await visit.phone.assertion(pat, for: ServerElsewhere.base("operations")))
            made["jti"] = .string(UUID().uuidString)
            let own = try await keys.sign(type: "oauth-id-jag+jwt", claims: made)
            made["iss"] = .string(ServerElsewhere.root)
            let itself = try await keys.sign(type: "oauth-id-jag+jwt", claims: made)
            let other = try await visit.phone.assertion(pat)

            for text in [own, itself, other, pat.accessToken] {
                #expect(try await Visit.redeem(text, at: visit.far).outcome == "400 invalid_grant")
            }
        }
    }

    @Test("an assertion that is shown twice ends what came of it, as at home")
    func twice() async throws {
        try await Visit.with { visit in
            let assertion = try await visit.phone.assertion(
                try await visit.phone.logIn(), for: ServerElsewhere.base("operations"))
            #expect(try await Visit.redeem(assertion, at: visit.far).outcome == "200")
            #expect(try await Visit.redeem(assertion, at: visit.far).outcome == "400 invalid_grant")
        }
    }

    @Test("what ends at home ends here with the event that is pushed")
    func pushed() async throws {
        try await Visit.with { visit in
            let app = try await visit.handOut()
            #expect(try await visit.look(app).status == 200)

            try await visit.end()
            try await visit.home.sendEvents()

            #expect(try await visit.look(app).outcome == "401 invalid_token")
            #expect(try await visit.handOut().outcome == "401 invalid_token")
        }
    }

    @Test("who was away asks for what it missed, and is up to date before anything is pushed again")
    func away() async throws {
        try await Visit.with { visit in
            let app = try await visit.handOut()
            visit.home.wire.refusePushes(503)
            try await visit.end()
            try await visit.home.sendEvents()
            #expect(try await visit.look(app).status == 200)

            try await visit.far.role("operations").events.catchUp()

            #expect(try await visit.look(app).outcome == "401 invalid_token")
            #expect(try await visit.position() == 1)
        }
    }

    /// Two phones end there, of which only the second's event is pushed: as when the first was given up.
    private func missing(_ visit: Visit, beforeSecond: () -> Void = {}) async throws {
        let other = try await Phone.registered(in: visit.home)
        let assertion = try await other.assertion(
            try await other.logIn(as: "bob"), for: ServerElsewhere.base("operations"))
        try #require(try await Visit.redeem(assertion, at: visit.far).outcome == "200")
        visit.home.wire.refusePushes(503)
        try await visit.end()
        try await visit.home.sendEvents()
        _ = try await visit.home.database.execute(
            "update outbox set settled_at = \(visit.home.time.now) where service = 'far-operations'")
        visit.home.wire.refusePushes(nil)
        try await visit.home.parts.revocation.revoke(.virtual(Ancestor(.instance, other.clientID)), by: .server)
        visit.home.time.advance(60)
        beforeSecond()
        try await visit.home.sendEvents()
    }

    private func ended(_ far: ServerElsewhere) async throws -> Int64 {
        try await far.composition.database.value("select count(*) from revocation where label like 'foreign:%'")
    }

    @Test("a gap is filled by asking, before what showed it takes effect")
    func gap() async throws {
        try await Visit.with { visit in
            let app = try await visit.handOut()

            try await missing(visit)

            #expect(try await visit.position() == 2)
            #expect(try await ended(visit.far) == 2)
            #expect(try await visit.look(app).outcome == "401 invalid_token")
            #expect(visit.far.asked.contains { $0.hasPrefix(ServerParts.root + "/events?after=0") })
        }
    }

    @Test("where the issuer cannot be asked, what is pushed takes effect all the same, and is not counted as all")
    func cut() async throws {
        try await Visit.with { visit in
            let app = try await visit.handOut()

            try await missing(visit) { visit.far.cut(true) }

            #expect(try await ended(visit.far) == 1)
            #expect(try await visit.position() == 0)
            #expect(try await visit.look(app).status == 200)
            let events = try visit.far.role("operations").events
            await #expect(throws: IssuerConnection.Unanswered.self) { try await events.catchUp() }
            visit.far.cut(false)
            try await events.catchUp()
            #expect(try await visit.position() == 2)
            #expect(try await visit.look(app).outcome == "401 invalid_token")
        }
    }

    @Test("who hears by poll takes what waits, and acknowledges it")
    func polled() async throws {
        try await Visit.with(hearing: "poll") { visit in
            let app = try await visit.handOut(), role = try visit.far.role("operations")
            let service = try #require(role.elsewhere)
            let following = EventFollowing(role.events, of: service, logger: .quiet)
            try await visit.end()

            let taken = try await following.poll(.init())

            #expect(taken.taken.count == 1 && taken.refused.isEmpty)
            #expect(try await visit.look(app).outcome == "401 invalid_token")
            let before: Int64 = try await waiting(visit.home)
            // Another one waits, so that this poll is not held; what was taken before is settled by it.
            let next = try await Phone.registered(in: visit.home)
            let assertion = try await next.assertion(
                try await next.logIn(as: "bob"), for: ServerElsewhere.base("operations"))
            try #require(try await Visit.redeem(assertion, at: visit.far).outcome == "200")
            try await visit.home.parts.revocation.revoke(.virtual(Ancestor(.instance, next.clientID)), by: .server)
            _ = try await following.poll(taken)
            let after = try await waiting(visit.home)
            #expect(before == 1 && after == 1)
        }
    }

    private func waiting(_ home: TestServer) async throws -> Int64 {
        try await home.database.value(
            "select count(*) from outbox where service = 'far-operations' and settled_at is null")
    }

    @Test("which apps it takes is what the issuer has of it: an event brings it")
    func policy() async throws {
        try await Visit.with { visit in
            let app = try await visit.handOut()
            let policies = AppPolicyStore(
                revocation: visit.home.parts.revocation, outbox: visit.home.parts.composition.outbox)
            let entry = try #require(
                try await ServiceIndex(clock: visit.home.time.clock).find("far-operations", in: visit.home.database))
            try await visit.home.database.transaction { transaction in
                _ = try await policies.change(entry, by: .server, in: transaction) { _ in
                    AppPolicy(deny: [Phone.bundle])
                }
            }
            try await visit.home.sendEvents()

            #expect(try await visit.look(app).outcome == "401 invalid_token")
            #expect(try await visit.handOut().outcome == "400 access_denied")
            #expect(try await visit.handOut("org.example.other").outcome == "200")
        }
    }

    @Test("failing closed, it answers 503 until it has heard, and asking is hearing")
    func failsClosed() async throws {
        try await Visit.with(failClosed: 120) { visit in
            let service = visit.token.accessToken, path = Self.path + "/introspect"
            func look() async throws -> Reply {
                try await visit.far.post(
                    path, ["token": service], headers: visit.phone.dpop(.post, elsewhere: path, token: service))
            }
            let unheard = try await look()
            #expect(unheard.outcome == "503 temporarily_unavailable" && unheard[header: "Retry-After"] != nil)
            try await visit.end()
            try await visit.far.role("operations").events.catchUp()
            visit.home.time.advance(2)

            #expect(try await look().outcome == "401 invalid_token")
        }
    }

    @Test("a heartbeat that is pushed is hearing, though the issuer cannot be asked; one that shows a gap is not")
    func heardWhileCut() async throws {
        try await Visit.with(failClosed: 120) { (visit: Visit) async throws in
            let service = visit.token.accessToken, path = Self.path + "/introspect"
            func look() async throws -> Int {
                try await visit.far.post(
                    path, ["token": service], headers: visit.phone.dpop(.post, elsewhere: path, token: service)
                ).status
            }
            func beat(_ seq: Int) async throws -> Int {
                let text = try await visit.home.parts.keys.sign(
                    type: "secevent+jwt",
                    claims: [
                        "iss": .string(ServerParts.root), "aud": .string(ServerElsewhere.base("operations")),
                        "jti": "beat", "iat": .integer(visit.home.now),
                        "events": ["urn:pando:event:heartbeat": ["seq": .integer(seq)]],
                    ])
                return try await visit.far.send(
                    .post, Self.path + "/events", headers: [.contentType: "application/secevent+jwt"],
                    body: Array(text.utf8)
                ).status
            }
            visit.far.cut(true)

            #expect(try await beat(0) == 202)
            #expect(try await look() == 200)
            visit.home.time.advance(121)
            #expect(try await beat(1) == 202)
            #expect(try await look() == 503)
            visit.home.time.advance(2)
            #expect(try await beat(0) == 202)
            #expect(try await look() == 200)
        }
    }
}
