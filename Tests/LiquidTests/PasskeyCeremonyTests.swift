import Accounts
import Base
import Database
import Foundation
import ProtocolTestSupport
import TestSupport
import Testing
import TokenTree

@testable import Liquid
@testable import Passkeys
@testable import WebAuthn

@Suite("Liquid: passkeys of people")
struct PasskeyCeremonyTests {
    @Test("one is registered under a handle that says nothing, and logs in by name or without one")
    func honest() async throws {
        try await LiquidFixture.with { fixture in
            let ada = try await fixture.person("ada"),
                options = try await fixture.people.creationOptions(for: ada, holder: "x")
            let handle = try options.part("user").raw("id"), selection = try options.part("authenticatorSelection")
            #expect(
                handle.count == 32 && options["user"]?["name"]?.string == "ada"
                    && options["attestation"]?.string == "none")
            #expect(
                selection["userVerification"]?.string == "required" && selection["residentKey"]?.string == "preferred")

            let own = try await fixture.enroll(ada, name: " \u{7}Blue key"),
                again = try await fixture.people.creationOptions(for: ada, holder: "x")
            #expect(own.passkey.name == " Blue key" && own.passkey.account == ada.id && own.passkey.flow == .idp)
            #expect(
                again["excludeCredentials"]?.array?.first?["id"]?.string == own.passkey.text
                    && own.handle.string == Base64URL.encode(handle))
            for account in [ada.id, nil] as [UUID?] {
                let answer = try await fixture.answer(own, for: account)
                #expect(answer.account == ada.id && answer.methods == ["mfa", "swk", "user"])
            }
            let named = try await fixture.people.requestOptions(for: ada.id, holder: "x"),
                open = try await fixture.people.requestOptions(for: nil, holder: "x")
            #expect(named["allowCredentials"]?.array?.count == 1 && open["allowCredentials"]?.array?.isEmpty == true)
            let isEnrolled = try await fixture.people.isEnrolled(ada.id, in: fixture.database),
                lines = try await fixture.audited("passkey.answer")
            #expect(isEnrolled && lines == ["done", "done"])
        }
    }

    @Test("a question is one browser's, one purpose's, one account's, for five minutes, and any answer uses it up")
    func challenges() async throws {
        try await LiquidFixture.with { fixture in
            let ada = try await fixture.person("ada"), bob = try await fixture.person("bob"),
                own = try await fixture.enroll(ada), people = fixture.people
            func refused(_ challenge: [UInt8], holder: String = "here") async throws -> PasskeyRefusal? {
                try await LiquidFixture.personRefusal {
                    _ = try await people.answer(
                        try own.assertion(challenge), holder: holder, actor: LiquidFixture.actor)
                }
            }
            let none = try await refused([1]),
                first = try await people.requestOptions(for: nil, holder: "here").raw("challenge")
            let foreign = try await refused(first, holder: "there"), wrong = try await refused([1]),
                second = try await refused(first)
            #expect(
                none == .challengeUnknown && foreign == .challengeUnknown && wrong == .refused(.challengeMismatch)
                    && second == .challengeUnknown)
            let creation = try await people.creationOptions(for: ada, holder: "here").raw("challenge"),
                other = try await refused(creation)
            let late = try await people.requestOptions(for: ada.id, holder: "here").raw("challenge")
            fixture.time.advance(300)
            let over = try await refused(late)
            #expect(other == .challengeUnknown && over == .challengeUnknown)

            let asked = try await people.creationOptions(for: ada, holder: "here").raw("challenge"),
                body = try SoftAuthenticator().registration(asked)
            let swapped = try await LiquidFixture.personRefusal {
                _ = try await people.register(
                    body, as: nil, for: bob.id, below: [], holder: "here", actor: LiquidFixture.actor)
            }
            let linking = try await people.linkOptions(for: ada.id, holder: "here").raw("challenge"),
                wallet = SoftWallet()
            let link = try await LiquidFixture.personRefusal {
                _ = try await people.link(
                    try wallet.assertion(linking), to: bob.id, below: [], holder: "here", actor: LiquidFixture.actor)
            }
            #expect(swapped == .challengeUnknown && link == .challengeUnknown)
        }
    }

    @Test("passkeys that log nobody in here, and somebody else's")
    func belonging() async throws {
        try await LiquidFixture.with { fixture in
            let ada = try await fixture.person("ada"), bob = try await fixture.person("bob"), wallet = SoftWallet(),
                own = try await fixture.enroll(ada)
            let bobs = try await fixture.enroll(bob), people = fixture.people
            try await fixture.register(wallet)
            func refused(_ account: UUID?, _ body: ([UInt8]) throws -> JSONValue) async throws -> PasskeyRefusal? {
                let answer = try body(try await people.requestOptions(for: account, holder: "x").raw("challenge"))
                return try await LiquidFixture.personRefusal {
                    _ = try await people.answer(answer, holder: "x", actor: LiquidFixture.actor)
                }
            }
            let unknown = try await refused(nil) { try SoftAuthenticator().inUse.assertion($0) },
                unlinked = try await refused(nil) { try wallet.assertion($0) }
            let other = try await refused(ada.id) { try bobs.assertion($0) },
                nameless = try await refused(nil) { try own.authenticator.inUse.assertion($0) }
            let mixed = try await refused(nil) { try own.authenticator.inUse.assertion($0, userHandle: bobs.handle) }
            let named = try await refused(ada.id) { try own.authenticator.inUse.assertion($0) }
            #expect(unknown == .unknown && unlinked == .unknown && other == .refused(.credentialNotAllowed))
            #expect(nameless == .refused(.userHandleMissing) && mixed == .refused(.userHandleMismatch) && named == nil)
            let nobody = try await fixture.person("carol")
            let nothing = try await LiquidFixture.personRefusal {
                _ = try await people.requestOptions(for: nobody.id, holder: "x")
            }
            #expect(nothing == .notFound)
        }
    }

    @Test("bogus signatures and answers without user verification are refused, and change nothing")
    func ceremony() async throws {
        try await LiquidFixture.with { fixture in
            let ada = try await fixture.person("ada"), own = try await fixture.enroll(ada)
            var stolen = own, careless = own
            stolen.authenticator = SoftAuthenticator()
            stolen.authenticator.id = own.passkey.id
            careless.authenticator.flags = 0x01
            let (bogus, unverified) = (stolen, careless)
            let first = try await LiquidFixture.personRefusal { _ = try await fixture.answer(bogus) }
            let second = try await LiquidFixture.personRefusal { _ = try await fixture.answer(unverified, for: ada.id) }
            let isUsed: Bool = try await fixture.database.value("select last_used_at is not null from passkey")
            #expect(first == .refused(.signatureMismatch) && second == .refused(.userNotVerified) && !isUsed)

            let challenge = try await fixture.people.creationOptions(for: ada, holder: "x").raw("challenge")
            var phished = SoftAuthenticator()
            phished.clientData["origin"] = "android:apk-key-hash:abc"
            let body = try phished.registration(challenge)
            let third = try await LiquidFixture.personRefusal {
                _ = try await fixture.people.register(
                    body, as: nil, for: ada.id, below: [], holder: "x", actor: LiquidFixture.actor)
            }
            #expect(third == .refused(.originNotAllowed))
        }
    }

    @Test("a counter that did not go up is refused and flagged, and nothing else is written down")
    func counters() async throws {
        try await LiquidFixture.with { fixture in
            let ada = try await fixture.person("ada")
            var own = try await fixture.enroll(ada)
            own.authenticator.counter = 5
            _ = try await fixture.answer(own)
            fixture.time.advance(60)
            for counter in [5, 4, 0] as [UInt32] {
                own.authenticator.counter = counter
                let copy = own, refusal = try await LiquidFixture.personRefusal { _ = try await fixture.answer(copy) }
                #expect(refusal == .refused(.counterRegressed))
            }
            let passkey = try #require(try await fixture.people.passkeys(of: ada.id).first),
                lines = try await fixture.audited("passkey.answer")
            #expect(
                passkey.counter == 5 && passkey.flaggedAt == fixture.time.now && passkey.lastUsedAt != fixture.time.now)
            #expect(lines == ["done", "refused", "refused", "refused"])
            own.authenticator.counter = 6
            let answer = try await fixture.answer(own)
            #expect(answer.passkey.id == passkey.id)
        }
    }

    @Test(
        """
        a key counts as hardware where its maker says so,
            and only while neither row nor authenticator says that it can be copied
        """,
        arguments: [(false, false, "hwk"), (true, false, "swk"), (false, true, "swk"), (true, true, "swk")])
    func hardware(_ wasEligible: Bool, _ isEligible: Bool, _ method: String) async throws {
        try await LiquidFixture.with { fixture in
            var own = try await fixture.enroll(try await fixture.person("ada"))
            _ = try await fixture.database.execute(
                "update passkey set trust = \(AttestationTrust.rooted.rawValue), backup_eligible = \(wasEligible)")
            own.authenticator.flags = isEligible ? 0x0D : 0x05
            let answer = try await fixture.answer(own)
            #expect(answer.methods == ["mfa", method, "user"])
        }
    }

    @Test("where one kind is asked for, the other is neither named nor taken")
    func kinds() async throws {
        try await LiquidFixture.with { fixture in
            let ada = try await fixture.person("ada"), own = try await fixture.enroll(ada), wallet = SoftWallet(),
                people = fixture.people
            try await fixture.register(wallet)
            let linked = try await fixture.link(wallet, to: ada)
            for (flow, id) in [(Passkey.Flow.idp, own.passkey.text), (.liquid, linked.text)] {
                let options = try await people.requestOptions(for: ada.id, only: flow, holder: "x")
                #expect(options["allowCredentials"]?.array?.map { $0["id"]?.string } == [id])
            }
            func refused(_ flow: Passkey.Flow, _ body: ([UInt8]) throws -> JSONValue) async throws -> PasskeyRefusal? {
                let answer = try body(
                    try await people.requestOptions(for: ada.id, only: flow, holder: "x").raw("challenge"))
                return try await LiquidFixture.personRefusal {
                    _ = try await people.answer(answer, only: flow, holder: "x", actor: LiquidFixture.actor)
                }
            }
            let walletForOwn = try await refused(.idp) { try wallet.assertion($0) },
                ownForWallet = try await refused(.liquid) { try own.assertion($0) }
            let right = try await refused(.liquid) { try wallet.assertion($0) }
            let isOwn = try await people.isEnrolled(ada.id, in: fixture.database),
                isLinked = try await people.isEnrolled(ada.id, .liquid, in: fixture.database)
            let others = try await fixture.person("bob"),
                none = try await people.isEnrolled(others.id, .liquid, in: fixture.database)
            #expect(
                walletForOwn == .refused(.credentialNotAllowed) && ownForWallet == .refused(.credentialNotAllowed)
                    && right == nil)
            #expect(isOwn && isLinked && !none)
        }
    }

    @Test("of answers with one count at once one is taken")
    func oneCount() async throws {
        try await LiquidFixture.with { fixture in
            var own = try await fixture.enroll(try await fixture.person("ada"))
            own.authenticator.counter = 5
            var bodies: [JSONValue] = []
            for number in 0..<4 {
                bodies.append(
                    try own.assertion(
                        try await fixture.people.requestOptions(for: nil, holder: "\(number)").raw("challenge")))
            }
            let ready = bodies
            let outcomes = try await crowd(4) { number in
                try await LiquidFixture.personRefusal {
                    _ = try await fixture.people.answer(ready[number], holder: "\(number)", actor: LiquidFixture.actor)
                }
            }
            let regressed = PasskeyRefusal.refused(.counterRegressed)
            #expect(outcomes.count(where: { $0 == nil }) == 1 && outcomes.count(where: { $0 == regressed }) == 3)
        }
    }

    @Test("an id that somebody has is taken; twenty of one account and no more")
    func limits() async throws {
        try await LiquidFixture.with { fixture in
            let ada = try await fixture.person("ada"), bob = try await fixture.person("bob"),
                own = try await fixture.enroll(ada)
            var copy = SoftAuthenticator()
            copy.id = own.passkey.id
            let second = copy
            let taken = try await LiquidFixture.personRefusal { _ = try await fixture.enroll(bob, second) }
            #expect(taken == .taken)

            let early = try await fixture.people.creationOptions(for: ada, holder: "x").raw("challenge"),
                body = try SoftAuthenticator().registration(early)
            try await fixture.copyPasskey(times: PasskeyLogin.mostPasskeys - 1)
            let late = try await LiquidFixture.personRefusal {
                _ = try await fixture.people.register(
                    body, as: nil, for: ada.id, below: [], holder: "x", actor: LiquidFixture.actor)
            }
            let early2 = try await LiquidFixture.personRefusal {
                _ = try await fixture.people.creationOptions(for: ada, holder: "x")
            }
            let wallet = SoftWallet()
            try await fixture.register(wallet)
            let link = try await LiquidFixture.personRefusal { _ = try await fixture.link(wallet, to: ada) }
            let count = try await fixture.people.passkeys(of: ada.id).count
            #expect(late == .tooMany && early2 == .tooMany && link == .tooMany && count == PasskeyLogin.mostPasskeys)
        }
    }
}
