import Base
import Database
import Federation
import Foundation
import HTTPTypes
import TestSupport
import Testing
import TokenTree

@Suite("events that were missed, and heartbeats")
struct MissedEventTests {
    private func bearer(_ app: Reply) -> HTTPFields { [.authorization: "Bearer \(app.accessToken)"] }

    private func revoke(_ server: TestServer, _ phone: Phone) async throws {
        try await server.parts.revocation.revoke(.virtual(Ancestor(.instance, phone.clientID)), by: .server)
    }

    private func push(_ server: TestServer, _ claims: JSONObject) async throws -> Reply {
        let text = try await server.parts.keys.sign(type: "secevent+jwt", claims: claims)
        return try await server.send(
            .post, "/services/learn/events", headers: [.contentType: "application/secevent+jwt"],
            body: Array(text.utf8))
    }

    private func heartbeat(_ server: TestServer, _ seq: Int, at time: Int? = nil) -> JSONObject {
        [
            "iss": .string(ServerParts.root), "aud": .string(ServerParts.base), "jti": "beat",
            "iat": .integer(time ?? server.now), "events": ["urn:pando:event:heartbeat": ["seq": .integer(seq)]],
        ]
    }

    /// How far `learn` is.
    private func position(_ server: TestServer) async throws -> Int {
        try await server.database.value("select seq from event_received where realm = 'learn'")
    }

    @Test("stored events are given again, settled or not, from a number on, and say when there are more")
    func stored() async throws {
        try await TestServer.with { server in
            let service = PollingService(server: server, client: server.residents.learn)
            try await PollingService.tell(server, times: 5)
            let names = try await service.look().identifiers
            _ = try await service.look(["ack": JSONValue(strings: names.prefix(3))])

            let page = try await server.get("/events?after=1&limit=3", headers: service.basic)
            let rest = try await server.get("/events?after=4", headers: service.basic)
            let all = try await server.get("/events", headers: service.basic)

            #expect(page.sequence == [2, 3, 4] && page.json["moreAvailable"] == true)
            #expect(rest.sequence == [5] && rest.json["moreAvailable"] == false)
            #expect(all.identifiers == names)
            server.time.advance(31 * 86_400)
            try await server.tidy()
            #expect(try await server.get("/events", headers: service.basic).sequence == [4, 5])
        }
    }

    @Test(
        "what is no question is refused",
        arguments: ["after=-1", "after=x", "limit=0", "limit=201", "after=1&after=2", "after=99999999999999999999"])
    func hostile(_ query: String) async throws {
        try await TestServer.with { server in
            let service = PollingService(server: server, client: server.residents.learn)
            #expect(
                try await server.get("/events?\(query)", headers: service.basic).outcome == "400 invalid_request")
            let nobody = try await server.get("/events")
            #expect(nobody.outcome == "401 invalid_client")
        }
    }

    @Test("a service that sees a gap takes first what it missed, once and in order")
    func gap() async throws {
        try await TestServer.with { server in
            let phones = [
                try await Phone.registered(in: server), try await Phone.registered(in: server),
                try await Phone.registered(in: server),
            ]
            var services: [Reply] = []
            for phone in phones { services.append(try await phone.joinService()) }
            for phone in phones { try await revoke(server, phone) }
            let polled = try await PollingService(server: server, client: server.residents.learn).look()
            let last = try #require(polled.json["sets"]?[polled.identifiers[2]]?.string)
            func take() async throws -> Int {
                try await server.send(
                    .post, "/services/learn/events", headers: [.contentType: "application/secevent+jwt"],
                    body: Array(last.utf8)
                ).status
            }

            #expect(try await take() == 202)
            #expect(try await position(server) == 3)
            for (phone, service) in zip(phones, services) {
                #expect(try await phone.authorizeApp(service).outcome == "401 invalid_token")
            }
            let ended: Int = try await server.database.value(
                "select count(*) from revocation where label like 'foreign:%'")
            #expect(try await take() == 202)
            try await server.sendEvents()
            #expect(
                try await server.database.value("select count(*) from revocation where label like 'foreign:%'")
                    == ended, "what comes again changes nothing")
            #expect(try await position(server) == 3)
        }
    }

    @Test("an old move that comes again does not undo a newer one")
    func replayedMove() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), service = try await phone.joinService()
            for version in ["2", "3"] {
                let upgrade = RegistrationDraft(server, version: version, key: phone.key, device: phone.device)
                #expect(
                    try await upgrade.send(
                        headers: phone.dpop(.post, "/token", token: phone.instance.accessToken)
                    ).outcome == "200")
            }
            try await server.sendEvents()
            let old = try #require(server.wire.pushes.first)
            let again = try await server.send(
                .post, "/services/learn/events", headers: [.contentType: "application/secevent+jwt"],
                body: Array(old.body.utf8))
            #expect(again.status == 202)

            try await server.parts.revocation.revoke(
                .virtual(Ancestor(.version, "\(Residents.app).2")), by: .server)
            try await server.sendEvents()
            #expect(try await phone.authorizeApp(service).outcome == "200")
            try await server.parts.revocation.revoke(
                .virtual(Ancestor(.version, "\(Residents.app).3")), by: .server)
            try await server.sendEvents()
            #expect(try await phone.authorizeApp(service).outcome == "401 invalid_token")
        }
    }

    @Test("a heartbeat tells the newest number: the service fetches what it has not heard of")
    func heartbeat() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), service = try await phone.joinService()
            try await revoke(server, phone)

            let sent = try await server.parts.composition.eventHeartbeats.sendDue()
            let again = try await server.parts.composition.eventHeartbeats.sendDue()

            #expect(sent > 0 && again == 0, "once in a minute")
            let beat = try #require(server.wire.pushes.first { $0.url == ServerParts.base + "/events" })
            #expect(beat.status == 202)
            #expect(claims(of: beat.body)["events"]?["urn:pando:event:heartbeat"] == ["seq": 1])
            #expect(claims(of: beat.body)["iat"] == .integer(server.now))
            #expect(try await phone.authorizeApp(service).outcome == "401 invalid_token")
            let stored: Int = try await server.database.value("select count(*) from outbox")
            #expect(stored == 1, "a heartbeat is no event")
            server.time.advance(60)
            #expect(try await server.parts.composition.eventHeartbeats.sendDue() == sent)
        }
    }

    @Test("a heartbeat that nobody takes neither delays an event nor counts as a failure")
    func lostHeartbeat() async throws {
        try await TestServer.with { server in
            server.wire.refusePushes(500)
            _ = try await server.parts.composition.eventHeartbeats.sendDue()

            let failures: Int32 = try await server.database.value(
                "select failures from delivery where service = 'learn'")
            server.wire.refusePushes(nil)
            try await PollingService.tell(server)
            try await server.sendEvents()

            #expect(failures == 0)
            #expect(try await position(server) == 1)
        }
    }

    @Test("a heartbeat without a number is refused")
    func badHeartbeat() async throws {
        try await TestServer.with { server in
            for body: JSONValue in [[:], ["seq": -1], ["seq": "1"], []] {
                let claims = heartbeat(server, 0).adding("events", ["urn:pando:event:heartbeat": body])
                let reply = try await push(server, claims)
                #expect(reply.status == 400 && reply["err"] == "invalid_request")
            }
        }
    }

    @Test("a service that fails closed refuses what hangs below an issuer it has not heard, until it hears again")
    func failsClosed() async throws {
        try await TestServer.with(options: TestServerOptions(failClosed: 120)) { server in
            let phone = try await Phone.registered(in: server)
            #expect(try await push(server, heartbeat(server, 0)).status == 202)
            let service = try await phone.joinService(), app = try await phone.authorizeApp(service)
            func look() async throws -> Reply {
                try await server.get("/services/learn/attributes", headers: bearer(app))
            }

            #expect(try await look().outcome == "200")
            let old = heartbeat(server, 0)
            server.time.advance(121)
            let refused = try await look()
            #expect(refused.outcome == "503 temporarily_unavailable" && refused[header: "Retry-After"] == "5")
            #expect(try await push(server, old).status == 202)
            server.time.advance(1)
            #expect(try await look().status == 503, "an old heartbeat says nothing of now")
            #expect(try await push(server, heartbeat(server, 0)).status == 202)
            server.time.advance(1)
            #expect(try await look().outcome == "200")
        }
    }

    @Test("a heartbeat of the future counts as one of now, no more")
    func future() async throws {
        try await TestServer.with(options: TestServerOptions(failClosed: 120)) { server in
            let phone = try await Phone.registered(in: server)
            #expect(try await push(server, heartbeat(server, 0, at: server.now + 3_600)).status == 202)
            let service = try await phone.joinService(), app = try await phone.authorizeApp(service)

            server.time.advance(121)

            #expect(try await server.get("/services/learn/attributes", headers: bearer(app)).status == 503)
        }
    }
}

extension JSONObject {
    fileprivate func adding(_ name: String, _ value: JSONValue) -> JSONObject {
        var members = self
        members[name] = value
        return members
    }
}
