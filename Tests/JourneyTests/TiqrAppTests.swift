import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing
import TokenTree

@Suite("tiqr: apps, and passwords that are typed", .server)
struct TiqrAppTests {
    /// The back office as an app calls it.
    private func party(
        _ phone: Phone, as user: String = "ada"
    ) async throws -> (party: TiqrParty, token: Reply, service: Reply) {
        let granted = try await phone.tiqrApp(as: user), client = try await TiqrParty.movedIn(phone.server).client
        return (
            TiqrParty(server: phone.server, client: client, token: granted.app.accessToken), granted.app,
            granted.service
        )
    }

    @Test("an app enrolls and logs in its own person, on any of that person's phones, and sees nobody else's")
    func ownPerson() async throws {
        let server = try TestServer.ofSuite, ada = try await Phone.registered(in: server),
            again = try await Phone.registered(in: server)
        let bob = try await Phone.registered(in: server)
        let app = try await party(ada).party, other = try await party(again).party,
            stranger = try await party(bob, as: "bob").party

        let phone = TiqrPhone(server), identity = try await app.enroll(phone),
            login = try await app.startAuthentication(for: identity)
        #expect(try await phone.logsIn(login.authURL, identity))

        #expect(try await app.status("/authentications/\(login.id)") == "authenticated")
        #expect(try await other.status("/identities/\(identity.name)") == "active")
        #expect(try await stranger.status("/identities/\(identity.name)") == "404 not_found")
        #expect(
            try await stranger.call(.post, "/authentications", ["identity": .string(identity.name)]).outcome
                == "404 not_found")
    }

    @Test("identifiers are not for apps")
    func identifiers() async throws {
        let app = try await party(Phone.registered(in: TestServer.ofSuite)).party
        let body: JSONValue = [
            "identifier": "app.example.org", "display_name": "x", "suite": "OCRA-1:HOTP-SHA1-6:QH10-S064",
        ]

        #expect(try await app.call(.post, "/identifiers", body).outcome == "403 forbidden")
        #expect(try await app.call(.get, "/identifiers").outcome == "403 forbidden")
    }

    @Test("a service token is no app token, and an app token of another service is none here")
    func otherTokens() async throws {
        let server = try TestServer.ofSuite, ada = try await Phone.registered(in: server),
            granted = try await ada.tiqrApp(), learn = try await ada.joinService()
        let path = TiqrParty.path + "/authentications", foreign = try await ada.authorizeApp(learn)
        try #require(foreign.outcome == "200")

        #expect(
            try await server.post(path, json: [:], headers: ada.dpop(.post, path, token: granted.service.accessToken))
                .outcome == "403 insufficient_scope")
        #expect(
            try await server.post(path, json: [:], headers: [.authorization: "Bearer \(foreign.accessToken)"]).outcome
                == "401 invalid_token")
    }

    @Test("when the app's token is revoked, what it began has ended: the phone is told so")
    func revoked() async throws {
        let server = try TestServer.ofSuite, ada = try await Phone.registered(in: server),
            (app, token, _) = try await party(ada)
        let phone = TiqrPhone(server), identity = try await app.enroll(phone),
            login = try await app.startAuthentication(for: identity)
        let begun = try await app.startEnrollment()

        #expect(
            try await server.post(
                TiqrParty.path + "/revoke", ["token": token.accessToken],
                headers: [.authorization: "Bearer \(token.accessToken)"]
            ).status == 200)

        #expect(try await app.call(.get, "/authentications/\(login.id)").outcome == "401 invalid_token")
        #expect(try await phone.answer(login.authURL, identity).code == 203)
        #expect(try await phone.fetchMetadata(begun.enrollURL).outcome == "404 not_found")
        let picture = String((begun.json["qr"]?["png"]?.string ?? "").dropFirst(ServerParts.root.count))
        #expect(try await server.get(picture).outcome == "404 not_found")
        let successor = try await party(ada).party
        #expect(try await successor.status("/authentications/\(login.id)") == "cancelled")
        #expect(try await successor.status("/identities/\(identity.name)") == "new", "what was finished stays")
    }

    @Test("a machine's token ends with its client")
    func clientRevoked() async throws {
        let party = try await TiqrParty.movedIn(TestServer.ofSuite)
        #expect(try await party.call(.get, "/identities").status == 200)

        try await party.server.parts.revocation.revoke(.virtual(Ancestor(.client, party.client.id)), by: .server)

        #expect(try await party.call(.get, "/identities").outcome == "401 invalid_token")
    }

    @Test("a service may introspect tokens that were made for it, and no other's")
    func introspected() async throws {
        let server = try TestServer.ofSuite, (machine, secret) = server.residents.machine,
            learn = server.residents.learn
        func basic(_ id: String, _ secret: String) -> HTTPFields {
            [.authorization: "Basic \(Data("\(id):\(secret)".utf8).base64EncodedString())"]
        }
        func look(_ token: Reply) async throws -> Reply {
            try await server.post("/introspect", ["token": token.accessToken], headers: basic(learn.id, learn.secret))
        }
        let meant = try await server.post(
            "/token", ["grant_type": "client_credentials", "resource": ServerParts.base],
            headers: basic(machine, secret))
        let other = try await server.post(
            "/token", ["grant_type": "client_credentials"], headers: basic(machine, secret))

        let live = try await look(meant)

        #expect(
            live.json["active"] == true && live["client_id"] == machine && live["aud"] == ServerParts.base
                && live["scope"] == "read write")
        #expect(try await look(other).json == ["active": false])
    }

    @Test(
        """
        a typed password: blanks do not count, other shapes are refused uncounted, one counter with the phone's \
        answers
        """
    )
    func typed() async throws {
        let party = try await TiqrParty.movedIn(TestServer.ofSuite), phone = TiqrPhone(party.server),
            identity = try await party.enroll(phone, ["external_id": "ada"])
        let started = try await party.startAuthentication(for: identity), path = "/authentications/\(started.id)",
            right = phone.password(started.authURL, identity)
        func send(_ otp: String) async throws -> Reply {
            try await party.call(.post, path + "/otp", ["otp": .string(otp)])
        }

        for shape in ["", "12345", "1234567", "12a456", "１２３４５６"] {
            #expect(try await send(shape).outcome == "400 invalid_request", "\(shape)")
        }
        let wrong = try await send(identity.wrongAnswer(TiqrChallenge(started.authURL)))
        #expect(wrong.outcome == "403 invalid_otp" && wrong.json["attempts_left"] == 4)
        #expect(
            try await phone.answer(
                started.authURL, identity, response: identity.wrongAnswer(TiqrChallenge(started.authURL))
            ).json["attemptsLeft"] == 3)
        let done = try await send(" \(right.prefix(3)) \(right.suffix(3)) ")

        #expect(
            done.status == 200 && done["status"] == "authenticated" && done["method"] == "otp"
                && done["identity"] == identity.name && done["external_id"] == "ada")
        #expect(try await send(right).outcome == "409 invalid_challenge")
        #expect(try await phone.answer(started.authURL, identity).code == 203)
    }

    @Test("a typed password for a blocked identity is refused with minutes; without any identity it is asked for")
    func typedBlocked() async throws {
        let party = try await TiqrParty.movedIn(TestServer.ofSuite), phone = TiqrPhone(party.server),
            identity = try await party.enroll(phone)
        let anybody = try await party.startAuthentication(), right = phone.password(anybody.authURL, identity)
        _ = try await party.call(.put, "/identities/\(identity.name)/block", ["minutes": 5])
        let path = "/authentications/\(anybody.id)/otp",
            named: JSONValue = ["otp": .string(right), "identity": .string(identity.name)]

        #expect(try await party.call(.post, path, ["otp": .string(right)]).outcome == "400 invalid_request")
        #expect(try await party.call(.post, path, [:]).outcome == "400 invalid_request")
        let blocked = try await party.call(.post, path, named)
        #expect(blocked.outcome == "403 account_blocked" && blocked.json["duration"] == 5)
        _ = try await party.call(.delete, "/identities/\(identity.name)/block")
        #expect(try await party.call(.post, path, named).status == 200)
        #expect(try await party.call(.post, "/authentications/none/otp", named).outcome == "404 not_found")
    }
}
