import Base
import Database
import Foundation
import HTTPTypes
import Registration
import TestSupport
import Testing
import TokenTree

@Suite("RFC 8417 and 8935: events to services")
struct EventTests {
    private func bearer(_ app: Reply) -> HTTPFields { [.authorization: "Bearer \(app.accessToken)"] }

    private func revoke(_ server: TestServer, _ node: Node) async throws {
        try await server.parts.revocation.revoke(node, by: .server)
    }

    private func instance(_ phone: Phone) -> Node { .virtual(Ancestor(.instance, phone.clientID)) }

    /// The sequence numbers that arrived at `learn`, in the order of arrival.
    private func sequence(_ server: TestServer) -> [Int] {
        server.wire.pushes.filter { $0.url.hasPrefix(ServerParts.base) && $0.status < 300 }.compactMap { push in
            claims(of: push.body)["events"]?.object?.members.first?.value["seq"]?.integer
        }
    }

    @Test("revoked at the IdP, dead at the service: its token, its refresh token, and every app token below")
    func ended() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), service = try await phone.joinService(),
                app = try await phone.authorizeApp(service)
            let other = try await Phone.registered(in: server), otherService = try await other.joinService()

            try await revoke(server, instance(phone))
            #expect(
                try await server.get("/services/learn/attributes", headers: bearer(app)).outcome == "200",
                "not told yet")
            try await server.sendEvents()

            #expect(
                try await server.get("/services/learn/attributes", headers: bearer(app)).outcome == "401 invalid_token")
            #expect(try await phone.authorizeApp(service).outcome == "401 invalid_token")
            #expect(
                try await phone.refresh(service.refreshToken, at: "/services/learn/token").outcome
                    == "400 invalid_grant")
            #expect(try await other.authorizeApp(otherService).outcome == "200")
            let push = try #require(server.wire.pushes.first), event = claims(of: push.body)
            #expect(server.wire.pushes.count == 1 && push.status == 202 && push.url == ServerParts.base + "/events")
            #expect(
                event["iss"] == .string(ServerParts.root) && event["aud"] == .string(ServerParts.base)
                    && event["jti"]?.string != nil)
            #expect(event["events"]?["urn:pando:event:ended"]?["seq"] == 1)
        }
    }

    @Test(
        "every ancestor reaches the service",
        arguments: ["version", "instance", "key", "account", "token", "service", "epoch"])
    func ancestors(_ what: String) async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn(),
                service = try await phone.redeem(assertion: phone.assertion(pat))
            let node: Node =
                switch what {
                case "version": .virtual(Ancestor(.version, "\(Residents.app).1"))
                case "instance": instance(phone)
                case "key": .virtual(Ancestor(.key, phone.key.thumbprint))
                case "account": .virtual(Ancestor(.account, claims(of: pat.accessToken)["sub"]?.string ?? ""))
                case "service": .virtual(Ancestor(.service, "learn"))
                case "epoch": .virtual(.epoch)
                default: .token(try #require(NodeID(pat.jti)))
                }

            try await revoke(server, node)
            try await server.sendEvents()

            #expect(server.wire.pushes.map(\.status) == [202])
            #expect(try await phone.authorizeApp(service).outcome == "401 invalid_token")
        }
    }

    @Test("a service that nothing below was issued for hears nothing")
    func unconcerned() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), other = try await Phone.registered(in: server)
            _ = try await phone.joinService()
            _ = try await other.assertion(other.logIn(as: "bob"), for: Residents.quietBase)

            try await revoke(server, instance(phone))
            try await server.sendEvents()

            #expect(
                server.wire.pushes.allSatisfy { $0.url.hasPrefix(ServerParts.base) } && server.wire.pushes.count == 1)
        }
    }

    @Test("a service that refuses is tried again until it takes; nothing is lost, and the order is kept")
    func retried() async throws {
        try await TestServer.with { server in
            var phones: [Phone] = []
            for _ in 0..<5 { phones.append(try await Phone.registered(in: server)) }
            for phone in phones { _ = try await phone.joinService() }

            server.wire.refusePushes(500)
            for phone in phones { try await revoke(server, instance(phone)) }
            for _ in 0..<3 {
                try await server.sendEvents()
                server.time.advance(10)
            }
            let refused = server.wire.pushes
            #expect(
                refused.count == 3 && Set(refused.map(\.body)).count == 3
                    && refused.allSatisfy { claims(of: $0.body)["jti"] == claims(of: refused[0].body)["jti"] },
                "the first is tried, the others wait behind it")
            #expect(
                try await server.database.value("select failures from delivery where service = 'learn'") == Int32(3))
            server.wire.refusePushes(nil)
            try await server.sendEvents()

            #expect(sequence(server) == [1, 2, 3, 4, 5])
            #expect(try await server.database.value("select count(*) from outbox where settled_at is null") == 0)
            #expect(
                try await server.database.value("select failures from delivery where service = 'learn'") == Int32(0))
        }
    }

    @Test("a failure waits: half a second and more each time; before that nothing is sent")
    func backoff() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server)
            _ = try await phone.joinService()
            server.wire.refusePushes(503)
            try await revoke(server, instance(phone))

            var pauses: [TimeInterval] = []
            for attempt in 1...6 {
                try await server.sendEvents()
                #expect(server.wire.pushes.count == attempt)
                let next: Date = try await server.database.value(
                    "select next_try from delivery where service = 'learn'")
                let pause = next.timeIntervalSince(server.time.now)
                pauses.append(pause)
                server.time.advance(pause - 0.05)
                try await server.sendEvents()
                #expect(server.wire.pushes.count == attempt)
                server.time.advance(0.05)
            }

            for (number, pause) in pauses.enumerated() {
                let expected = 0.5 * pow(2, Double(number))
                #expect((expected * 0.74...expected * 1.26).contains(pause), "attempt \(number + 1): \(pause)")
            }
        }
    }

    @Test("senders side by side send each event once")
    func senders() async throws {
        try await TestServer.with { server in
            var phones: [Phone] = []
            for _ in 0..<10 { phones.append(try await Phone.registered(in: server)) }
            for phone in phones { _ = try await phone.joinService() }
            for phone in phones { try await revoke(server, instance(phone)) }

            _ = try await crowd(5) { _ in try await server.sendEvents() }

            #expect(sequence(server) == Array(1...10))
        }
    }

    @Test("an event received twice is harmless; forged, misaddressed and unknown ones say what is wrong")
    func received() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), service = try await phone.joinService(),
                other = try await Phone.registered(in: server)
            let otherService = try await other.joinService()
            try await revoke(server, instance(phone))
            try await server.sendEvents()
            let real = try #require(server.wire.pushes.first?.body)
            func push(_ body: String, type: String = "application/secevent+jwt") async throws -> Reply {
                try await server.send(
                    .post, "/services/learn/events", headers: [.contentType: type], body: Array(body.utf8))
            }
            func signed(_ changes: JSONObject, type: String = "secevent+jwt") async throws -> String {
                try await server.parts.keys.sign(type: type, claims: claims(of: real).with(changes))
            }

            #expect(try await push(real).status == 202)
            #expect(try await push(signed(["events": ["urn:example:later": [:]]])).status == 202)
            for (body, code) in [
                ("nonsense", "invalid_request"), (try await signed([:], type: "at+jwt"), "invalid_request"),
                (try await signed(["events": .null]), "invalid_request"),
                (try await signed(["events": ["urn:pando:event:ended": [:]]]), "invalid_request"),
                (try await signed(["iss": "https://x.example.org"]), "invalid_issuer"),
                (try await signed(["aud": .string(Residents.quietBase)]), "invalid_audience"),
                (try await signed(["nbf": .integer(server.now + 61)]), "invalid_request"),
                (try await signed(["nbf": "now"]), "invalid_request"),
                (try phone.key.sign(claims(of: real), header: ["typ": "secevent+jwt"]), "invalid_key"),
            ] {
                let reply = try await push(body)
                #expect(reply.status == 400 && reply["err"] == code, "\(reply.body)")
            }
            #expect(try await push(real, type: "application/jwt").status == 400)
            #expect(try await phone.authorizeApp(service).outcome == "401 invalid_token")
            #expect(try await other.authorizeApp(otherService).outcome == "200")
        }
    }

    @Test(
        "after an upgrade the service follows: refusing the old version ends nothing there, refusing the new one does")
    func moved() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), service = try await phone.joinService()
            let upgrade = RegistrationDraft(server, version: "2", key: phone.key, device: phone.device)
            #expect(
                try await upgrade.send(headers: phone.dpop(.post, "/token", token: phone.instance.accessToken)).outcome
                    == "200")

            try await revoke(server, .virtual(Ancestor(.version, "\(Residents.app).1")))
            try await server.sendEvents()
            #expect(try await phone.authorizeApp(service).outcome == "200")
            try await revoke(server, .virtual(Ancestor(.version, "\(Residents.app).2")))
            try await server.sendEvents()
            #expect(try await phone.authorizeApp(service).outcome == "401 invalid_token")
        }
    }

    @Test("an assertion made before an upgrade and redeemed after it ends with the new version")
    func movedInFlight() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), assertion = try await phone.assertion(phone.logIn())
            let upgrade = RegistrationDraft(server, version: "2", key: phone.key, device: phone.device)
            #expect(
                try await upgrade.send(headers: phone.dpop(.post, "/token", token: phone.instance.accessToken)).outcome
                    == "200")
            try await server.sendEvents()

            let service = try await phone.redeem(assertion: assertion)
            #expect(service.outcome == "200")
            try await revoke(server, .virtual(Ancestor(.version, "\(Residents.app).2")))
            try await server.sendEvents()

            #expect(try await phone.authorizeApp(service).outcome == "401 invalid_token")
        }
    }
}
