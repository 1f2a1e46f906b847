import Base
import Crypto
import Foundation
import ProtocolTestSupport
import TestSupport
import Testing
import TokenTree

@testable import Liquid
@testable import WebAuthn

@Suite("Liquid: a wallet logs in")
struct WalletLoginTests {
    @Test("an honest one is let in, by its id or without one, with a signature by the account or without")
    func honest() async throws {
        try await LiquidFixture.with { fixture in
            var wallet = SoftWallet()
            try await fixture.register(wallet)
            wallet.authenticator.flags = 0x05
            for (index, isSigned) in [false, true].enumerated() {
                wallet.authenticator.counter = UInt32(index + 1)
                let presented = try await fixture.presented(),
                    challenge = try await fixture.request(isSigned ? nil : wallet, presented)
                let unsigned: JSONObject = ["requestId": "0191-x"], signed = try wallet.claims(challenge)
                let body = try wallet.assertion(challenge, isSigned ? signed : unsigned)
                let entered = try await fixture.service.assert(body, by: presented),
                    user = try await fixture.service.user(try await fixture.presented(entered.cookie))
                #expect(
                    user["wallet"]?.string == wallet.address
                        && user["credentials"]?.array?.first?["prevCounter"]?.integer == index + 1)
            }
            let lines = try await fixture.audited("liquid.login")
            #expect(lines == ["done", "done"])
        }
    }

    @Test("the options name the one passkey; ids that are nobody's wallet's are not found")
    func options() async throws {
        try await LiquidFixture.with { fixture in
            let wallet = SoftWallet(), presented = try await fixture.presented(),
                person = try await fixture.person("ada"),
                own = try await fixture.enroll(person)
            try await fixture.register(wallet)
            let id = Base64URL.encode(wallet.authenticator.id),
                options = try await fixture.service.assertionOptions(id, for: presented)
            let allowed = try #require(options["allowCredentials"]?.array)
            #expect(allowed.count == 1 && allowed.first?["id"]?.string == id)
            #expect(options["userVerification"]?.string == "required" && options["rpId"]?.string == "idp.example.org")
            for odd in ["", "a", "a=", "AAAA", id + "A", own.passkey.text] {
                let refusal = try await LiquidFixture.refusal {
                    _ = try await fixture.service.assertionOptions(odd, for: presented)
                }
                #expect(refusal == .userNotFound && refusal?.status == 401, "\(odd)")
            }
            let any = try await fixture.service.assertionOptions(nil, for: presented)
            #expect(any["allowCredentials"]?.array?.isEmpty == true)
        }
    }

    @Test("a passkey that was not asked for, that nobody has, that is a person's, or was removed meanwhile")
    func credentials() async throws {
        try await LiquidFixture.with { fixture in
            let wallet = SoftWallet(), other = SoftWallet(), presented = try await fixture.presented(),
                own = try await fixture.enroll(try await fixture.person("ada"))
            let entered = try await fixture.register(wallet)
            try await fixture.register(other)
            func refused(asking asked: SoftWallet?, _ answer: SoftAuthenticator) async throws -> LiquidRefusal? {
                let body = try answer.assertion(try await fixture.request(asked, presented))
                return try await LiquidFixture.refusal { _ = try await fixture.service.assert(body, by: presented) }
            }
            let notAsked = try await refused(asking: wallet, other.authenticator),
                unknown = try await refused(asking: nil, SoftAuthenticator())
            let server = try await refused(asking: nil, own.authenticator)
            #expect(
                notAsked == LiquidFixture.failed(.credentialNotAllowed) && unknown == .credentialNotFound
                    && server == .credentialNotFound)
            #expect(unknown?.status == 401)

            let body = try wallet.assertion(try await fixture.request(wallet, presented))
            try await fixture.service.removeKey(
                Base64URL.encode(wallet.authenticator.id), by: try await fixture.presented(entered.cookie))
            let removed = try await LiquidFixture.refusal { _ = try await fixture.service.assert(body, by: presented) }
            #expect(removed == .credentialNotFound)
        }
    }

    @Test("a challenge is used up by any answer, and is no registration's")
    func challenges() async throws {
        try await LiquidFixture.with { fixture in
            let wallet = SoftWallet(), presented = try await fixture.presented(),
                stranger = try await fixture.presented()
            try await fixture.register(wallet)
            func refused(_ challenge: [UInt8], by who: PresentedSession) async throws -> LiquidRefusal? {
                try await LiquidFixture.refusal {
                    _ = try await fixture.service.assert(try wallet.assertion(challenge), by: who)
                }
            }
            let challenge = try await fixture.request(wallet, presented),
                foreign = try await refused(challenge, by: stranger)
            let spoilt = try await LiquidFixture.refusal {
                _ = try await fixture.service.assert(["id": 1], by: presented)
            }
            let second = try await refused(challenge, by: presented),
                creation = try await refused(try await fixture.creation(presented), by: presented)
            let late = try await fixture.request(wallet, presented)
            fixture.time.advance(1_800)
            let over = try await refused(late, by: presented)
            #expect(
                foreign == .challengeNotFound && second == .challengeNotFound && creation == .challengeNotFound
                    && over == .challengeNotFound)
            #expect(spoilt == LiquidFixture.failed(.responseMalformed))
        }
    }

    @Test("a signature by the account need not come; one that comes must be right and of the passkey's wallet")
    func signatures() async throws {
        try await LiquidFixture.with { fixture in
            let wallet = SoftWallet(), other = SoftWallet(), presented = try await fixture.presented()
            try await fixture.register(wallet)
            let cases: [(WalletRefusal, ([UInt8]) throws -> JSONObject)] = [
                (.addressMismatch, { try other.claims($0) }), (.signatureMismatch, { try wallet.claims($0 + [0]) }),
                (.typeUnknown, { _ in ["signature": "AAAA"] }),
                (.signatureMalformed, { _ in ["type": "algorand", "address": .string(wallet.address)] }),
                (.addressMalformed, { _ in ["type": "algorand", "signature": "AAAA"] }),
            ]
            for (expected, claims) in cases {
                let challenge = try await fixture.request(wallet, presented),
                    body = try wallet.assertion(challenge, try claims(challenge))
                let refusal = try await LiquidFixture.refusal {
                    _ = try await fixture.service.assert(body, by: presented)
                }
                #expect(refusal == LiquidFixture.failed(expected))
            }
            let lines = try await fixture.audited("liquid.login"), counts = try await fixture.counts()
            #expect(lines.isEmpty && counts[2] == 1)
        }
    }

    @Test("WebAuthn's own checks refuse by their names")
    func ceremony() async throws {
        try await LiquidFixture.with { fixture in
            var wallet = SoftWallet()
            let presented = try await fixture.presented()
            try await fixture.register(wallet)
            wallet.authenticator.flags = 0x05
            let cases: [(WebAuthnRefusal, (inout SoftAuthenticator) -> Void)] = [
                (.originNotAllowed, { $0.clientData["origin"] = "https://evil.example" }),
                (.userNotVerified, { $0.flags = 0x01 }),
                (.userNotPresent, { $0.flags = 0x04 }), (.rpIDMismatch, { $0.rpID = "evil.example" }),
                (.crossOriginNotAllowed, { $0.clientData["crossOrigin"] = true }),
                (.challengeMismatch, { $0.clientData["challenge"] = "AAAA" }),
            ]
            for (expected, change) in cases {
                var spoilt = wallet
                change(&spoilt.authenticator)
                let body = try spoilt.assertion(try await fixture.request(wallet, presented))
                let refusal = try await LiquidFixture.refusal {
                    _ = try await fixture.service.assert(body, by: presented)
                }
                #expect(refusal == LiquidFixture.failed(expected))
            }
            var foreign = SoftWallet()
            foreign.authenticator.id = wallet.authenticator.id
            let body = try foreign.assertion(try await fixture.request(wallet, presented))
            let refusal = try await LiquidFixture.refusal { _ = try await fixture.service.assert(body, by: presented) }
            #expect(refusal == .verificationFailed(step: WebAuthnRefusal.signatureMismatch.explain))
        }
    }

    @Test("a counter that did not go up is let in and flagged, and stays where it was")
    func counters() async throws {
        try await LiquidFixture.with { fixture in
            var wallet = SoftWallet()
            wallet.authenticator.counter = 7
            try await fixture.register(wallet)
            wallet.authenticator.flags = 0x05
            for counter in [8, 3, 8, 9] as [UInt32] {
                wallet.authenticator.counter = counter
                try await fixture.logIn(wallet)
            }
            let lines = try await fixture.audited("liquid.login"),
                count: Int = try await fixture.database.value("select sign_count from passkey")
            let isFlagged: Bool = try await fixture.database.value("select flagged_at is not null from passkey")
            #expect(lines == ["done", "flagged", "flagged", "done"] && count == 9 && isFlagged)
        }
    }

    @Test("a backup flag that changed is noted and let in, as iOS wallets clear it")
    func eligibility() async throws {
        try await LiquidFixture.with { fixture in
            var wallet = SoftWallet()
            wallet.authenticator.flags = 0x5D
            try await fixture.register(wallet)
            wallet.authenticator.flags = 0x05
            try await fixture.logIn(wallet)
            let changed: Bool = try await fixture.database.value(
                "select (detail->>'eligibility_changed')::boolean from audit where action = 'liquid.login'")
            let isEligible: Bool = try await fixture.database.value("select backup_eligible from passkey")
            #expect(changed && !isEligible)
        }
    }

    @Test("the user and the session document are for who is let in, and tell no challenge")
    func documents() async throws {
        try await LiquidFixture.with { fixture in
            let wallet = SoftWallet(), nobody = try await fixture.presented(),
                entered = try await fixture.register(wallet), presented = try await fixture.presented(entered.cookie)
            let refusal = try await LiquidFixture.refusal { _ = try await fixture.service.user(nobody) },
                empty = try await fixture.service.document(nobody)
            #expect(refusal == .forbidden && refusal?.status == 403)
            #expect(refusal?.json["statusCode"]?.integer == 403)
            #expect(empty["user"]?.object == nil && empty["session"]?.object?.isEmpty == true)
            let challenge = try await fixture.request(wallet, presented),
                document = try await fixture.service.document(presented)
            #expect(
                document["user"]?["wallet"]?.string == wallet.address
                    && document["session"]?["wallet"]?.string == wallet.address)
            #expect(!document.text.contains(Base64URL.encode(challenge)))
        }
    }

    @Test("removing a passkey: own ones, by a session that one of them opened; what it let in ends, the rest stays")
    func removal() async throws {
        try await LiquidFixture.with { fixture in
            let wallet = SoftWallet(), second = wallet.onAnotherDevice, other = SoftWallet()
            let first = try await fixture.presented(try await fixture.register(wallet).cookie),
                entered = try await fixture.register(second, as: first)
            let stranger = try await fixture.presented(try await fixture.register(other).cookie),
                page = try await fixture.linked(wallet), nobody = try await fixture.presented()
            let id = Base64URL.encode(wallet.authenticator.id), again = try await fixture.logIn(wallet),
                link = try await fixture.presented(page)
            for (who, expected) in [
                (nobody, LiquidRefusal.forbidden), (link, .forbidden), (first, .forbidden), (stranger, .keyNotFound),
            ] {
                let refusal = try await LiquidFixture.refusal { try await fixture.service.removeKey(id, by: who) }
                #expect(refusal == expected)
            }
            let own = try await fixture.presented(entered.cookie)
            for odd in ["", "AAAA", "a=", Base64URL.encode(other.authenticator.id)] {
                let refusal = try await LiquidFixture.refusal { try await fixture.service.removeKey(odd, by: own) }
                #expect(refusal == .keyNotFound && refusal?.status == 404)
            }
            try await fixture.service.removeKey(id, by: own)
            let dead = [try await fixture.presented(again.cookie), try await fixture.presented(page)],
                still = try await fixture.presented(entered.cookie)
            #expect(dead.allSatisfy { $0.session == nil && $0.newCookie != nil } && still.session != nil)
            let twice = try await LiquidFixture.refusal { try await fixture.service.removeKey(id, by: still) },
                lines = try await fixture.audited("liquid.remove")
            #expect(twice == .keyNotFound && lines == ["done"])
            try await fixture.service.removeKey(Base64URL.encode(second.authenticator.id), by: still)
            let gone = try await fixture.presented(entered.cookie)
            #expect(gone.session == nil)
        }
    }
}
