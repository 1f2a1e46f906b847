import Base
import Foundation
import HTTPTypes
import TestSupport
import Testing

@Suite("tiqr: a phone answers a challenge", .server)
struct TiqrAuthenticationTests {
    /// A relying party, a phone of this system and the identity on it.
    private func enrolled(
        _ system: TiqrPhone.System = .ios, in server: TestServer? = nil, push: (String, String)? = ("APNS", "A1B2C3D4")
    ) async throws
        -> (party: TiqrParty, phone: TiqrPhone, identity: PhoneIdentity)
    {
        let home = if let server { server } else { try TestServer.ofSuite }
        let party = try await TiqrParty.movedIn(home),
            phone = TiqrPhone(home, system, push: push.map { (type: $0.0, address: $0.1) })
        return (party, phone, try await party.enroll(phone))
    }

    @Test("the right answer logs in, once", arguments: TiqrPhone.System.allCases)
    func right(_ system: TiqrPhone.System) async throws {
        let (party, phone, identity) = try await enrolled(system),
            started = try await party.startAuthentication(for: identity)
        #expect(started["status"] == "pending" && started["push"] == "none")

        let answer = try await phone.answer(started.authURL, identity),
            again = try await phone.answer(started.authURL, identity)

        #expect(
            answer.body == (system == .legacy ? "OK" : "{\"responseCode\":1}")
                && again.body == (system == .legacy ? "INVALID_CHALLENGE" : "{\"responseCode\":203}"))
        let done = try await party.call(.get, "/authentications/\(started.id)")
        #expect(
            done["status"] == "authenticated" && done["identity"] == identity.name && done["method"] == "online"
                && done["authenticated_at"] != nil)
    }

    @Test(
        "wrong answers count down and leave the challenge alive; the fifth blocks for ten minutes",
        arguments: TiqrPhone.System.allCases)
    func wrong(_ system: TiqrPhone.System) async throws {
        let (party, phone, identity) = try await enrolled(system),
            started = try await party.startAuthentication(for: identity), link = started.authURL
        let bad = identity.wrongAnswer(TiqrChallenge(link))

        for left in [4, 3, 2, 1] {
            let reply = try await phone.answer(link, identity, response: bad)
            #expect(
                reply.status == 200
                    && reply.body
                        == (system == .legacy
                            ? "INVALID_RESPONSE:\(left)" : "{\"responseCode\":201,\"attemptsLeft\":\(left)}")
            )
        }
        #expect(try await party.status("/authentications/\(started.id)") == "pending")
        let last = try await phone.answer(link, identity, response: bad)

        #expect(last.body == (system == .legacy ? "ACCOUNT_BLOCKED:10" : "{\"responseCode\":204,\"duration\":10}"))
        #expect(try await party.status("/authentications/\(started.id)") == "failed")
        let known = try await party.identity(identity)
        #expect(known["status"] == "blocked" && known["attempts_left"] == 0 && known["blocked_until"] != nil)
        let next = try await party.startAuthentication(for: identity),
            blocked = try await phone.answer(next.authURL, identity)
        #expect(blocked.body == last.body, "the right answer too")
    }

    @Test("a right answer fills the attempts up again")
    func filled() async throws {
        let (party, phone, identity) = try await enrolled(),
            link = try await party.startAuthentication(for: identity).authURL
        _ = try await phone.answer(link, identity, response: identity.wrongAnswer(TiqrChallenge(link)))
        #expect(try await party.identity(identity)["attempts_left"] == 4)

        #expect(try await phone.logsIn(link, identity))

        #expect(try await party.identity(identity)["attempts_left"] == 5)
    }

    @Test(
        "answers of other shapes are wrong answers",
        arguments: ["1234567", "12345", "abcdef", "0", "      ", "１２３４５６", String(repeating: "1", count: 64)])
    func shapes(_ response: String) async throws {
        let (party, phone, identity) = try await enrolled(),
            link = try await party.startAuthentication(for: identity).authURL

        #expect(
            try await phone.answer(link, identity, response: response).body
                == "{\"responseCode\":201,\"attemptsLeft\":4}")
    }

    @Test(
        "a missing or repeated field, another operation or an endless answer is 202 and not counted",
        arguments: [
            "sessionKey", "userId", "response", "operation", "twice", "other", "long",
        ])
    func malformed(_ what: String) async throws {
        let (party, phone, identity) = try await enrolled(.android),
            link = try await party.startAuthentication(for: identity).authURL

        let twice = [
            ("sessionKey", "a"), ("sessionKey", "a"), ("userId", identity.name), ("response", "123456"),
            ("operation", "login"),
        ]
        let reply =
            switch what {
            case "twice": try await phone.post(identity.authenticationURL, twice)
            case "other": try await phone.answer(link, identity, changes: ["operation": "register"])
            case "long": try await phone.answer(link, identity, response: String(repeating: "1", count: 65))
            default: try await phone.answer(link, identity, changes: [what: nil])
            }

        #expect(reply.status == 200 && reply.body == "{\"responseCode\":202}")
        #expect(try await party.identity(identity)["attempts_left"] == 5)
        let legacy = TiqrPhone(party.server, .legacy)
        #expect(try await legacy.post(identity.authenticationURL, []).body == "INVALID_REQUEST")
    }

    @Test("an unknown session is 203, another's or an unknown user 205; neither is counted")
    func strangers() async throws {
        let (party, phone, identity) = try await enrolled(),
            link = try await party.startAuthentication(for: identity).authURL, other = try await party.enroll(phone)

        #expect(
            try await phone.answer(link, identity, changes: ["sessionKey": String(repeating: "0", count: 32)]).code
                == 203)
        for user in [other.name, "nobody-at-all"] {
            #expect(try await phone.answer(link, identity, user: user).code == 205)
        }
        #expect(
            try await TiqrPhone(party.server, .legacy).answer(link, identity, user: "nobody").body == "INVALID_USERID")

        for one in [identity, other] { #expect(try await party.identity(one)["attempts_left"] == 5) }
        #expect(try await phone.logsIn(link, identity))
    }

    @Test("without an identity the phone chooses, and wrong answers count for whom it chose")
    func chosen() async throws {
        let (party, phone, identity) = try await enrolled(), started = try await party.startAuthentication(),
            link = started.authURL
        #expect(TiqrChallenge(link).user == nil)
        #expect(try await party.call(.get, "/authentications/\(started.id)").json["identity"] == nil)

        #expect(try await phone.answer(link, identity, response: identity.wrongAnswer(TiqrChallenge(link))).code == 201)
        #expect(try await party.identity(identity)["attempts_left"] == 4)
        #expect(try await phone.logsIn(link, identity))

        #expect(try await party.call(.get, "/authentications/\(started.id)")["identity"] == identity.name)
    }

    @Test("of twenty guesses at once four are told what is left, one blocks, and none gets through")
    func guesses() async throws {
        let (party, phone, identity) = try await enrolled(.android),
            link = try await party.startAuthentication(for: identity).authURL
        let right = Int(phone.password(link, identity)) ?? 0

        let replies = try await crowd(20) { number in
            try await phone.answer(
                link, identity, response: String(String(1_000_000 + (right + 1 + number) % 1_000_000).dropFirst()))
        }

        #expect(replies.compactMap { $0.json["attemptsLeft"]?.integer }.sorted() == [1, 2, 3, 4])
        #expect(replies.contains { $0.code == 204 } && Set(replies.compactMap(\.code)).isSubset(of: [201, 203, 204]))
        let next = try await party.startAuthentication(for: identity)
        #expect(try await phone.answer(next.authURL, identity).code == 204)
    }

    @Test("the ladder: 10, 20, 40 minutes; time ends a block, and a right answer goes back to the first step")
    func ladder() async throws {
        try await TestServer.with { server in
            let (first, phone, identity) = try await enrolled(.android, in: server)
            func block(_ party: TiqrParty) async throws -> Int? {
                let link = try await party.startAuthentication(for: identity).authURL
                var last: Reply?
                for _ in 0..<5 {
                    last = try await phone.answer(link, identity, response: identity.wrongAnswer(TiqrChallenge(link)))
                }
                return last?.json["duration"]?.integer
            }
            for minutes in [10, 20, 40] {
                let party = try await first.renewed()
                #expect(try await block(party) == minutes)
                server.time.advance(TimeInterval(minutes * 60 - 30))
                let early = try await party.startAuthentication(for: identity)
                #expect(try await phone.answer(early.authURL, identity).json["duration"] == 1, "rounded up")
                server.time.advance(31)
            }
            let party = try await first.renewed(), link = try await party.startAuthentication(for: identity).authURL
            #expect(try await phone.logsIn(link, identity))

            #expect(try await block(party) == 10)
        }
    }

    @Test("expired and cancelled challenges are 203")
    func over() async throws {
        try await TestServer.with { server in
            let (party, phone, identity) = try await enrolled(in: server)
            let short = try await party.startAuthentication(["identity": .string(identity.name), "expires_in": 1])
            let cancelled = try await party.startAuthentication(for: identity)

            #expect(try await party.call(.delete, "/authentications/\(cancelled.id)").status == 204)
            server.time.advance(2)

            for started in [short, cancelled] { #expect(try await phone.answer(started.authURL, identity).code == 203) }
            #expect(try await party.status("/authentications/\(short.id)") == "expired")
            #expect(try await party.status("/authentications/\(cancelled.id)") == "cancelled")
            for started in [short, cancelled] {
                #expect(try await party.call(.delete, "/authentications/\(started.id)").outcome == "409 conflict")
            }
        }
    }

    @Test("address and type are taken over by a right answer only")
    func address() async throws {
        let (party, phone, identity) = try await enrolled(.android, push: nil),
            link = try await party.startAuthentication(for: identity).authURL
        var moved = phone
        moved.push = ("FCM_DIRECT", String(repeating: "d", count: 300))

        _ = try await moved.answer(link, identity, response: identity.wrongAnswer(TiqrChallenge(link)))
        #expect(try await party.identity(identity)["push"] == false)
        #expect(try await moved.logsIn(link, identity))

        let known = try await party.identity(identity)
        #expect(known["push"] == true && known["notification_type"] == "FCM_DIRECT")
    }

    @Test("a removed identity is refused from then on")
    func removed() async throws {
        let (party, phone, identity) = try await enrolled(),
            link = try await party.startAuthentication(for: identity).authURL

        #expect(try await party.call(.delete, "/identities/\(identity.name)").status == 204)

        #expect(try await phone.answer(link, identity).code == 205)
        #expect(
            try await party.call(.post, "/authentications", ["identity": .string(identity.name)]).outcome
                == "404 not_found")
        #expect(try await party.call(.get, "/identities/\(identity.name)").outcome == "404 not_found")
    }

    @Test("while the database is away a phone is not refused: 503")
    func databaseAway() async throws {
        try await TestServer.with { server in
            let (party, phone, identity) = try await enrolled(in: server),
                link = try await party.startAuthentication(for: identity).authURL
            try await server.withoutDatabase { away in
                let lost = TiqrPhone(away, .android)
                let answered = try await lost.answer(link, identity).outcome
                #expect(answered == "503 temporarily_unavailable")
                let metadata =
                    "tiqrenroll://\(ServerParts.tiqrBase)/metadata?enrollment_key=\(String(repeating: "a", count: 32))"
                let fetched = try await lost.fetchMetadata(metadata).outcome
                #expect(fetched == "503 temporarily_unavailable")
            }
            #expect(try await phone.logsIn(link, identity))
        }
    }
}
