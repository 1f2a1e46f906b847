import Base
import Database
import Foundation
import TestSupport
import Testing
import TokenTree

@testable import Tiqr

@Suite("backoffice.md: answers that come together")
struct AnswerGatheringTests {
    private static func form(
        _ response: String, _ phone: EnrolledPhone, _ started: StartedAuthentication
    ) -> [String: String] {
        [
            "operation": "login", "sessionKey": phone.parts(started.authURL).session, "userId": phone.identity,
            "response": response,
        ]
    }

    @Test("of many right ones at once each logs in as itself, with its line, its origin and its address")
    func together() async throws {
        try await TiqrFixture.with { fixture in
            let phones = try await crowd(60) { try await fixture.enroll(externalID: "person \($0)") }
            let started = try await crowd(60) { try await fixture.challenge(phones[$0]) }

            let answers = try await crowd(60) { number in
                var form = Self.form(try phones[number].right(started[number]), phones[number], started[number])
                if number.isMultiple(of: 2) {
                    form["notificationType"] = "APNS_DIRECT"
                    form["notificationAddress"] = "AB\(number)"
                }
                return try await fixture.service.login(
                    form: form, origin: number.isMultiple(of: 3) ? "192.0.2.\(number)" : nil)
            }

            #expect(answers.allSatisfy { $0 == .authenticated })
            for number in 0..<60 {
                let phone = phones[number], hasAddress = number.isMultiple(of: 2)
                let view = try await fixture.service.authentication(started[number].view.id, for: TiqrFixture.shop)
                #expect(view.status == .authenticated && view.identity == phone.identity)
                #expect(view.externalID == "person \(number)" && view.method == .online)
                let identity = try await fixture.service.identity(phone.identity, for: TiqrFixture.shop)
                #expect(identity.status == .active)
                #expect(identity.notificationAddress == (hasAddress ? "AB\(number)" : nil))
                #expect(identity.notificationType == (hasAddress ? "APNS_DIRECT" : nil))
                let enrollment = try await fixture.service.enrollment(phone.enrollment, for: TiqrFixture.shop)
                #expect(enrollment.status == .validated)
                let lines = try await fixture.logins(of: phone)
                #expect(lines == ["\(number.isMultiple(of: 3) ? "192.0.2.\(number)" : "-") online client:shop"])
            }
        }
    }

    @Test("one phone that answers twenty challenges at once logs in by each")
    func onePhone() async throws {
        try await TiqrFixture.with { fixture in
            let phone = try await fixture.enroll()
            let started = try await crowd(20) { _ in try await fixture.challenge(phone) }

            let answers = try await crowd(20) { number in
                try await fixture.send(try phone.right(started[number]), phone, to: started[number])
            }

            #expect(answers.allSatisfy { $0 == .authenticated })
            #expect(try await fixture.logins(of: phone).count == 20)
        }
    }

    @Test("of ten phones that answer one challenge at once one logs in")
    func oneChallenge() async throws {
        try await TiqrFixture.with { fixture in
            let phones = try await crowd(10) { _ in try await fixture.enroll() }
            let started = try await fixture.challenge(nil)

            let answers = try await crowd(10) { number in
                try await fixture.send(try phones[number].right(started), phones[number], to: started)
            }

            #expect(answers.count { $0 == .authenticated } == 1)
            #expect(answers.count { $0 == .invalidChallenge } == 9)
            let winner = try #require(answers.firstIndex(of: .authenticated))
            let view = try await fixture.service.authentication(started.view.id, for: TiqrFixture.shop)
            #expect(view.identity == phones[winner].identity)
            for (number, phone) in phones.enumerated() {
                let lines = try await fixture.logins(of: phone)
                #expect(lines.count == (number == winner ? 1 : 0))
            }
        }
    }

    @Test("right and wrong ones at once are each answered for itself; the wrong ones count")
    func mixed() async throws {
        try await TiqrFixture.with { fixture in
            let phones = try await crowd(30) { _ in try await fixture.enroll() }
            let started = try await crowd(30) { try await fixture.challenge(phones[$0]) }

            let answers = try await crowd(30) { number in
                let phone = phones[number], one = started[number]
                return try await fixture.send(
                    number.isMultiple(of: 3) ? try phone.wrong(one) : try phone.right(one), phone, to: one)
            }

            for (number, answer) in answers.enumerated() {
                #expect(answer == (number.isMultiple(of: 3) ? .wrong(attemptsLeft: 4) : .authenticated))
            }
        }
    }

    @Test("one that waits for its app token's revocation holds none of the others up, and is refused")
    func patience() async throws {
        try await TiqrFixture.with { fixture in
            let token = try await fixture.tree.child(of: try await fixture.tree.instance(), .appToken, refresh: .init())
                .row
            let app = TiqrCaller.app(person: "ada", token: token, actor: AuditActor(name: "bundle:app"))
            let held = try await fixture.enroll(for: app), login = try await fixture.challenge(held, for: app)
            let phones = try await crowd(40) { _ in try await fixture.enroll() }
            let started = try await crowd(40) { try await fixture.challenge(phones[$0]) }
            let right = try held.right(login)

            let waiting = try await fixture.database.transaction { transaction in
                _ = try await fixture.tree.revocation.revoke(.token(token.family), by: .server, in: transaction)
                let waiting = Task { try await fixture.send(right, held, to: login) }
                let answers = try await crowd(40) { number in
                    let phone = phones[number], one = started[number]
                    return try await fixture.send(try phone.right(one), phone, to: one)
                }
                #expect(answers.allSatisfy { $0 == .authenticated })
                return waiting
            }

            #expect(try await waiting.value == .invalidChallenge)
            #expect(try await fixture.logins(of: held).isEmpty)
        }
    }

    @Test("one whose identity another holds for longer than the others have patience logs in when that is over")
    func heldIdentity() async throws {
        try await TiqrFixture.with { fixture in
            let phones = try await crowd(20) { _ in try await fixture.enroll() }
            let started = try await crowd(20) { try await fixture.challenge(phones[$0]) }

            let waiting = try await fixture.database.transaction { transaction in
                try await transaction.execute(
                    "select from tiqr_identity where identity = \(phones[0].identity) for update")
                let right = try phones[0].right(started[0])
                let waiting = Task { try await fixture.send(right, phones[0], to: started[0]) }
                let answers = try await crowd(19) { number in
                    let phone = phones[number + 1], one = started[number + 1]
                    return try await fixture.send(try phone.right(one), phone, to: one)
                }
                #expect(answers.allSatisfy { $0 == .authenticated })
                return waiting
            }

            #expect(try await waiting.value == .authenticated)
        }
    }

    @Test("who gives up waiting for the answer to a wrong one is counted all the same")
    func impatient() async throws {
        try await TiqrFixture.with { fixture in
            let phone = try await fixture.enroll(), started = try await fixture.challenge(phone)

            let first = try await Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await fixture.send(try phone.wrong(started), phone, to: started)
            }.value
            let second = try await fixture.send(try phone.wrong(started), phone, to: started)

            #expect(first == .wrong(attemptsLeft: 4) && second == .wrong(attemptsLeft: 3))
        }
    }

    @Test("names that Swift takes for one, and the database for two, are asked for as two")
    func likeNames() {
        let keys = ["K", "\u{212A}"].map { ChallengedPerson.PhoneKey(hash: [1], identity: $0) }

        #expect(keys[0].identity == keys[1].identity)
        #expect(Set(keys).count == 2)
        #expect(keys.map { Array($0.identity.utf8) } == [[0x4B], [0xE2, 0x84, 0xAA]])
    }

    // MARK: What has changed since it was read

    @Test("begun under a lineage that has moved since, it is read anew, and nothing is written before")
    func movedLineage() async throws {
        try await TiqrFixture.with { fixture in
            let tree = fixture.tree
            let token = try await tree.child(of: try await tree.instance(), .appToken, refresh: .init()).row
            let app = TiqrCaller.app(person: "ada", token: token, actor: AuditActor(name: "bundle:app"))
            let phone = try await fixture.enroll(for: app), login = try await fixture.challenge(phone, for: app)
            let stale = try await fixture.rightAnswer(phone, login)
            let other = try await tree.store.generations(of: [Ancestor(.version, "app.2")])
            try await fixture.database.execute(
                "update family set lineage = \(other) || lineage where id = \(token.family)")

            let isStaleAccepted = try await fixture.gathering.accept(stale)
            let between = try await fixture.service.authentication(login.view.id, for: app).status
            let isAccepted = try await fixture.gathering.accept(try await fixture.rightAnswer(phone, login))

            #expect(!isStaleAccepted && between == .pending)
            #expect(isAccepted)
            #expect(try await fixture.logins(of: phone).count == 1)
        }
    }

    @Test("what was blocked, cancelled, expired or answered since is not accepted, and those beside it are")
    func changedSince() async throws {
        try await TiqrFixture.with { fixture in
            let service = fixture.service, shop = TiqrFixture.shop
            let phones = try await crowd(5) { _ in try await fixture.enroll() }
            var answers: [AnswerGathering.RightAnswer] = []
            for (number, phone) in phones.enumerated() {
                let started = try await fixture.challenge(phone, expiresIn: number == 2 ? 30 : nil)
                answers.append(try await fixture.rightAnswer(phone, started))
            }
            try await service.block(phones[0].identity, minutes: 1, for: shop)
            try await service.cancelAuthentication(answers[1].challenge.id, for: shop)
            fixture.time.advance(30)
            let gathering = fixture.gathering, isAnswered = try await gathering.accept(answers[3]), read = answers

            let accepted = try await crowd(5) { try await gathering.accept(read[$0]) }

            #expect(isAnswered)
            #expect(accepted == [false, false, false, false, true])
            for (number, phone) in phones.enumerated() {
                let lines = try await fixture.logins(of: phone)
                #expect(lines.count == (number < 3 ? 0 : 1))
            }
        }
    }

    @Test("five wrong answers are one line that counts five, and the block has a line of its own with its end")
    func linesOfBlock() async throws {
        try await TiqrFixture.with { fixture in
            let phone = try await fixture.enroll()
            _ = try await fixture.guessUntilBlocked(phone)

            let identity = try await fixture.service.identity(phone.identity, for: TiqrFixture.shop)
            let tallies = try await fixture.database.query(
                "select action, outcome, reason, node, actor, count from audit_tally")
            let blocks = try await fixture.database.query(
                "select node, actor, outcome, detail ->> 'until' as until from audit where action = 'tiqr.block'")

            let node = "tiqr:\(phone.identity)", actor = "phone:\(phone.identity)"
            #expect(tallies.count == 1 && blocks.count == 1)
            let tally = try #require(tallies.first), block = try #require(blocks.first)
            #expect(try tally("action") == "tiqr.login" && tally("outcome") == "refused")
            #expect(try tally("reason") == "wrong_answer" && tally("count") == 5)
            #expect(try tally("node") == node && tally("actor") == actor)
            #expect(try block("node") == node && block("actor") == actor && block("outcome") == "attempts")
            let until: String? = try block("until")
            #expect(until != nil && until == identity.blockedUntil?.rfc3339)
        }
    }
}

extension TiqrFixture {
    fileprivate var gathering: AnswerGathering {
        AnswerGathering(database: database, changes: service.changes, clock: time.clock)
    }

    /// As it is read now.
    fileprivate func rightAnswer(
        _ phone: EnrolledPhone, _ started: StartedAuthentication
    ) async throws -> AnswerGathering.RightAnswer {
        let hash = try #require(LinkKeys.hash(shown: phone.parts(started.authURL).session))
        let key = ChallengedPerson.PhoneKey(hash: hash, identity: phone.identity)
        let challenge = try #require(try await ChallengedPerson.read([key], at: time.now, in: database).first?.1)
        return AnswerGathering.RightAnswer(
            challenge: challenge, person: try #require(challenge.person),
            answer: AnswerChallenge.Answer(response: try phone.right(started), method: .online))
    }

    /// Lines of right answers: origin, method and owner of each.
    fileprivate func logins(of phone: EnrolledPhone) async throws -> [String] {
        try await database.query(
            """
            select coalesce(origin, '-') || ' ' || (detail ->> 'method') || ' ' || (detail ->> 'owner') as line
            from audit where action = 'tiqr.login' and outcome = 'done' and node = \("tiqr:" + phone.identity)
                and actor = \("phone:" + phone.identity) and account is null and reason is null
            """
        ).map { try $0("line") }
    }
}
