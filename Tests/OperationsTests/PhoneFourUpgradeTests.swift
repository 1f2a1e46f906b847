import Base
import TestSupport
import Testing

@testable import Operations
@testable import PowerAuth

@Suite("PowerAuth 4: upgrade from 3.3")
struct PhoneFourUpgradeTests {
    @Test("a phone of 3.3 hears that it may upgrade, does, and speaks 4 from then on")
    func upgrade() async throws {
        try await PhoneFixture.with { fixture in
            var old = try await fixture.activated()
            let before = try await old.status()
            try await fixture.take()
            let told = try await old.status()
            let token = try await old.createToken()
            var phone = try await fixture.fourPhone(.p384ML3)
            let started = try await phone.startUpgrade(of: &old, biometry: true)
            let between = try await old.validate(), waiting = try await phone.status()
            let confirmed = try await phone.confirmUpgrade()
            let three = try await old.validate(), four = try await phone.validate()
            let biometric = try await phone.validate(.possessionBiometry)
            let status = try await phone.status()
            let tokens = fixture.service.parts.tokens
            let read = try await tokens.check(phone.header(token), in: fixture.database)
            let registration = try await fixture.registration(phone)

            #expect(before?.upgradeVersion == 3 && told?.currentVersion == 3 && told?.upgradeVersion == 4)
            #expect(started.isOK && between.isOK)
            #expect(waiting.currentVersion == 3 && waiting.upgradeVersion == 4)
            #expect(waiting.flags == [.upgradeConfirmation, .biometry])
            #expect(confirmed.isOK && three.isUnauthenticated && four.isOK && biometric.isOK)
            #expect(status.currentVersion == 4 && status.flags == .biometry)
            #expect(try phone.isInStep(status))
            #expect(registration.protocolVersion == .four && registration.algorithm == "EC_P384_ML_L3")
            guard case .right = read else {
                Issue.record("a token that it had reads nothing any more")
                return
            }
        }
    }

    @Test("a start whose answer was lost is begun again; the first is confirmed no more")
    func lostStart() async throws {
        try await PhoneFixture.with { fixture in
            try await fixture.take()
            var old = try await fixture.activated(), first = try await fixture.fourPhone()
            var second = try await fixture.fourPhone(.p384ML5)
            #expect(try await first.startUpgrade(of: &old).isOK)
            #expect(try await second.startUpgrade(of: &old).isOK)
            var third = second
            let off = try await third.signed("upgrade/confirm", [:], .possessionBiometry)
            let stale = try await first.confirmUpgrade(), fresh = try await second.confirmUpgrade()
            let twice = try await second.confirmUpgrade()

            #expect(off.isUnauthenticated && stale.isUnauthenticated && fresh.isOK && twice.isUnauthenticated)
            #expect(
                try await fixture.refusedSteps(second) == ["biometry_off", "signature_mismatch", "upgrade_unknown"])
        }
    }

    @Test("it takes the PIN, an application that takes 4, and a registration of 3.3")
    func refused() async throws {
        try await PhoneFixture.with { fixture in
            try await fixture.take()
            var old = try await fixture.activated(), phone = try await fixture.fourPhone()
            let wrong = try await phone.startUpgrade(of: &old, isWrong: true)
            let failed = try await fixture.registration(old).failed
            let unasked = try await {
                var phone = phone
                phone.activationID = old.activationID
                phone.keys = try ActivationSecret(SecretBytes(Randomness.system.bytes(32)))
                phone.counter = try HashCounter(Randomness.system.bytes(32))
                return try await phone.confirmUpgrade()
            }()
            // A temporary key of application scope from before goes on; the choice is asked for again.
            let key = try await phone.temporaryKey()
            try await fixture.take(["3.3"])
            let offer = try SharedSecretOffer.fresh(.p384)
            let request = KeyExchangeRequest(sharedSecret: offer.request, deviceKeys: phone.device.publicKey)
            let exchange = try phone.encrypt(.upgradeStart, .object(request.members), with: key)
            let body = exchange.request.json.bytes
            let off = try await fixture.post(
                "/pa/v4/upgrade/start", old.text(try old.sign("/pa/upgrade/start", body)), body)

            #expect(wrong.isUnauthenticated && failed == 1 && unasked.isUnauthenticated)
            #expect(off.isRefused("ERR_UPGRADE"))
            #expect(
                try await fixture.refusedSteps(old) == [
                    "signature_mismatch", "upgrade_unknown", "protocol_not_taken",
                ])
            // The right signature moved its counter all the same.
            #expect(try old.isInStep(try await old.status()))
        }
    }

    @Test("an upgrade that began is not confirmed while its application takes its protocol or algorithm no longer")
    func takenBack() async throws {
        try await PhoneFixture.with { fixture in
            try await fixture.take()
            var old = try await fixture.activated(), phone = try await fixture.fourPhone(.p384ML3)
            try #require(try await phone.startUpgrade(of: &old).isOK)
            try await fixture.take(["3.3"])
            let withoutFour = try await phone.confirmUpgrade(), three = try await old.validate()
            try await fixture.take(["3.3", "4.0"], [.p384ML5])
            let other = try await phone.confirmUpgrade()
            let between = try await fixture.registration(phone).protocolVersion
            try await fixture.take()
            let again = try await phone.confirmUpgrade()

            #expect(withoutFour.isUnauthenticated && other.isUnauthenticated && three.isOK && between == .three)
            #expect(again.isOK)
            #expect(try await fixture.refusedSteps(phone) == ["protocol_not_taken", "algorithm_not_taken"])
        }
    }
}
