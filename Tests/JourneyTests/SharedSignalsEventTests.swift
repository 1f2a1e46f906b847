import Accounts
import Base
import Database
import Federation
import Foundation
import Keys
import OAuth
import TestSupport
import Testing
import TokenTree

@Suite("OpenID Shared Signals Framework 1.0: what a stream is told")
struct SharedSignalsEventTests {
    /// A person whom `learn` has met, with the phone by which.
    private func met(_ server: TestServer) async throws -> (account: Account, phone: Phone, pat: Reply) {
        let account = try await server.newResident(), phone = try await Phone.registered(in: server)
        let pat = try await phone.logIn(as: account.username)
        _ = try await phone.redeem(assertion: try await phone.assertion(pat))
        return (account, phone, pat)
    }

    private func person(_ account: Account, _ server: TestServer) -> JSONValue {
        [
            "format": "iss_sub", "iss": .string(ServerParts.root),
            "sub": .string(server.parts.names.subject(of: account.id, at: "learn")),
        ]
    }

    private func end(_ node: Node, _ server: TestServer) async throws {
        try await server.parts.revocation.revoke(node, by: AuditActor(name: "admin:root"))
    }

    private func account(_ account: Account) -> Node {
        .virtual(Ancestor(.account, account.id.uuidString.lowercased()))
    }

    private func setPassword(of account: Account, _ server: TestServer) async throws {
        let hash = try await server.parts.hasher.hash("quite another long phrase")
        let change = ChangePassword(
            store: server.parts.store, revocation: server.parts.revocation, clock: server.time.clock)
        _ = try await server.database.atomically {
            try await change.set(hash, of: account.id, by: .server, in: $0)
        }
    }

    private func native(_ server: TestServer) -> Int {
        server.wire.pushes.filter { $0.url == ServerParts.base + "/events" }.count
    }

    @Test("what ends is a revoked session of its person, in a token of the framework's form; acknowledged, it is gone")
    func ended() async throws {
        try await TestServer.with { server in
            let receiver = Receiver(server), id = try await receiver.create()
            let (ada, phone, _) = try await met(server)
            try await end(.virtual(Ancestor(.instance, phone.clientID)), server)
            try await end(account(ada), server)
            try await server.sendEvents()
            #expect(server.wire.pushes.isEmpty, "it is polled")

            let tokens = Receiver.tokens(try await receiver.poll(id))
            #expect(tokens.count == 2)
            for token in tokens {
                let jwt = try JWT(token), told = claims(of: token)
                #expect(jwt.type == "secevent+jwt" && jwt.algorithm == "ES256")
                #expect(try await server.parts.keys.verify(jwt))
                #expect(
                    told["iss"] == .string(ServerParts.root) && told["aud"] == .string(ServerParts.base)
                        && told["iat"] == .integer(server.now) && told["jti"]?.string?.isEmpty == false)
                #expect(told["sub"] == nil && told["exp"] == nil && told["events"]?.object?.members.count == 1)
                let (type, body) = Receiver.event(token)
                #expect(type == Receiver.revoked)
                #expect(body == ["event_timestamp": .integer(server.now), "initiating_entity": "admin"])
                #expect(told["sub_id"]?["format"] == "complex" && told["sub_id"]?["user"] == person(ada, server))
            }
            let subjects = tokens.map { claims(of: $0)["sub_id"] }
            #expect(subjects[0]?["device"]?["format"] == "opaque" && subjects[1]?["node"]?["format"] == "opaque")

            let jtis = tokens.compactMap { claims(of: $0)["jti"]?.string }
            #expect(Receiver.tokens(try await receiver.poll(id)).count == 2, "nothing was acknowledged")
            #expect(Receiver.tokens(try await receiver.poll(id, ["ack": JSONValue(strings: jtis)])).isEmpty)
            #expect(try await server.database.value("select count(*) from delivery where acknowledged < last") == 0)
        }
    }

    @Test("password, factors and status of a person are told to a stream that asks, of people whom its service knows")
    func facts() async throws {
        try await TestServer.with { server in
            let receiver = Receiver(server), id = try await receiver.create()
            let quiet = Receiver(server, as: server.residents.quiet), quietID = try await quiet.create()
            let (ada, _, _) = try await met(server), accounts = AccountStore(clock: server.time.clock)
            let stranger = try await server.newResident()
            try await setPassword(of: stranger, server)

            try await setPassword(of: ada, server)
            _ = try await server.enrollPhone(of: ada)
            _ = try await server.passkey(of: ada)
            let external = ada.id.uuidString.lowercased()
            _ = try await server.database.execute("delete from tiqr_identity where external_id = \(external)")
            _ = try await accounts.setStatus(ada.id, .suspended, in: server.database)
            _ = try await accounts.setStatus(ada.id, .suspended, in: server.database)
            _ = try await accounts.setStatus(ada.id, .active, in: server.database)
            try await server.database.atomically { try await accounts.delete(ada.id, in: $0) }

            let tokens = Receiver.tokens(try await receiver.poll(id))
            let told = tokens.map { token in
                let (type, body) = Receiver.event(token)
                let words = ["credential_type", "change_type"].compactMap { body[$0]?.string }
                return ([String(type.split(separator: "/").last ?? "")] + words).joined(separator: " ")
            }
            let passkey = told.first { $0.contains("fido2") } ?? ""
            #expect(passkey.hasSuffix(" create"))
            // The password that was changed ends what it opened, too.
            #expect(
                told.filter { $0 != "session-revoked" } == [
                    "credential-change password update", "credential-change app create", passkey,
                    "credential-change app delete", "account-disabled", "account-enabled", "account-purged",
                ])
            #expect(
                tokens.filter { Receiver.event($0).type != Receiver.revoked }.allSatisfy {
                    claims(of: $0)["sub_id"] == person(ada, server)
                })
            #expect(!tokens.contains { JSONValue.object(claims(of: $0)).text.contains(external) })
            #expect(Receiver.tokens(try await quiet.poll(quietID)).isEmpty)
        }
    }

    @Test("what a stream has not asked for is not written for it; without a stream nothing is")
    func unasked() async throws {
        try await TestServer.with { server in
            let (ada, _, _) = try await met(server), receiver = Receiver(server)
            let accounts = AccountStore(clock: server.time.clock)
            _ = try await accounts.setStatus(ada.id, .suspended, in: server.database)
            #expect(try await server.database.value("select count(*) from outbox") == 0)

            let id = try await receiver.create([Receiver.changed])
            _ = try await accounts.setStatus(ada.id, .active, in: server.database)
            #expect(try await server.database.value("select count(*) from outbox") == 0)
            try await end(account(ada), server)
            #expect(Receiver.types(try await receiver.poll(id)) == [])
            #expect(try await server.database.value("select count(*) from delivery where acknowledged < last") == 0)
        }
    }

    @Test("a pushed stream gets them at its endpoint with its header, in order, in place of BASE/events")
    func pushed() async throws {
        try await TestServer.with { server in
            let receiver = Receiver(server)
            _ = try await receiver.create(pushed: true, header: "Bearer s3cret")
            let (ada, phone, _) = try await met(server)
            server.wire.refusePushes(500)
            try await end(.virtual(Ancestor(.instance, phone.clientID)), server)
            try await end(account(ada), server)
            try await server.sendEvents()
            server.wire.refusePushes(nil)
            server.time.advance(10)
            try await server.sendEvents()

            let pushes = server.wire.pushes
            #expect(pushes.map(\.status) == [500, 202, 202])
            let names = pushes.map { claims(of: $0.body)["jti"]?.string }
            #expect(names[0] == names[1] && names[1] != names[2], "the same again, then the next")
            #expect(pushes.allSatisfy { $0.url == Receiver.push && $0.authorization == "Bearer s3cret" })
            #expect(pushes.allSatisfy { Receiver.event($0.body).type == Receiver.revoked })
            #expect(try await server.database.value("select count(*) from delivery where acknowledged < last") == 0)
        }
    }

    @Test("while a stream is paused events wait, whoever asks; enabled they come, in order")
    func paused() async throws {
        try await TestServer.with { server in
            let receiver = Receiver(server), id = try await receiver.create(pushed: true)
            let (ada, phone, _) = try await met(server)
            try await receiver.set(id, to: "paused")
            try await end(.virtual(Ancestor(.instance, phone.clientID)), server)
            try await server.sendEvents()
            #expect(server.wire.pushes.isEmpty)
            try await receiver.set(id, to: "enabled")
            try await end(account(ada), server)
            try await server.sendEvents()
            #expect(server.wire.pushes.count == 2 && native(server) == 0)
            let members = server.wire.pushes.map { claims(of: $0.body)["sub_id"] }
            #expect(members[0]?["device"] != nil && members[1]?["node"] != nil)
        }
    }

    @Test("a stream that is disabled or deleted gives its place back; facts about accounts leave in no other form")
    func disabled() async throws {
        for isDeleted in [false, true] {
            try await TestServer.with { server in
                let receiver = Receiver(server), id = try await receiver.create()
                let (ada, phone, _) = try await met(server)
                try await setPassword(of: ada, server)
                let before: Int = try await server.database.value("select count(*) from outbox")
                #expect(before > 0)
                if isDeleted {
                    #expect(try await receiver.send(.delete, "/ssf/stream?stream_id=\(id)").status == 204)
                } else {
                    try await receiver.set(id, to: "disabled")
                    let polled = try await receiver.poll(id)
                    #expect(polled.status == 200 && Receiver.tokens(polled).isEmpty)
                }
                try await setPassword(of: ada, server)
                try await end(.virtual(Ancestor(.instance, phone.clientID)), server)
                try await server.sendEvents()

                let pushes = server.wire.pushes
                #expect(!pushes.isEmpty && native(server) == pushes.count)
                #expect(pushes.allSatisfy { Receiver.event($0.body).type == "urn:pando:event:ended" })
                #expect(!pushes.contains { $0.body.contains(ada.id.uuidString.lowercased()) })
                let again = try await receiver.send(.get, "/events?after=0")
                #expect(Receiver.types(again).allSatisfy { $0 == "urn:pando:event:ended" })
                #expect(try await server.database.value("select count(*) from delivery where acknowledged < last") == 0)
            }
        }
    }

    @Test("an operator's pause is told before the stream stops, the end of it when it goes on")
    func operated() async throws {
        try await TestServer.with { server in
            let receiver = Receiver(server), id = try await receiver.create(["urn:example:none"])
            let operation = StreamOperation(server.parts.composition.streams)
            let learn = try #require(
                try await ServiceIndex(clock: server.time.clock).find("learn", in: server.database))
            func set(_ status: EventStream.Status) async throws -> Bool? {
                try await server.database.atomically {
                    try await operation.set(learn, to: status, because: "works", in: $0)
                }
            }
            #expect(try await set(.paused) == false)
            #expect(try await set(.paused) == true)
            #expect(try await receiver.post("/ssf/verify", ["stream_id": .string(id)]).status == 204)
            let first = Receiver.tokens(try await receiver.poll(id))
            #expect(first.map { Receiver.event($0).type } == [Receiver.updated])
            #expect(first.map { Receiver.event($0).body } == [["status": "paused", "reason": "works"]])
            #expect(first.map { claims(of: $0)["sub_id"] } == [["format": "opaque", "id": .string(id)]])
            #expect(try await receiver.send(.get, "/ssf/status?stream_id=\(id)")["reason"] == "works")
            #expect(try await set(.enabled) == false)
            #expect(
                Receiver.types(try await receiver.poll(id)) == [
                    Receiver.updated, Receiver.verification, Receiver.updated,
                ])
        }
    }

    @Test("tokens of streams are by RS256 where the server has it, unless the service's client says otherwise")
    func algorithms() async throws {
        try await TestServer.with(signing: .init(algorithms: [.es256, .rs256])) { server in
            let receiver = Receiver(server), id = try await receiver.create()
            #expect(try await receiver.post("/ssf/verify", ["stream_id": .string(id)]).status == 204)
            func algorithm() async throws -> String? {
                try Receiver.tokens(try await receiver.poll(id)).first.map { try JWT($0).algorithm }
            }
            #expect(try await algorithm() == "RS256")
            _ = try await server.database.execute(
                """
                update client set metadata = '{"id_token_signed_response_alg": "ES256"}'
                where id = \(server.residents.learn.id)
                """)
            #expect(try await algorithm() == "ES256")
        }
    }

    @Test("a poll that is wrong is 400, one of a pushed stream 404; moreAvailable is told where there is more")
    func polls() async throws {
        try await TestServer.with { server in
            let receiver = Receiver(server), id = try await receiver.create()
            for body: JSONValue in [[], ["maxEvents": -1], ["ack": "x"], ["setErrs": []], ["returnImmediately": 1]] {
                let reply = try await receiver.post("/ssf/poll/\(id)", body)
                #expect(reply.outcome == "400 invalid_request", "\(body.text)")
            }
            #expect(try await receiver.poll(id).json == ["sets": [:]], "nothing but objects where there is no more")
            #expect(try await receiver.post("/ssf/verify", ["stream_id": .string(id)]).status == 204)
            #expect(try await receiver.poll(id, ["maxEvents": 0]).json == ["sets": [:], "moreAvailable": true])
            let pushed: JSONValue = [
                "stream_id": .string(id),
                "delivery": ["method": "urn:ietf:rfc:8935", "endpoint_url": .string(Receiver.push)],
            ]
            #expect(try await receiver.send(.patch, "/ssf/stream", pushed).status == 200)
            #expect(try await receiver.poll(id).outcome == "404 not_found")
        }
    }
}
