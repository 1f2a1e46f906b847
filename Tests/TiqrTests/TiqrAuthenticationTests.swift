import Base
import Foundation
import TestSupport
import Testing
import Tiqr
import TokenTree

@Suite("backoffice.md: tiqr authentications")
struct TiqrAuthenticationTests {
    @Test("a right answer logs in once, and the relying service reads who and how")
    func login() async throws {
        try await TiqrFixture.with { fixture in
            let phone = try await fixture.enroll(externalID: "ada"), started = try await fixture.challenge(phone)

            let first = try await fixture.send(try phone.right(started), phone, to: started)
            let again = try await fixture.send(try phone.right(started), phone, to: started)

            #expect(first == .authenticated)
            #expect(again == .invalidChallenge)
            let view = try await fixture.service.authentication(started.view.id, for: TiqrFixture.shop)
            #expect(
                view.status == .authenticated && view.identity == phone.identity && view.externalID == "ada"
                    && view.method == .online)
            #expect(view.authenticatedAt != nil && view.etag != started.view.etag)
        }
    }

    @Test(
        "a form with a field missing, for another operation or with a long answer is 202 and not counted",
        arguments: [
            ["sessionKey": ""], ["userId": ""], ["response": ""], ["operation": ""], ["operation": "register"],
            ["response": String(repeating: "1", count: 65)],
        ])
    func invalidForms(change: [String: String]) async throws {
        try await TiqrFixture.with { fixture in
            let phone = try await fixture.enroll(), started = try await fixture.challenge(phone)

            let answer = try await fixture.send(try phone.wrong(started), phone, to: started, adding: change)

            #expect(answer == .invalidRequest)
            let identity = try await fixture.service.identity(phone.identity, for: TiqrFixture.shop)
            #expect(identity.attemptsLeft == 5)
        }
    }

    @Test(
        "an answer of any other shape is a wrong one",
        arguments: ["1234567", "12345", "abcdef", "0", "      ", "１２３４５６"])
    func shapes(response: String) async throws {
        try await TiqrFixture.with { fixture in
            let phone = try await fixture.enroll(), started = try await fixture.challenge(phone)

            let answer = try await fixture.send(response, phone, to: started)

            #expect(answer == .wrong(attemptsLeft: 4))
        }
    }

    @Test("an unknown, malformed, expired or cancelled session is 203 and not counted")
    func deadSessions() async throws {
        try await TiqrFixture.with { fixture in
            let phone = try await fixture.enroll()
            let cancelled = try await fixture.challenge(phone),
                expired = try await fixture.challenge(phone, expiresIn: 30)
            let right = try phone.right(expired)
            try await fixture.service.cancelAuthentication(cancelled.view.id, for: TiqrFixture.shop)
            fixture.time.advance(30)

            var answers = [
                try await fixture.send(right, phone, to: expired),
                try await fixture.send(try phone.right(cancelled), phone, to: cancelled),
            ]
            for session in [String(repeating: "ab", count: 16), "nothing", String(repeating: "AB", count: 16)] {
                answers.append(try await fixture.send(right, phone, to: expired, adding: ["sessionKey": session]))
            }

            #expect(answers.allSatisfy { $0 == .invalidChallenge })
            let identity = try await fixture.service.identity(phone.identity, for: TiqrFixture.shop)
            #expect(identity.attemptsLeft == 5)
            let statuses = [try await fixture.status(expired), try await fixture.status(cancelled)]
            #expect(statuses == [.expired, .cancelled])
        }
    }

    @Test("the right session with another, an unknown or a removed identity is 205 and not counted")
    func otherIdentity() async throws {
        try await TiqrFixture.with { fixture in
            let phone = try await fixture.enroll(), other = try await fixture.enroll(),
                foreign = try await fixture.enroll(for: TiqrFixture.stranger)
            let started = try await fixture.challenge(phone), open = try await fixture.challenge(nil)
            var answers: [LoginAnswer] = []
            for user in [other.identity, "nobody-at-all-here"] {
                answers.append(
                    try await fixture.send(try phone.right(started), phone, to: started, adding: ["userId": user]))
            }
            // Enrolled by another client: a challenge of this one is not for it, even when it names nobody.
            answers.append(try await fixture.send(try foreign.right(open), foreign, to: open))
            let attempts = try await fixture.service.identity(other.identity, for: TiqrFixture.shop).attemptsLeft
            try await fixture.service.remove(phone.identity, for: TiqrFixture.shop)
            answers.append(try await fixture.send(try phone.right(started), phone, to: started))

            #expect(answers.allSatisfy { $0 == .invalidUser })
            #expect(attempts == 5)
        }
    }

    @Test("without a username the phone chooses, and each of a person's phones may")
    func usernameless() async throws {
        try await TiqrFixture.with { fixture in
            let phones = [try await fixture.enroll(externalID: "ada"), try await fixture.enroll(externalID: "ada")]
            for phone in phones {
                let started = try await fixture.challenge(nil)
                #expect(started.view.identity == nil && !started.authURL.contains("@"))

                let answer = try await fixture.send(try phone.right(started), phone, to: started)

                #expect(answer == .authenticated)
                let view = try await fixture.service.authentication(started.view.id, for: TiqrFixture.shop)
                #expect(view.identity == phone.identity && view.externalID == "ada")
            }
            let page = try await fixture.service.identities(externalID: "ada", after: nil, for: TiqrFixture.shop)
            #expect(page.identities.count == 2 && page.next == nil)
        }
    }

    @Test("a one-time password typed by hand logs in, with blanks in it, and counts like the phone's")
    func oneTimePassword() async throws {
        try await TiqrFixture.with { fixture in
            let phone = try await fixture.enroll(), started = try await fixture.challenge(phone),
                right = try phone.right(started)
            await #expect {
                try await fixture.service.answer(
                    started.view.id, otp: try phone.wrong(started), identity: nil, for: TiqrFixture.shop)
            } throws: {
                $0 as? TiqrRefusal == .invalidOTP(attemptsLeft: 4)
            }

            let view = try await fixture.service.answer(
                started.view.id, otp: " \(right.prefix(3)) \(right.suffix(3)) ", identity: nil, for: TiqrFixture.shop)

            #expect(view.status == .authenticated && view.method == .otp)
            await #expect {
                try await fixture.service.answer(started.view.id, otp: right, identity: nil, for: TiqrFixture.shop)
            } throws: {
                $0 as? TiqrRefusal == .invalidChallenge
            }
        }
    }

    @Test(
        "a one-time password of another shape is 400 and not counted",
        arguments: ["", "12345", "1234567", "12a456", "１２３４５６"])
    func otherShapes(otp: String) async throws {
        try await TiqrFixture.with { fixture in
            let phone = try await fixture.enroll(), started = try await fixture.challenge(phone)

            await #expect {
                try await fixture.service.answer(started.view.id, otp: otp, identity: nil, for: TiqrFixture.shop)
            } throws: { ($0 as? TiqrRefusal)?.status == 400 }
            let identity = try await fixture.service.identity(phone.identity, for: TiqrFixture.shop)
            #expect(identity.attemptsLeft == 5)
        }
    }

    @Test(
        """
        a one-time password for a challenge without identity needs one; an unknown or foreign authentication is 404; \
        a blocked identity is 403
        """
    )
    func otpRefusals() async throws {
        try await TiqrFixture.with { fixture in
            let phone = try await fixture.enroll(), open = try await fixture.challenge(nil),
                right = try phone.right(open)
            func status(
                _ id: String, identity: String? = nil, for caller: TiqrCaller = TiqrFixture.shop
            ) async throws -> Int {
                do {
                    _ = try await fixture.service.answer(id, otp: right, identity: identity, for: caller)
                    return 200
                } catch let refusal as TiqrRefusal { return refusal.status }
            }
            let without = try await status(open.view.id), unknown = try await status("no-such"),
                nobody = try await status(open.view.id, identity: "nobody")
            let foreign = try await status(open.view.id, identity: phone.identity, for: TiqrFixture.stranger)
            let other = try await status(try await fixture.challenge(phone).view.id, identity: "nobody")
            try await fixture.service.block(phone.identity, minutes: 3, for: TiqrFixture.shop)
            let blocked = try await status(open.view.id, identity: phone.identity)
            try await fixture.service.unblock(phone.identity, for: TiqrFixture.shop)
            let good = try await status(open.view.id, identity: phone.identity)

            let statuses: [Int] = [without, unknown, nobody, foreign, other, blocked, good]
            #expect(statuses == [400, 404, 404, 404, 400, 403, 200])
        }
    }

    @Test(
        "drafts that are refused",
        arguments: [
            AuthenticationDraft(expiresIn: 0), AuthenticationDraft(expiresIn: 601),
            AuthenticationDraft(serviceProvider: ""),
            AuthenticationDraft(identifier: "not.known.example"), AuthenticationDraft(returnURL: "javascript:alert(1)"),
            AuthenticationDraft(returnURL: "https://h.example/?a=b"),
            AuthenticationDraft(returnURL: "https://h.example/?"),
            AuthenticationDraft(returnURL: "https://h.example/#x"), AuthenticationDraft(returnURL: "/done"),
        ])
    func refusedDrafts(draft: AuthenticationDraft) async throws {
        try await TiqrFixture.with { fixture in
            await #expect { try await fixture.service.startAuthentication(draft, by: TiqrFixture.shop) } throws: {
                ($0 as? TiqrRefusal)?.status == 400
            }
            let rows: Int = try await fixture.database.value("select count(*) from tiqr_authentication")
            #expect(rows == 0)
        }
    }

    @Test("an address is taken over by a right answer only")
    func address() async throws {
        try await TiqrFixture.with { fixture in
            let phone = try await fixture.enroll(), started = try await fixture.challenge(phone)
            let fields = ["notificationType": "APNS_DIRECT", "notificationAddress": "AB"]
            _ = try await fixture.send(try phone.wrong(started), phone, to: started, adding: fields)
            let before = try await fixture.service.identity(phone.identity, for: TiqrFixture.shop)
            _ = try await fixture.send(try phone.right(started), phone, to: started, adding: fields)
            let after = try await fixture.service.identity(phone.identity, for: TiqrFixture.shop)

            #expect(!before.push)
            #expect(after.push && after.notificationType == "APNS_DIRECT")
        }
    }
}
