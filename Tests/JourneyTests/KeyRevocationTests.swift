import Base
import Database
import Foundation
import HTTPTypes
import Keys
import Registration
import TestSupport
import Testing
import TokenTree

@Suite("Group 47: a signing key that others hold")
struct KeyRevocationTests {
    private func active(_ server: TestServer) async throws -> String {
        try #require(try await SigningKeys.list(server.database).first { $0.status == .active }).kid
    }

    private func rotate(_ server: TestServer) async throws {
        _ = try await server.database.atomically { try await server.parts.keys.rotate(now: true, $0) }
    }

    @discardableResult
    private func revoke(
        _ kid: String, _ server: TestServer
    ) async throws -> (key: SigningKeys.Revoked, revoked: RevocationOutcome) {
        try await server.database.atomically {
            try await server.parts.keyRevocation.revoke(
                kid, by: AuditActor(name: "admin:test", reason: "stolen"), in: $0)
        }
    }

    /// Services look for a kid that they do not know every ten seconds at most.
    private func deliver(_ server: TestServer) async throws {
        server.time.advance(11)
        try await server.sendEvents()
    }

    private func status(_ phone: Phone) async throws -> String? {
        try await InstanceStore(clock: phone.server.time.clock).find(phone.clientID, in: phone.server.database)?.status
    }

    /// An assertion for a key of the thief's, made with the server's signing key: as if he had it.
    private func forgery(of assertion: String, by thief: PhoneKey, _ server: TestServer) async throws -> String {
        let invented: JSONObject = [
            "jti": .string(UUID().uuidString), "client_id": "thief", "cnf": ["jwk": thief.jwk],
            "lineage": JSONValue(strings: (0..<5).map { _ in UUID().uuidString.lowercased() }),
        ]
        return try await server.parts.keys.sign(type: "oauth-id-jag+jwt", claims: claims(of: assertion).with(invented))
    }

    private func thief(_ key: PhoneKey, _ server: TestServer) -> Phone {
        Phone(
            server: server, key: key, device: "thief",
            instance: Reply(status: 200, headers: [:], body: #"{"client_id":"thief"}"#))
    }

    @Test(
        """
        group 47: every tree signed under the key ends at once, refresh tokens and instances too; what other keys \
        signed lives
        """
    )
    func trees() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn(),
                service = try await phone.redeem(assertion: phone.assertion(pat))
            let app = try await phone.authorizeApp(service), kid = try await active(server)
            try await rotate(server)
            let other = try await Phone.registered(in: server), otherPAT = try await other.logIn(as: "bob")

            let (key, revoked) = try await revoke(kid, server)

            #expect(
                !key.already && key.kids.first == kid && key.kids.count == 2 && !revoked.already
                    && revoked.services == ["learn"])
            #expect(try await phone.get("/userinfo", token: pat.accessToken).outcome == "401 invalid_token")
            #expect(try await phone.logInForCode().outcome == "401 invalid_token")
            for token in [phone.instance, pat] {
                #expect(try await phone.refresh(token.refreshToken).outcome == "400 invalid_grant")
            }
            #expect(
                try await phone.authorizeApp(service).outcome == "401 invalid_token",
                "what the server's service signed under it too")
            #expect(
                try await server.get(
                    "/services/learn/attributes", headers: [.authorization: "Bearer \(app.accessToken)"]
                ).outcome == "401 invalid_token")
            #expect(try await status(phone) == "revoked")
            let id = try #require(NodeID(pat.jti)), row = try #require(try await server.parts.store.find(id))
            let verdict = try await Verdict(of: row, at: server.time.now, in: server.database)
            #expect(
                verdict.rule == .revoked && verdict.cause?.node == "signer:\(kid)" && verdict.cause?.reason == "stolen")

            #expect(try await other.get("/userinfo", token: otherPAT.accessToken).outcome == "200")
            #expect(try await status(other) == "live")
            let again = try await RegistrationDraft(server, key: phone.key, device: phone.device).send()
            #expect(again.outcome == "200" && again.clientID != phone.clientID, "the phone may come back")
            #expect(
                try await Set(server.get("/jwks.json").json["keys"]?.array?.compactMap { $0["kid"]?.string } ?? [])
                    .isDisjoint(with: key.kids))
        }
    }

    @Test("an instance that moved to a newer version ends with the key under which it registered")
    func upgraded() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), kid = try await active(server)
            try await rotate(server)
            let upgrade = try await RegistrationDraft(server, version: "2", key: phone.key, device: phone.device)
                .send(headers: phone.dpop(.post, "/token", token: phone.instance.accessToken))
            #expect(upgrade.outcome == "200")
            #expect(try await status(phone) == "live")

            try await revoke(kid, server)

            #expect(try await status(phone) == "revoked")
            #expect(try await phone.refresh(upgrade.refreshToken).outcome == "400 invalid_grant")
        }
    }

    @Test(
        """
        group 47: of a family that began under an older key only the tokens end that the key signed; refreshing \
        brings another
        """
    )
    func olderFamily() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn()
            try await rotate(server)
            let signed = try await phone.refresh(pat.refreshToken), kid = try await active(server)
            #expect(try await phone.get("/userinfo", token: signed.accessToken).outcome == "200")

            try await revoke(kid, server)

            #expect(try await phone.get("/userinfo", token: signed.accessToken).outcome == "401 invalid_token")
            #expect(try await phone.get("/userinfo", token: pat.accessToken).outcome == "200")
            let shown = try JWT(signed.accessToken), id = try #require(NodeID(signed.jti)),
                row = try #require(try await server.parts.store.find(id))
            let signer = try #require(try await SigningKeys.origin(of: shown, server.database)),
                verdict = try await Verdict(of: row, signedBy: signer.kid, at: server.time.now, in: server.database)
            #expect(
                signer.kid == kid && verdict.rule == .revoked && verdict.cause?.node == "signer:\(kid)", "why says so")
            let next = try await phone.refresh(signed.refreshToken)
            #expect(next.outcome == "200")
            #expect(try await phone.get("/userinfo", token: next.accessToken).outcome == "200")
        }
    }

    @Test(
        """
        group 47: a service's tokens below a tree that was signed under the key die when its event arrives, signed \
        by a key that the service never saw
        """
    )
    func services() async throws {
        try await TestServer.with { server in
            let phone = try await Phone.registered(in: server), pat = try await phone.logIn(),
                kid = try await active(server)
            try await rotate(server)
            let service = try await phone.redeem(assertion: phone.assertion(pat)),
                other = try await Phone.registered(in: server), otherService = try await other.joinService()

            let fresh = try await revoke(kid, server).key.active
            #expect(try await phone.authorizeApp(service).outcome == "200", "not told yet")
            try await deliver(server)

            let pushes = server.wire.pushes.filter { $0.url.hasPrefix(ServerParts.base) }
            #expect(
                pushes.count == 3
                    && pushes.allSatisfy { $0.status == 202 && header(of: $0.body)["kid"]?.string == fresh },
                "the node, and the names of both keys")
            #expect(
                claims(of: pushes.last?.body ?? "")["events"]?["urn:pando:event:ended"]?["node"]?.string?.hasPrefix(
                    "signer:") == true)
            #expect(try await phone.authorizeApp(service).outcome == "401 invalid_token")
            #expect(
                try await phone.refresh(service.refreshToken, at: "/services/learn/token").outcome
                    == "400 invalid_grant")
            #expect(try await other.authorizeApp(otherService).outcome == "200")
        }
    }

    private func header(of jwt: String) -> JSONValue {
        guard let bytes = Base64URL.decode(jwt.prefix { $0 != "." }) else { return .null }
        return (try? JSONReader.read(bytes)) ?? .null
    }

    @Test(
        """
        group 47: an assertion forged with the key is refused after the event, on a replica with an old key set too, \
        and what an earlier one got dies
        """
    )
    func forged() async throws {
        try await TestServer.with { server in
            try await server.withReplica { replica in
                let phone = try await Phone.registered(in: server),
                    assertion = try await phone.assertion(phone.logIn()), kid = try await active(server)
                let key = PhoneKey(), thief = thief(key, server), onReplica = self.thief(key, replica)
                var forgeries: [String] = []
                for _ in 0..<4 { forgeries.append(try await forgery(of: assertion, by: key, server)) }
                try await rotate(server)
                // Retiring keys are published: until now nobody can tell.
                let gained = try await thief.redeem(assertion: forgeries[0])
                #expect(gained.outcome == "200")
                #expect(try await onReplica.redeem(assertion: forgeries[1]).outcome == "200")

                try await revoke(kid, server)
                #expect(try await thief.authorizeApp(gained).outcome == "200", "not told yet")
                try await deliver(server)

                #expect(try await thief.authorizeApp(gained).outcome == "401 invalid_token")
                #expect(
                    try await thief.refresh(gained.refreshToken, at: "/services/learn/token").outcome
                        == "400 invalid_grant")
                for (place, forgery) in [(thief, forgeries[2]), (onReplica, forgeries[3])] {
                    let reply = try await place.redeem(assertion: forgery)
                    #expect(reply.outcome == "400 invalid_grant", "\(reply.body)")
                }
            }
        }
    }

    @Test("group 47: an event forged with the key ends nothing any more, on a replica with an old key set neither")
    func forgedEvent() async throws {
        try await TestServer.with { server in
            try await server.withReplica { replica in
                let phone = try await Phone.registered(in: server),
                    assertion = try await phone.assertion(phone.logIn()),
                    service = try await phone.redeem(assertion: assertion)
                let node = try #require(claims(of: assertion)["lineage"]?.strings?[2])
                try await rotate(server)
                let kid = try await active(server)
                let forged = try await server.parts.keys.sign(
                    type: "secevent+jwt",
                    claims: [
                        "iss": .string(ServerParts.root), "aud": .string(ServerParts.base), "jti": "forged",
                        "iat": .integer(server.now),
                        "events": ["urn:pando:event:ended": ["node": .string(node), "seq": 1]],
                    ])
                try await rotate(server)
                _ = try await Phone.registered(in: replica).joinService()

                try await revoke(kid, server)
                try await deliver(server)

                for place in [server, replica] {
                    let reply = try await place.send(
                        .post, "/services/learn/events", headers: [.contentType: "application/secevent+jwt"],
                        body: Array(forged.utf8))
                    #expect(reply.status == 400 && reply["err"] == "invalid_key", "\(reply.body)")
                }
                #expect(try await phone.authorizeApp(service).outcome == "200")
            }
        }
    }

    @Test(
        """
        group 47: keys end while two processes issue: afterwards nothing lives that they signed, and everything else \
        does
        """
    )
    func underLoad() async throws {
        try await TestServer.with(connections: 10) { server in
            try await server.withReplica { replica in
                let (id, secret) = server.residents.machine
                let basic: HTTPFields = [.authorization: "Basic \(Data("\(id):\(secret)".utf8).base64EncodedString())"]
                var (dead, alive) = (0, 0)
                for round in 0..<8 {
                    let kid = try await active(server)
                    async let asked = crowd(24) { number in
                        for _ in 0..<(number * 20) { await Task.yield() }
                        let place = number % 2 == 0 ? server : replica
                        return number % 3 == 0
                            ? try await Phone.registered(in: place).instance
                            : try await place.post("/token", ["grant_type": "client_credentials"], headers: basic)
                    }
                    for _ in 0..<(round * 20) { await Task.yield() }
                    let ended = try await revoke(kid, server).key.kids

                    let later = try await server.post("/token", ["grant_type": "client_credentials"], headers: basic)
                    for reply in try await asked + [later] {
                        try #require(reply.outcome == "200", "\(reply.body)")
                        let signer = try #require(header(of: reply.accessToken)["kid"]?.string),
                            id = try #require(NodeID(reply.jti))
                        let row = try #require(try await server.parts.store.find(id)),
                            counts = try await server.parts.keys.verify(try JWT(reply.accessToken))
                        #expect(counts == !ended.contains(signer))
                        #expect(row.isRevoked || counts, "a row that lives, signed by a key that ended")
                        if counts, !row.isRevoked { alive += 1 } else { dead += 1 }
                    }
                    let open: Int = try await server.database.value(
                        """
                        select count(*) from token t join ancestor a on a.kind = 'signer'
                            and a.id = any (t.lineage) join signing_key k on k.kid = a.name and k.status = 'revoked'
                        """)
                    #expect(open == 0, "round \(round)")
                }
                print("issuing against the end of keys over HTTP: \(dead) dead, \(alive) alive")
                #expect(alive > 0)
            }
        }
    }
}
