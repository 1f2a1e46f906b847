import Base
import Foundation
import TestSupport
import Testing

@testable import Tiqr

@Suite("backoffice.md: attempts and blocks of tiqr")
struct TiqrBlockTests {
    @Test("twenty parallel guesses: four are told what is left, each number once, and the fifth blocks")
    func parallelGuesses() async throws {
        try await TiqrFixture.with { fixture in
            let phone = try await fixture.enroll(), started = try await fixture.challenge(phone)

            let answers = try await crowd(20) {
                try await fixture.send(try phone.wrong(started, by: $0 + 1), phone, to: started)
            }

            let left = answers.compactMap { if case .wrong(let left) = $0 { left } else { nil } }
            #expect(left.sorted() == [1, 2, 3, 4])
            #expect(answers.contains(.blocked(minutes: 10)))
            #expect(answers.allSatisfy { [201, 203, 204].contains($0.responseCode) })
            let after = try await fixture.status(started)
            #expect(after == .failed)
            let fresh = try await fixture.challenge(phone)
            let right = try await fixture.send(try phone.right(fresh), phone, to: fresh)
            #expect(right == .blocked(minutes: 10))
        }
    }

    @Test("twenty parallel guesses at twenty challenges, by phone and by hand, count at one counter")
    func manyChallenges() async throws {
        try await TiqrFixture.with { fixture in
            let phone = try await fixture.enroll()
            var challenges: [StartedAuthentication] = []
            for _ in 0..<20 { challenges.append(try await fixture.challenge(phone)) }
            let started = challenges

            let codes = try await crowd(20) { number -> Int in
                let one = started[number], guess = try phone.wrong(one)
                guard number.isMultiple(of: 2) else {
                    return try await fixture.send(guess, phone, to: one).responseCode
                }
                do {
                    _ = try await fixture.service.answer(one.view.id, otp: guess, identity: nil, for: TiqrFixture.shop)
                    return 1
                } catch let refusal as TiqrRefusal {
                    return ["invalid_otp": 201, "account_blocked": 204][refusal.code] ?? 0
                }
            }

            #expect(codes.count { $0 == 201 } == 4)
            #expect(codes.count { $0 == 204 } == 16)
        }
    }

    @Test("of twenty right answers to one challenge at once, one logs in")
    func parallelRightAnswers() async throws {
        try await TiqrFixture.with { fixture in
            let phone = try await fixture.enroll(), started = try await fixture.challenge(phone),
                right = try phone.right(started)

            let answers = try await crowd(20) { _ in try await fixture.send(right, phone, to: started) }

            #expect(answers.count { $0 == .authenticated } == 1)
            #expect(answers.count { $0 == .invalidChallenge } == 19)
            let rows: Int = try await fixture.database.value("select count(*) from audit where action = 'tiqr.login'")
            #expect(rows == 1)
        }
    }

    @Test("the ladder doubles from 10 minutes to a day, and a right answer takes it back")
    func ladder() async throws {
        try await TiqrFixture.with { fixture in
            let phone = try await fixture.enroll()
            var durations: [Int] = []
            for _ in 0..<9 {
                if case .blocked(let minutes) = try await fixture.guessUntilBlocked(phone).last {
                    durations.append(minutes)
                }
                try await fixture.service.unblock(phone.identity, for: TiqrFixture.shop)
            }
            #expect(durations == [10, 20, 40, 80, 160, 320, 640, 1_280, 1_440])

            let started = try await fixture.challenge(phone)
            let right = try await fixture.send(try phone.right(started), phone, to: started)
            let last = try await fixture.guessUntilBlocked(phone).last
            #expect(right == .authenticated)
            #expect(last == .blocked(minutes: 10))
        }
    }

    @Test(
        """
        a block is seen before the answer, tells the minutes that are left, rounded up, and ends by itself with full \
        attempts
        """
    )
    func duration() async throws {
        try await TiqrFixture.with { fixture in
            let phone = try await fixture.enroll()
            let answers = try await fixture.guessUntilBlocked(phone)
            #expect(
                answers == [
                    .wrong(attemptsLeft: 4), .wrong(attemptsLeft: 3), .wrong(attemptsLeft: 2), .wrong(attemptsLeft: 1),
                    .blocked(minutes: 10),
                ])

            fixture.time.advance(61)
            let started = try await fixture.challenge(phone, expiresIn: 600)
            let early = try await fixture.send(try phone.right(started), phone, to: started)
            var identity = try await fixture.service.identity(phone.identity, for: TiqrFixture.shop)
            #expect(early == .blocked(minutes: 9))
            #expect(identity.status == .blocked && identity.attemptsLeft == 0 && identity.blockedUntil != nil)

            fixture.time.advance(539)
            identity = try await fixture.service.identity(phone.identity, for: TiqrFixture.shop)
            let late = try await fixture.send(try phone.right(started), phone, to: started)
            #expect(identity.status == .new && identity.attemptsLeft == 5)
            #expect(late == .authenticated)
        }
    }

    @Test("a challenge dies after five wrong answers, whoever gave them")
    func challengeDies() async throws {
        try await TiqrFixture.with { fixture in
            let first = try await fixture.enroll(), second = try await fixture.enroll(),
                started = try await fixture.challenge(nil)
            for phone in [first, first, first, second, second] {
                let answer = try await fixture.send(try phone.wrong(started), phone, to: started)
                #expect(answer.responseCode == 201)
            }

            let right = try await fixture.send(try first.right(started), first, to: started)

            #expect(right == .invalidChallenge)
            let after = try await fixture.status(started)
            #expect(after == .failed)
        }
    }

    @Test("an operator's block has no end, says a day to the phone, and is ended by whoever owns the identity")
    func operatorBlock() async throws {
        try await TiqrFixture.with { fixture in
            let phone = try await fixture.enroll(), started = try await fixture.challenge(phone)
            try await fixture.service.block(phone.identity, minutes: nil, for: TiqrFixture.operators)
            fixture.time.advance(90)

            let blocked = try await fixture.send(try phone.right(started), phone, to: started)
            let identity = try await fixture.service.identity(phone.identity, for: TiqrFixture.shop)
            try await fixture.service.unblock(phone.identity, for: TiqrFixture.shop)
            let right = try await fixture.send(try phone.right(started), phone, to: started)

            #expect(blocked == .blocked(minutes: 1_440))
            #expect(identity.status == .blocked && identity.blockedUntil == nil)
            #expect(right == .authenticated)
        }
    }

    @Test("a block of no minutes, or of more than a year, is refused", arguments: [0, -1, 525_601])
    func oddMinutes(minutes: Int) async throws {
        try await TiqrFixture.with { fixture in
            let phone = try await fixture.enroll()

            await #expect {
                try await fixture.service.block(phone.identity, minutes: minutes, for: TiqrFixture.shop)
            } throws: { ($0 as? TiqrRefusal)?.status == 400 }
            let identity = try await fixture.service.identity(phone.identity, for: TiqrFixture.shop)
            #expect(identity.status == .new)
        }
    }

    @Test(
        "minutes left are rounded up, but not for the microseconds that a row's time may be off",
        arguments: [
            (600.0, 10), (600.000_000_6, 10), (599.999_999_4, 10), (600.5, 11), (59, 1), (0.000_001, 1), (0, nil),
            (-1, nil),
        ] as [(Double, Int?)])
    func minutesLeft(seconds: Double, minutes: Int?) {
        let now = Date(timeIntervalSince1970: 1_795_000_000.123_456),
            ladder = BlockLadder(forGood: false, until: now.addingTimeInterval(seconds), failures: 0)

        #expect(ladder.minutesLeft(at: now) == minutes)
    }
}
