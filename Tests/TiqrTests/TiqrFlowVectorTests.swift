import Base
import Foundation
import ProtocolTestSupport
import TestSupport
import Testing

@testable import Tiqr

@Suite(
    "Published flows, answers, blocks and timeouts of other tiqr servers",
    .enabled(if: TiqrVectors.arePresent, TiqrVectors.whyNot))
struct TiqrFlowVectorTests {
    static func flow(_ name: String) throws -> [JSONValue] {
        let flows = try TiqrVectors.rows("flows", count: 10)
        return try #require(flows.first { $0.text("name") == name }?["steps"]?.array)
    }

    @Test("every flow has its test here")
    func names() throws {
        let names = try TiqrVectors.rows("flows", count: 10).compactMap { $0.text("name") }

        #expect(
            names == [
                "enroll happy path and one-time rules", "authentication results in order", "blocking after five",
                "counter resets on success", "challenge is one-time",
                "enrollment QR is one-time", "enrollment without push fields",
                "unfinished enrollment is replaced, a finished one is not", "status guards",
                "privacyIDEA fail counter",
            ])
    }

    // MARK: Logging in

    /// Departures: a block always tells its minutes, since iOS would otherwise block itself for ever (decisions.md,
    /// tiqr 3); a challenge dies after five wrong answers (4), so what follows is sent to another; of `n` attempts four
    /// are left after the first.
    static func ours(_ text: String) -> String {
        [
            "ACCOUNT_BLOCKED": "ACCOUNT_BLOCKED:10", "INVALID_RESPONSE:n": "INVALID_RESPONSE:4",
            "INVALID_RESPONSE:(n-1)": "INVALID_RESPONSE:3",
        ][text] ?? text
    }

    @Test(
        "scripts of answers",
        arguments: [
            ("blocking after five", 7), ("counter resets on success", 4), ("challenge is one-time", 2),
            ("privacyIDEA fail counter", 5),
        ])
    func answers(name: String, count: Int) async throws {
        let steps = try Self.flow(name)
        #expect(steps.count == count)
        try await TiqrFixture.with { fixture in
            let phone = try await fixture.enroll()
            var started = try await fixture.challenge(phone)
            for step in steps {
                let status = try await fixture.status(started)
                if step["poll"]?.bool == true {
                    #expect(step.text("expect") == "not authenticated" && status == .pending)
                    continue
                }
                if step["new_challenge"]?.bool == true || status == .failed {
                    started = try await fixture.challenge(phone)
                }
                let word = try #require(step.text("answer")), right = try phone.right(started)
                let wrong = try phone.wrong(started), response = ["right": right, "wrong": wrong][word] ?? word
                try #require(word == "right" || response != right, "a literal answer happened to be right")

                let answer = try await fixture.send(response, phone, to: started)

                #expect(answer.text == Self.ours(step.text("expect") ?? ""), "\(step)")
            }
        }
    }

    @Test("authentication results in order; the last steps, logging out of a browser, are the caller's here")
    func authentication() async throws {
        let steps = try Self.flow("authentication results in order")
        #expect(steps.count == 8)
        try await TiqrFixture.with { fixture in
            let phone = try await fixture.enroll(), other = try await fixture.enroll(),
                started = try await fixture.challenge(phone), right = try phone.right(started)
            let session = phone.parts(started.authURL).session
            #expect(session.wholeMatch(of: #/[0-9a-f]{32}/#) != nil)

            let answers = [
                try await fixture.send("1234567", phone, to: started),
                try await fixture.send(
                    right, phone, to: started, adding: ["sessionKey": String(repeating: "ab", count: 16)]),
                try await fixture.send(right, phone, to: started, adding: ["userId": other.identity]),
            ]
            let before = try await fixture.status(started)
            let last = [
                try await fixture.send(right, phone, to: started), try await fixture.send(right, phone, to: started),
            ]
            let after = try await fixture.service.authentication(started.view.id, for: TiqrFixture.shop)

            // Attempts are always told: without them Android takes the account for lost.
            let told = (answers + last).map(\.text),
                wanted = steps.dropFirst().prefix(5).map { $0.text("expect") ?? "" }
            #expect(told == wanted.map { $0 == "INVALID_RESPONSE" ? "INVALID_RESPONSE:4" : $0 })
            #expect(before == .pending && after.status == .authenticated && after.identity == phone.identity)
        }
    }

    // MARK: Enrolling

    @Test(
        """
        enrolling, and what works once; PROCESSED is no state here, as the secret is checked and stored in one \
        transaction (decisions.md, tiqr 5)
        """
    )
    func enrolling() async throws {
        let steps = try Self.flow("enroll happy path and one-time rules")
        #expect(steps.count == 10)
        try await TiqrFixture.with { fixture in
            var states: [String] = []
            await #expect { try await fixture.service.enrollment("unknown", for: TiqrFixture.shop) } throws: {
                ($0 as? TiqrRefusal)?.status == 404
            }
            let started = try await fixture.service.startEnrollment(
                EnrollmentDraft(displayName: "Ada"), by: TiqrFixture.shop)
            func note() async throws {
                states.append(
                    try await fixture.service.enrollment(started.view.id, for: TiqrFixture.shop).status.rawValue
                        .uppercased())
            }
            let key = TiqrFixture.value("enrollment_key", in: started.metadataURL)
            #expect(
                key.wholeMatch(of: #/[0-9a-f]{32}/#) != nil
                    && started.enrollURL == "tiqrenroll://" + started.metadataURL)
            try await note()
            let secret = try await fixture.scan(started), second = try await fixture.service.metadata(key: key)
            #expect(secret.wholeMatch(of: #/[0-9a-f]{32}/#) != nil && second == nil)
            try await note()
            let phone = EnrolledPhone(
                enrollment: started.view.id, identity: started.view.identity, secret: [UInt8].random(count: 32))
            let first = try await fixture.service.register(secret: secret, form: phone.registration, origin: nil)
            try await note()
            let again = try await fixture.service.register(secret: secret, form: phone.registration, origin: nil)

            #expect(first == .enrolled && again.responseCode == 101)
            let published = steps.compactMap { $0["expect"]?["status"]?.string }
            #expect(published == ["INITIALIZED", "INITIALIZED", "RETRIEVED", "PROCESSED", "FINALIZED"])
            #expect(states == ["INITIALIZED", "RETRIEVED", "FINALIZED"])
        }
    }

    @Test("an enrollment's QR code works once, and a phone without push enrolls and logs in")
    func once() async throws {
        let qr = try Self.flow("enrollment QR is one-time"), bare = try Self.flow("enrollment without push fields")
        #expect(qr.count == 2 && bare.compactMap { $0.text("expect") } == ["OK", "OK"])
        try await TiqrFixture.with { fixture in
            let
                started = try await fixture.service.startEnrollment(
                    EnrollmentDraft(displayName: "Ada"), by: TiqrFixture.shop), secret = try await fixture.scan(started)
            let phone = EnrolledPhone(
                enrollment: started.view.id, identity: started.view.identity, secret: [UInt8].random(count: 32))
            #expect(phone.registration["notificationType"] == nil)

            let enrolled = try await fixture.service.register(secret: secret, form: phone.registration, origin: nil)
            let metadata = try await fixture.service.metadata(
                key: TiqrFixture.value("enrollment_key", in: started.metadataURL))
            let challenge = try await fixture.challenge(phone),
                answer = try await fixture.send(try phone.right(challenge), phone, to: challenge)

            #expect(enrolled.text == "OK" && metadata == nil && answer.text == "OK")
        }
    }

    @Test(
        """
        guards of states; beginning again leaves an earlier enrollment and a finished one as they are: a person may \
        have several phones (issue 5)
        """
    )
    func guards() async throws {
        let steps = try Self.flow("status guards"),
            replacing = try Self.flow("unfinished enrollment is replaced, a finished one is not")
        #expect(steps.count == 4 && steps.allSatisfy { $0.text("expect") == "error" })
        #expect(replacing.count == 2)
        try await TiqrFixture.with { fixture in
            let draft = EnrollmentDraft(displayName: "Ada", externalID: "ada")
            let first = try await fixture.service.startEnrollment(draft, by: TiqrFixture.shop)
            await #expect {
                try await fixture.service.startAuthentication(
                    AuthenticationDraft(identity: first.view.identity), by: TiqrFixture.shop)
            } throws: {
                ($0 as? TiqrRefusal)?.status == 404
            }
            let secret = try await fixture.scan(first),
                again = try await fixture.service.metadata(
                    key: TiqrFixture.value("enrollment_key", in: first.metadataURL))
            let phone = EnrolledPhone(
                enrollment: first.view.id, identity: first.view.identity, secret: [UInt8].random(count: 32))
            let second = try await fixture.service.startEnrollment(draft, by: TiqrFixture.shop)
            let enrolled = try await fixture.service.register(secret: secret, form: phone.registration, origin: nil)
            let refused = try await fixture.service.register(secret: secret, form: phone.registration, origin: nil)
            let challenge = try await fixture.challenge(phone), right = try phone.right(challenge)
            let answers = [
                try await fixture.send(right, phone, to: challenge),
                try await fixture.send(right, phone, to: challenge),
            ]
            let third = try await fixture.service.startEnrollment(draft, by: TiqrFixture.shop)

            #expect(
                again == nil && enrolled == .enrolled && refused != .enrolled
                    && answers == [.authenticated, .invalidChallenge])
            #expect(Set([first, second, third].map(\.view.identity)).count == 3)
            let status = try await fixture.service.enrollment(second.view.id, for: TiqrFixture.shop).status
            #expect(status == .initialized)
        }
    }

    @Test("metadata has what the apps cannot do without")
    func metadata() async throws {
        let required = try #require(try TiqrVectors.all()["metadata_required_fields"])
        try await TiqrFixture.with { fixture in
            let started = try await fixture.service.startEnrollment(
                EnrollmentDraft(displayName: "Ada"), by: TiqrFixture.shop)
            let metadata = try #require(
                try await fixture.service.metadata(key: TiqrFixture.value("enrollment_key", in: started.metadataURL)))

            for part in ["service", "identity"] {
                let names = try #require(required[part]?.strings)
                for name in names { #expect(metadata[part]?.text(name) != nil, "\(part).\(name)") }
            }
        }
    }

    // MARK: Answers, blocks, timeouts

    @Test("the bodies of answers, in both protocols")
    func bodies() throws {
        let enrolling: [String: RegisterAnswer] = ["enrolled": .enrolled, "enrollment failed": .refused("why")]
        let logins: [String: LoginAnswer] = [
            "authenticated": .authenticated, "wrong response, 4 attempts left": .wrong(attemptsLeft: 4),
            "invalid request": .invalidRequest,
            "unknown, used or expired challenge": .invalidChallenge, "blocked for 10 minutes": .blocked(minutes: 10),
            "other user than asked for": .invalidUser,
        ]
        // A fault is 503 and no answer; attempts are always limited; a block without end says a day, or iOS would never
        // let go of it.
        let departures: Set<String> = ["general error", "wrong response, no limit", "blocked for good"]
        var seen: Set<String> = []
        for row in try TiqrVectors.rows("response_bodies", count: 11) {
            let name = try #require(row.text("case")), text = row.text("v1"), json = row["v2"]
            if let answer = logins[name] {
                #expect(answer.text == text && answer.json == json, "\(name)")
            } else if let answer = enrolling[name] {
                #expect(answer.text == text && answer.json["responseCode"] == json?["responseCode"], "\(name)")
            } else {
                #expect(departures.contains(name), "\(name)")
            }
            seen.insert(name)
        }
        #expect(seen == departures.union(logins.keys).union(enrolling.keys))
    }

    @Test("whether the old server's blocks hold is read as it read them")
    func blocks() throws {
        let now = Date(numericDate: 1_800_000_000)
        for row in try TiqrVectors.rows("block_semantics", count: 4) {
            let ago = try #require(row["blocked_at_minutes_ago"]?.integer),
                minutes = try #require(row["duration_minutes"]?.integer)
            let until = ImportedUser.blockedUntil(now.numericDate - ago * 60, minutes: minutes, now: now)
            let ladder = BlockLadder(forGood: row["permanently"]?.bool == true, until: until, failures: 0)

            #expect((ladder.minutesLeft(at: now) != nil) == row["is_blocked"]?.bool, "\(row)")
        }
    }

    @Test(
        "a page that wants an enrollment to end some seconds early begins it with so many less: there is no offset here"
    )
    func timeouts() async throws {
        let rows = try TiqrVectors.rows("browser_timeouts", count: 6)
        try await TiqrFixture.with { fixture in
            let timeout = try #require(rows.first?["timeout"]?.integer),
                offset = try #require(rows.first?["offset"]?.integer)
            let draft = EnrollmentDraft(displayName: "Ada", expiresIn: timeout - offset),
                started = try await fixture.service.startEnrollment(draft, by: TiqrFixture.shop)
            var passed = 0
            for row in rows.sorted(by: { ($0["now"]?.integer ?? 0) < ($1["now"]?.integer ?? 0) }) {
                try #require(
                    row["started"]?.integer == 0 && row["timeout"]?.integer == timeout
                        && row["offset"]?.integer == offset)
                let now = try #require(row["now"]?.integer)
                fixture.time.advance(TimeInterval(now - passed))
                passed = now

                let status = try await fixture.service.enrollment(started.view.id, for: TiqrFixture.shop).status

                #expect((status == .expired) == row["timed_out"]?.bool, "\(now)")
            }
        }
    }
}
