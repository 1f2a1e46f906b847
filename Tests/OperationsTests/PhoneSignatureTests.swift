import Base
import Database
import Foundation
import Operations
import TestSupport
import Testing
import TokenTree

@testable import PowerAuth

@Suite("operations.md 4.8: signatures of phones, their counter and what counts")
struct PhoneSignatureTests {
    @Test(
        "every combination of factors and version that is offered",
        arguments: [FactorType.possession, .possessionKnowledge, .possessionBiometry],
        [PowerAuthVersion.v31, .v32, .v33])
    func combinations(type: FactorType, version: PowerAuthVersion) async throws {
        try await PhoneFixture.with { fixture in
            var phone = try await fixture.activated(.android)

            let right = try await phone.validate(type, version: version),
                wrong = try await phone.validate(type, isWrong: true, version: version)

            #expect(right.isOK && wrong.isUnauthenticated)
        }
    }

    @Test(
        """
        one factor that is not the phone, three digits groups of 3.0, and what is no header are refused and count \
        nothing
        """
    )
    func otherHeaders() async throws {
        try await PhoneFixture.with { fixture in
            var phone = try await fixture.activated()
            var replies = [
                try await phone.validate(.knowledge), try await phone.validate(.biometry),
                try await phone.validate(version: .v30),
            ]
            for text in ["", "PowerAuth", "Bearer x", #"PowerAuth pa_version="3.3""#] {
                replies.append(
                    try await fixture.post("/pa/v3/signature/validate", [SignatureHeader.name: text], Array("{}".utf8)))
            }
            replies.append(try await fixture.post("/pa/v3/signature/validate", [:], Array("{}".utf8)))

            #expect(replies.allSatisfy({ $0.isUnauthenticated }))
            let failed = try await fixture.registration(phone).failed, valid = try await phone.validate()
            #expect(failed == 0 && valid.isOK)
        }
    }

    @Test("capital letters in the type are an old SDK's")
    func capitals() async throws {
        try await PhoneFixture.with { fixture in
            var phone = try await fixture.activated()
            let header = phone.text(try phone.sign("/pa/signature/validate", Array("{}".utf8))).mapValues {
                $0.replacing("possession_knowledge", with: "POSSESSION_KNOWLEDGE")
            }
            let reply = try await fixture.post("/pa/v3/signature/validate", header, Array("{}".utf8))
            #expect(reply.isOK)
        }
    }

    @Test("a signature is good once, and the next one still is")
    func replay() async throws {
        try await PhoneFixture.with { fixture in
            var phone = try await fixture.activated()
            let body = Array("{}".utf8), header = phone.text(try phone.sign("/pa/signature/validate", body))

            let first = try await fixture.post("/pa/v3/signature/validate", header, body),
                second = try await fixture.post("/pa/v3/signature/validate", header, body)

            let next = try await phone.validate(), registration = try await fixture.registration(phone),
                steps = try await fixture.refusedSteps(phone)
            #expect(first.isOK && second.isUnauthenticated && next.isOK)
            #expect(registration.failed == 0 && steps == ["signature_mismatch"])
        }
    }

    @Test("of fifty requests with one signature exactly one is right, and none of the others counts")
    func parallel() async throws {
        try await PhoneFixture.with { fixture in
            var phone = try await fixture.activated()
            let body = Array("{}".utf8), header = phone.text(try phone.sign("/pa/signature/validate", body)),
                post = fixture.post

            let replies = try await crowd(50) { _ in try await post("/pa/v3/signature/validate", header, body) }

            #expect(replies.count { $0.isOK } == 1 && replies.count { $0.isUnauthenticated } == 49)
            let status = try await phone.status(), isInStep = try phone.isInStep(status)
            #expect(isInStep && status?.counterByte == 1 && status?.failed == 0)
        }
    }

    @Test(
        """
        fifty signatures with counters of their own, at once and in any order: no deadlock, and the counter ends \
        behind the last that was right
        """
    )
    func parallelCounters() async throws {
        try await PhoneFixture.with { fixture in
            var phone = try await fixture.activated()
            let body = Array("{}".utf8), post = fixture.post
            var headers: [[String: String]] = []
            for _ in 0..<50 { headers.append(phone.text(try phone.sign("/pa/signature/validate", body, .possession))) }
            let sent = headers

            let replies = try await crowd(50) { number in
                try await post("/pa/v3/signature/validate", sent[number], body)
            }

            #expect(replies.allSatisfy { $0.isOK || $0.isUnauthenticated } && replies.contains { $0.isOK })
            let status = try await phone.status()
            #expect(status?.state == .active && status?.failed == 0)
        }
    }

    @Test(
        "the bytes as received, the URI, the nonce and the application are covered",
        arguments: ["body", "uri", "nonce", "application"])
    func covered(part: String) async throws {
        try await PhoneFixture.with { fixture in
            var phone = try await fixture.activated()
            let other = try await fixture.service.addVersion(of: "bank-app", by: PhoneFixture.bank)
            let otherKey = try #require(other.json["versions"]?.array?.first?["applicationKey"]?.string)
            let body = Array("{}".utf8),
                signed = try phone.sign(part == "uri" ? "/pa/token/remove" : "/pa/signature/validate", body)
            let header = SignatureHeader(
                version: signed.version, activationID: signed.activationID,
                applicationKey: part == "application" ? otherKey : signed.applicationKey,
                nonce: part == "nonce" ? Base64Text.encode(Randomness.system.bytes(16)) : signed.nonce,
                type: signed.type,
                signature: signed.signature)

            let reply = try await fixture.post(
                "/pa/v3/signature/validate", phone.text(header), part == "body" ? Array("{ }".utf8) : body)

            #expect(reply.isUnauthenticated)
        }
    }

    // MARK: The counter

    @Test(
        "what was lost is bridged up to nineteen signatures; the twentieth is too far, and counts nothing",
        arguments: [0, 1, 19, 20])
    func lookAhead(lost: Int) async throws {
        try await PhoneFixture.with { fixture in
            var phone = try await fixture.activated()
            phone.skip(lost)

            let reply = try await phone.validate()

            let status = try await phone.status(), isInStep = try phone.isInStep(status)
            #expect(reply.isOK == (lost < 20) && isInStep == (lost < 20))
            #expect(status?.failed == 0 && status?.counterByte == UInt8(lost < 20 ? lost + 1 : 0))
        }
    }

    @Test("the counter's byte begins again after 255")
    func byte() async throws {
        try await PhoneFixture.with { fixture in
            var phone = try await fixture.activated()
            let id = phone.activationID
            try await fixture.database.execute("update phone_registration set ctr_byte = 255 where id = \(id)")
            let reply = try await phone.validate(), status = try await phone.status()
            #expect(reply.isOK && status?.counterByte == 0)
        }
    }

    // MARK: What counts

    @Test("a wrong PIN counts, a right one takes it back; the counter stays meanwhile")
    func counting() async throws {
        try await PhoneFixture.with { fixture in
            var phone = try await fixture.activated()
            var failed: [UInt8?] = []
            for _ in 0..<2 {
                _ = try await phone.validate(isWrong: true)
                failed.append(try await phone.status()?.failed)
            }
            _ = try await phone.validate(.possessionBiometry, isWrong: true)
            failed.append(try await phone.status()?.failed)
            let before = try await phone.status()?.counterByte
            let possession = try await phone.validate(.possession)
            failed.append(try await phone.status()?.failed)
            let right = try await phone.validate()
            failed.append(try await phone.status()?.failed)

            #expect(failed == [1, 2, 3, 3, 0] && before == 0 && possession.isOK && right.isOK)
            let steps = try await fixture.refusedSteps(phone)
            #expect(steps == [String](repeating: "signature_mismatch", count: 3))
        }
    }

    @Test("the fifth wrong PIN blocks, the right one does not help then; unblocking makes attempts full again")
    func blocking() async throws {
        try await PhoneFixture.with { fixture in
            var phone = try await fixture.activated()
            for _ in 0..<5 {
                let reply = try await phone.validate(isWrong: true)
                #expect(reply.isUnauthenticated)
            }
            let blocked = try await fixture.registration(phone), right = try await phone.validate()

            _ = try await fixture.service.change(phone.activationID, .unblock, by: PhoneFixture.bank)
            let valid = try await phone.validate(), status = try await phone.status()

            #expect(blocked.state == .blocked && blocked.failed == 5 && blocked.blockedReason == "MAX_FAILED_ATTEMPTS")
            #expect(right.isUnauthenticated && valid.isOK && status?.failed == 0)
        }
    }

    @Test("of twenty wrong PINs at once five count")
    func guessing() async throws {
        try await PhoneFixture.with { fixture in
            var phone = try await fixture.activated()
            let body = Array("{}".utf8), post = fixture.post
            var headers: [[String: String]] = []
            for _ in 0..<20 {
                headers.append(phone.text(try phone.sign("/pa/signature/validate", body, isWrong: true)))
            }
            let sent = headers

            let replies = try await crowd(20) { number in
                try await post("/pa/v3/signature/validate", sent[number], body)
            }

            let registration = try await fixture.registration(phone)
            #expect(
                replies.allSatisfy({ $0.isUnauthenticated }) && registration.failed == 5
                    && registration.state == .blocked)
        }
    }

    @Test("possession alone counts nothing, and neither does a stranger who knows the activation id")
    func strangers() async throws {
        try await PhoneFixture.with { fixture in
            var phone = try await fixture.activated()
            for _ in 0..<6 { _ = try await phone.validate(.possession, isWrong: true) }
            for number in 0..<6 {
                let bytes = [UInt8](repeating: UInt8(number), count: 32)
                let header = SignatureHeader(
                    version: .v33, activationID: phone.activationID, applicationKey: phone.applicationKey,
                    nonce: Base64Text.encode(Randomness.system.bytes(16)), type: .possessionKnowledge,
                    signature: Base64Text.encode(bytes))
                let reply = try await fixture.post("/pa/v3/signature/validate", phone.text(header), Array("{}".utf8))
                #expect(reply.isUnauthenticated)
            }

            let status = try await phone.status(), valid = try await phone.validate(),
                steps = try await fixture.refusedSteps(phone)
            #expect(status?.state == .active && status?.failed == 0 && valid.isOK)
            // One line a minute for each step: a stranger does not fill the trail.
            #expect(steps == ["signature_mismatch"])
        }
    }

    @Test("keys of other applications, unknown and unsupported ones sign nothing; supported again, they do")
    func applications() async throws {
        try await PhoneFixture.with { fixture in
            var phone = try await fixture.activated()
            let other = try await fixture.service.addApplication(
                try ApplicationDraft(appID: "other", name: "Other"), by: PhoneFixture.stranger
            ).application
            let otherKey = try #require(other.json["versions"]?.array?.first?["applicationKey"]?.string)
            var replies: [PowerAuthReply] = []
            for key in [otherKey, Base64Text.encode([UInt8](repeating: 0, count: 16))] {
                let signed = try phone.sign("/pa/signature/validate", Array("{}".utf8))
                let header = SignatureHeader(
                    version: .v33, activationID: signed.activationID, applicationKey: key, nonce: signed.nonce,
                    type: signed.type,
                    signature: signed.signature)
                replies.append(
                    try await fixture.post("/pa/v3/signature/validate", phone.text(header), Array("{}".utf8)))
            }
            let own = phone.applicationKey
            _ = try await fixture.service.setSupported(false, version: own, of: "bank-app", by: PhoneFixture.bank)
            replies.append(try await phone.validate())
            let key = await refusal { _ = try await phone.temporaryKey() },
                bound = await refusal { _ = try await phone.temporaryKey(inActivation: true) }
            _ = try await fixture.service.setSupported(true, version: own, of: "bank-app", by: PhoneFixture.bank)

            let valid = try await phone.validate()
            #expect(replies.count == 3 && replies.allSatisfy({ $0.isUnauthenticated }) && valid.isOK)
            #expect(key == .refused(status: 400, code: "ERR_TEMPORARY_KEY") && bound == key)
        }
    }

    @Test("a registration that waits to be committed signs nothing, and asks for no key")
    func pending() async throws {
        try await PhoneFixture.with { fixture in
            var phone = try fixture.phone()
            try await phone.activate(try await fixture.start().qrText)
            let reply = try await phone.validate(),
                key = await refusal { _ = try await phone.temporaryKey(inActivation: true) }
            let steps = try await fixture.refusedSteps(phone)

            #expect(reply.isUnauthenticated && key == .refused(status: 400, code: "ERR_TEMPORARY_KEY"))
            #expect(steps == ["activation_not_active", "activation_not_active"])
        }
    }
}
