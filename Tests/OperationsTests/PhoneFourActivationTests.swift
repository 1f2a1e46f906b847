import Base
import Operations
import TestSupport
import Testing

@testable import PowerAuth

@Suite("PowerAuth 4: who may speak it, activation and confirmation")
struct PhoneFourActivationTests {
    @Test(
        "a phone activates, confirms and is in use, with each algorithm", arguments: SharedSecretAlgorithm.allCases)
    func activation(algorithm: SharedSecretAlgorithm) async throws {
        try await PhoneFixture.with { fixture in
            try await fixture.take()
            var phone = try await fixture.fourPhone(algorithm)
            let started = try await fixture.start()
            try await phone.activate(started.code.text)
            let before = try await phone.status(), unconfirmed = try await phone.validate()
            let confirmed = try await phone.confirm(biometry: true)
            _ = try await fixture.service.commit(
                phone.activationID, RegistrationCommit(), by: PhoneFixture.bank)
            let validated = try await phone.validate(), after = try await phone.status()
            let registration = try await fixture.registration(phone)

            #expect(before.state == .pendingCommit && before.flags == .activationConfirmation)
            #expect(unconfirmed.isUnauthenticated)
            #expect(confirmed.isOK && validated.isOK)
            #expect(after.state == .active && after.flags == .biometry)
            #expect(after.currentVersion == 4 && after.upgradeVersion == 4)
            #expect(try phone.isInStep(after))
            #expect(registration.protocolVersion == .four && registration.algorithm == algorithm.rawValue)
            #expect(try registration.fingerprint == phone.fingerprint())
        }
    }

    @Test("until it is confirmed it does nothing, and the audit says why; a second confirmation changes nothing")
    func unconfirmed() async throws {
        try await PhoneFixture.with { fixture in
            try await fixture.take()
            var phone = try await fixture.fourPhone()
            try await phone.activate(try await fixture.start(phase: .onKeyExchange).code.text)
            let token = try await phone.sealed("token/create", .tokenCreate, [:], .possession).reply
            let user = try await phone.userInfo().reply
            let steps = try await fixture.refusedSteps(phone)
            let first = try await phone.confirm(biometry: true), second = try await phone.confirm()
            let status = try await phone.status()

            #expect(token.isUnauthenticated && user.isRefused("ERR_USER_INFO"))
            #expect(steps == ["activation_unconfirmed", "activation_unconfirmed"])
            #expect(first.isOK && second.isOK && status.flags == .biometry)
        }
    }

    @Test("wrong PINs at the confirmation count; the last takes away what nobody could unblock")
    func wrongConfirmations() async throws {
        try await PhoneFixture.with { fixture in
            try await fixture.take()
            var phone = try await fixture.fourPhone()
            try await phone.activate(try await fixture.start().code.text)
            for _ in 0..<4 { #expect(try await phone.confirm(isWrong: true).isUnauthenticated) }
            let before = try await fixture.registration(phone)
            #expect(try await phone.confirm(isWrong: true).isUnauthenticated)
            let after = try await fixture.registration(phone)

            #expect(before.state == .pendingCommit && before.failed == 4)
            #expect(after.state == .removed)
        }
    }

    @Test("an application that does not take the protocol or the algorithm refuses it, in either direction")
    func notTaken() async throws {
        try await PhoneFixture.with { fixture in
            let withKeys = try await fixture.take()
            let three = try await fixture.take(["3.3"])
            let phone = try PowerAuthFourPhone(
                sdkConfig: withKeys, algorithm: .p384, clock: fixture.time.clock, post: fixture.post)
            let off = await refusal { _ = try await phone.temporaryKey() }
            try await fixture.take(["4.0"], [.p384])
            var other = try await fixture.fourPhone(.p384ML3)
            let algorithm = await refusal { _ = try await other.temporaryKey() }
            // By a key of an algorithm that is taken, one that is not.
            other = try await fixture.fourPhone()
            let code = try await fixture.start().code.text
            let exchange = await refusal { try await other.activate(code, as: .p384ML5) }
            var old = try fixture.phone()
            let activation = await refusal { try await old.activate(code) }

            #expect(three == fixture.sdkConfig && withKeys != three)
            #expect(off == .refused(status: 400, code: "ERR_TEMPORARY_KEY"))
            #expect(algorithm == .refused(status: 400, code: "ERR_TEMPORARY_KEY"))
            #expect(exchange == .refused(status: 400, code: "ERR_ACTIVATION"))
            #expect(activation == .refused(status: 400, code: "ERR_ACTIVATION"))
        }
    }

    @Test("keys are made once; phones in use go on when their protocol or algorithm is taken no more")
    func switchedOff() async throws {
        try await PhoneFixture.with { fixture in
            let first = try await fixture.take()
            var phone = try await fixture.fourActivated(.p384ML3), old = try await fixture.activated()
            try await fixture.take(["3.3"])
            let four = try await phone.validate(), status = try await phone.status()
            let second = try await fixture.take(["4.0"], [.p384])
            let three = try await old.validate()

            #expect(first == second)
            #expect(four.isOK && three.isOK)
            #expect(status.flags == .unsupportedAlgorithm)
        }
    }

    @Test("the code is signed by the key of the protocol that is asked for, of 3.3 where nobody says")
    func codeSignatures() async throws {
        try await PhoneFixture.with { fixture in
            let config = try SDKConfiguration(text: try await fixture.take())
            func signature(_ version: PhoneProtocol?) async throws -> (JSONValue, [UInt8], [UInt8]) {
                let draft = try PhoneRegistrationDraft(userID: "ada", protocolVersion: version)
                let started = try await fixture.service.startRegistration(draft, by: PhoneFixture.bank)
                return (
                    started.json, Array(started.code.text.utf8),
                    try #require(Base64Text.decode(started.signature))
                )
            }
            let (_, code, standard) = try await signature(nil), (_, other, four) = try await signature(.four)
            try await fixture.take(["4.0"])
            let (_, third, only) = try await signature(nil)
            let refused = await backOfficeRefusal { _ = try await signature(.three) }
            let master = try #require(config.hybridKeys.first)

            #expect(PublicPoint.isSigned(code, der: standard, by: config.masterPublicKey))
            #expect(master.isSigned(other, der: four) && master.isSigned(third, der: only))
            #expect(refused == "ERROR_REQUEST")
        }
    }

    @Test(
        "choices that are none are refused",
        arguments: [
            #"{}"#, #"{"protocols":[]}"#, #"{"protocols":["3.2"]}"#, #"{"protocols":"4.0"}"#,
            #"{"protocols":["4.0"],"algorithms":[]}"#, #"{"protocols":["4.0"],"algorithms":["EC_P256"]}"#,
            #"{"protocols":["3.3"],"algorithms":["EC_P384"]}"#, #"[]"#,
        ])
    func choices(text: String) throws {
        let json = try JSONReader.read(Array(text.utf8))
        #expect(throws: BackOfficeRefusal.self) { _ = try ProtocolChoice(json) }
    }

    @Test("a stranger's application is none that can be chosen for")
    func stranger() async throws {
        try await PhoneFixture.with { fixture in
            let choice = try ProtocolChoice(protocols: ["4.0"], algorithms: nil)
            let refused = await backOfficeRefusal {
                _ = try await fixture.service.choose(choice, of: "bank-app", by: PhoneFixture.stranger)
            }
            #expect(refused == "ERROR_APPLICATION_NOT_FOUND")
        }
    }
}
