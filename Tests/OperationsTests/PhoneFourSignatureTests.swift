import Base
import Foundation
import TestSupport
import Testing
import TokenTree

@testable import Operations
@testable import PowerAuth

@Suite("PowerAuth 4: authentication codes, factors, tokens and the vault")
struct PhoneFourSignatureTests {
    @Test("a code is right once, also of phones that are ahead; of many with one counter one is right")
    func counters() async throws {
        try await PhoneFixture.with { fixture in
            try await fixture.take()
            var phone = try await fixture.fourActivated()
            let header = try phone.sign("/pa/auth/validate", [], .possessionKnowledge)
            let post = fixture.post
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        try await post("/pa/v4/auth/validate", [SignatureHeader.name: header.text], []).status
                    }
                }
                return try await group.reduce(into: [Int]()) { $0.append($1) }
            }
            for _ in 0..<19 { _ = try phone.sign("/pa/lost", []) }
            let ahead = try await phone.validate(), status = try await phone.status()
            for _ in 0..<20 { _ = try phone.sign("/pa/lost", []) }
            let tooFar = try await phone.validate()

            #expect(statuses.sorted() == [200] + [Int](repeating: 401, count: 7))
            #expect(ahead.isOK && tooFar.isUnauthenticated)
            #expect(status.counterByte == 22)
        }
    }

    @Test("wrong PINs count up to the block, by the phone alone; a right one takes them back")
    func failures() async throws {
        try await PhoneFixture.with { fixture in
            try await fixture.take()
            var phone = try await fixture.fourActivated(), forged = phone
            // Who has not the phone's key counts nothing.
            forged.keys = try ActivationSecret(SecretBytes(Randomness.system.bytes(32)))
            _ = try await forged.validate()
            #expect(try await phone.validate(isWrong: true).isUnauthenticated)
            let one = try await fixture.registration(phone).failed
            #expect(try await phone.validate().isOK)
            let none = try await fixture.registration(phone).failed
            for _ in 0..<5 { #expect(try await phone.validate(isWrong: true).isUnauthenticated) }
            let blocked = try await phone.validate(), status = try await phone.status()

            #expect(one == 1 && none == 0)
            #expect(blocked.isUnauthenticated && status.state == .blocked && status.failed == 5)
            let steps = try await fixture.refusedSteps(phone)
            #expect(steps.last == "activation_blocked" && Set(steps) == ["signature_mismatch", "activation_blocked"])
        }
    }

    @Test("each registration signs and reads in its own protocol alone")
    func otherProtocol() async throws {
        try await PhoneFixture.with { fixture in
            try await fixture.take()
            var phone = try await fixture.fourActivated(), old = try await fixture.activated()
            let header = SignatureHeader(
                version: .v33, activationID: phone.activationID, applicationKey: phone.applicationKey,
                nonce: Base64Text.encode(Randomness.system.bytes(16)), type: .possession,
                signature: Base64Text.encode(Randomness.system.bytes(16)))
            let three = try await fixture.post(
                "/pa/v3/signature/validate", [SignatureHeader.name: header.text], [])
            let four = try await fixture.post(
                "/pa/v4/auth/validate", old.text(try old.sign("/pa/auth/validate", [])), [])
            let token = try await phone.createToken(), tokens = fixture.service.parts.tokens
            let right = try await tokens.check(phone.header(token), in: fixture.database)
            let wrong = try await tokens.check(phone.header(token, version: .v33), in: fixture.database)

            #expect(three.isUnauthenticated && four.isUnauthenticated)
            #expect(try await fixture.refusedSteps(phone) == ["version_unsupported", "version_unsupported"])
            guard case .right(let registration, .possession) = right else {
                Issue.record("the token reads nothing")
                return
            }
            #expect(registration.id == phone.activationID)
            guard case .wrong(.versionUnsupported) = wrong else {
                Issue.record("a token of protocol 4 read in 3.3")
                return
            }
        }
    }

    @Test("a changed PIN counts from its first use, and the one before until then")
    func password() async throws {
        try await PhoneFixture.with { fixture in
            try await fixture.take()
            var phone = try await fixture.fourActivated()
            // An answer that is lost.
            _ = try await phone.changePassword()
            #expect(try await phone.validate().isOK)
            let old = phone.knowledge, next = try await phone.changePassword()
            phone.knowledge = next
            #expect(try await phone.validate().isOK)
            phone.knowledge = old
            let afterwards = try await phone.validate()
            phone.knowledge = next
            let again = try await phone.validate()

            #expect(afterwards.isUnauthenticated && again.isOK)
        }
    }

    @Test("biometry is refused while it is off, and has another key after it was taken away")
    func biometry() async throws {
        try await PhoneFixture.with { fixture in
            try await fixture.take()
            var phone = try await fixture.fourActivated()
            let off = try await phone.validate(.possessionBiometry)
            let steps = try await fixture.refusedSteps(phone)
            phone.biometry = try await phone.addBiometry()
            let on = try await phone.validate(.possessionBiometry)
            let removed = try await phone.signed("biometry/remove", [:], .possession)
            let again = try await phone.validate(.possessionBiometry)
            let stolen = phone.biometry
            phone.biometry = try await phone.addBiometry()
            let fresh = try await phone.validate(.possessionBiometry), mine = phone.biometry
            phone.biometry = stolen
            let old = try await phone.validate(.possessionBiometry)
            phone.biometry = mine
            let status = try await phone.status()

            #expect(off.isUnauthenticated && steps == ["biometry_off"])
            #expect(on.isOK && removed.isOK && again.isUnauthenticated && fresh.isOK && old.isUnauthenticated)
            #expect(status.flags == .biometry)
        }
    }

    @Test("the vault opens for knowledge; biometry has only the key that is for any two factors")
    func vault() async throws {
        try await PhoneFixture.with { fixture in
            try await fixture.take()
            var phone = try await fixture.fourActivated(biometry: true)
            for name in VaultKey.allCases {
                let (reply, exchange) = try await phone.unlockVault(name.rawValue)
                let key = try exchange.open(reply.json)["vaultEncryptionKey"]?.string
                #expect(key != nil && key == phone.keys?.vaultKeys[name]?.expose { Base64Text.encode($0) })
            }
            let two = try await phone.unlockVault(VaultKey.application2FA.rawValue, .possessionBiometry).reply
            let device = try await phone.unlockVault(VaultKey.devicePrivate.rawValue, .possessionBiometry).reply
            let unknown = try await phone.unlockVault("KEK").reply
            let status = try await phone.status()

            #expect(two.status == 200)
            #expect(device.isRefused("ERR_SECURE_VAULT") && unknown.isRefused("ERR_SECURE_VAULT"))
            // Codes that were right moved the counter whatever was asked for.
            #expect(try phone.isInStep(status))
            #expect(try await fixture.refusedSteps(phone) == ["factor_not_allowed", "body_malformed"])
        }
    }

    @Test("removed by itself it does nothing more")
    func removal() async throws {
        try await PhoneFixture.with { fixture in
            try await fixture.take()
            var phone = try await fixture.fourActivated()
            let removed = try await phone.signed("activation/remove", [:], .possession)
            let after = try await phone.validate()
            let key = await refusal { _ = try await phone.temporaryKey(inActivation: true) }

            #expect(removed.isOK && after.isUnauthenticated)
            #expect(key == .refused(status: 400, code: "ERR_TEMPORARY_KEY"))
            #expect(try await fixture.registration(phone).state == .removed)
        }
    }

    @Test("all that is sealed opens under another master key after it was sealed anew")
    func resealed() async throws {
        try await PhoneFixture.with { fixture in
            try await fixture.take()
            var phone = try await fixture.fourActivated(.p384ML3), old = try await fixture.activated()
            var upgrading = try await fixture.fourPhone()
            #expect(try await upgrading.startUpgrade(of: &old).isOK)
            let successor = try PhoneFixture.key(2), config = upgrading.config.text
            let question = try phone.encrypt(
                .genericActivation, [:], with: try await phone.temporaryKey(inActivation: true))
            try await fixture.database.atomically { transaction in
                _ = try await fixture.service.reseal(under: successor, in: transaction)
            }
            let other = fixture.another(master: successor).post
            let header = try phone.sign("/pa/auth/validate", [])
            let signed = try await other("/pa/v4/auth/validate", [SignatureHeader.name: header.text], [])
            let told = try await other(
                "/pa/v4/user/info", phone.encryptionHeader(inActivation: true), question.request.json.bytes)
            let body = Array("{}".utf8), confirming = try upgrading.sign("/pa/upgrade/confirm", body, .possession)
            let confirmed = try await other(
                "/pa/v4/upgrade/confirm", [SignatureHeader.name: confirming.text], body)
            let fresh = try PowerAuthFourPhone(
                sdkConfig: config, clock: fixture.time.clock, post: other)
            _ = try await fresh.temporaryKey()

            #expect(signed.isOK && confirmed.isOK)
            #expect(try question.open(told.json) == ["sub": "ada"])
        }
    }
}
