import Base
import Database
import Foundation
import Operations
import TestSupport
import Testing
import TokenTree

@testable import PowerAuth

@Suite("operations.md 4.6, 4.7: activation, its states and what the status blob tells")
struct PhoneActivationTests {
    @Test(
        "a phone exchanges keys, waits for the back office, and is active then",
        arguments: PowerAuthPhone.System.allCases)
    func withCommit(system: PowerAuthPhone.System) async throws {
        try await PhoneFixture.with { fixture in
            var phone = try fixture.phone(system)
            let started = try await fixture.start()
            try await phone.activate(started.qrText)
            let waiting = try await phone.status(), early = try await phone.validate()
            let shown = try await fixture.registration(phone)

            let committed = try await fixture.service.commit(
                phone.activationID, RegistrationCommit(externalUserID: "clerk"), by: PhoneFixture.bank)
            let status = try await phone.status(), valid = try await phone.validate()

            #expect(phone.activationID == started.registration.id && started.registration.state == .created)
            #expect(waiting?.state == .pendingCommit && early.isUnauthenticated)
            let fingerprint = try phone.fingerprint()
            #expect(shown.state == .pendingCommit && shown.fingerprint == fingerprint)
            #expect(shown.name == "my phone" && shown.platform == system.rawValue && shown.appID == "bank-app")
            #expect(committed.state == .active && status?.state == .active)
            #expect(status?.currentVersion == 3 && status?.upgradeVersion == 3)
            #expect(
                status?.failed == 0 && status?.maximumFailed == 5 && status?.lookAhead == 20 && status?.counterByte == 0
            )
            #expect(valid.isOK)
            let last = try await phone.status(), isInStep = try phone.isInStep(last)
            #expect(isInStep)
        }
    }

    @Test("where the registration says so it is active at the key exchange, and there is nothing to commit")
    func withoutCommit() async throws {
        try await PhoneFixture.with { fixture in
            var phone = try await fixture.activated()
            let state = try await fixture.state(phone), valid = try await phone.validate(), id = phone.activationID

            let code = await backOfficeRefusal {
                _ = try await fixture.service.commit(id, RegistrationCommit(), by: PhoneFixture.bank)
            }

            #expect(state == .active && valid.isOK)
            #expect(code == "ERROR_REGISTRATION_CHANGE")
        }
    }

    @Test("a code works once, also when twenty phones show it at the same time")
    func once() async throws {
        try await PhoneFixture.with { fixture in
            let started = try await fixture.start()

            let won = try await crowd(20) { _ in
                var phone = try fixture.phone()
                return await refusal { try await phone.activate(started.qrText) }
            }

            #expect(won.count { $0 == nil } == 1)
            #expect(won.count { $0 == .refused(status: 400, code: "ERR_ACTIVATION") } == 19)
            let exchanges: Int = try await fixture.database.value(
                "select count(*) from audit where action = 'operations.registration.exchange'")
            #expect(exchanges == 1)
        }
    }

    @Test("unknown, expired and removed codes, and other ways to activate, are refused")
    func badCodes() async throws {
        try await PhoneFixture.with { fixture in
            let late = try await fixture.start(), removed = try await fixture.start(),
                spare = try await fixture.start(expires: fixture.time.now + 3_600)
            _ = try await fixture.service.change(removed.registration.id, .remove, by: PhoneFixture.bank)
            fixture.time.advance(600)
            let unknown = ActivationCode.fresh(.system)

            var codes: [PowerAuthPhoneError?] = []
            for text in [late.code.text, removed.code.text, unknown.text] {
                var phone = try fixture.phone()
                codes.append(await refusal { try await phone.activate(text) })
            }
            let others: [(String, JSONValue)] = [
                ("type", "CUSTOM"), ("type", "RECOVERY"), ("identityAttributes", [:]),
                ("identityAttributes", ["code": "AAAAA"]),
            ]
            for (name, value) in others {
                var phone = try fixture.phone()
                codes.append(await refusal { try await phone.activate(spare.code.text) { $0[name] = value } })
            }
            var phone = try fixture.phone()
            try await phone.activate(spare.qrText)

            #expect(codes == [PowerAuthPhoneError?](repeating: .refused(status: 400, code: "ERR_ACTIVATION"), count: 7))
            let state = try await fixture.state(phone),
                over = try await fixture.service.registration(late.registration.id, for: PhoneFixture.bank).state
            #expect(state == .pendingCommit && over == .removed)
        }
    }

    @Test("a code of one application is unknown in another, and stays good where it belongs")
    func otherApplication() async throws {
        try await PhoneFixture.with { fixture in
            let other = try await fixture.service.addApplication(
                try ApplicationDraft(appID: "other", name: "Other"), by: PhoneFixture.stranger
            ).application
            let started = try await fixture.start()
            var thief = try fixture.phone(config: other.sdkConfig), phone = try fixture.phone()

            let stolen = await refusal { try await thief.activate(started.code.text) }
            try await phone.activate(started.code.text)

            #expect(stolen == .refused(status: 400, code: "ERR_ACTIVATION"))
            let state = try await fixture.state(phone)
            #expect(state == .pendingCommit)
        }
    }

    @Test("after the exchange there are two minutes to commit at least; later it is removed, for the phone too")
    func commitTime() async throws {
        try await PhoneFixture.with { fixture in
            var phone = try fixture.phone()
            let started = try await fixture.start(expires: fixture.time.now + 10)
            fixture.time.advance(9)
            try await phone.activate(started.qrText)
            fixture.time.advance(119)
            let before = try await fixture.state(phone)
            fixture.time.advance(1)
            let id = phone.activationID

            let code = await backOfficeRefusal {
                _ = try await fixture.service.commit(id, RegistrationCommit(), by: PhoneFixture.bank)
            }

            let after = try await phone.status()
            #expect(before == .pendingCommit && code == "ERROR_REGISTRATION_CHANGE" && after?.state == .removed)
        }
    }

    // MARK: One-time passwords

    @Test("the phone says the password in the key exchange; five wrong ones and the registration is over")
    func passwordAtExchange() async throws {
        try await PhoneFixture.with { fixture in
            let started = try await fixture.start(otp: "4711", at: .onKeyExchange),
                doomed = try await fixture.start(otp: "4711")
            var phone = try fixture.phone()
            var wrong: [PowerAuthPhoneError?] = []
            for typed in [nil, "0000"] as [String?] {
                wrong.append(await refusal { try await phone.activate(started.code.text, otp: typed) })
            }
            try await phone.activate(started.code.text, otp: "4711")

            var other = try fixture.phone()
            for _ in 0..<5 { wrong.append(await refusal { try await other.activate(doomed.code.text, otp: "471") }) }
            let late = await refusal { try await other.activate(doomed.code.text, otp: "4711") }

            #expect(
                wrong.allSatisfy { $0 == .refused(status: 400, code: "ERR_ACTIVATION") }
                    && late == .refused(status: 400, code: "ERR_ACTIVATION"))
            let states = [
                try await fixture.state(phone),
                try await fixture.service.registration(doomed.registration.id, for: PhoneFixture.bank).state,
            ]
            #expect(states == [.pendingCommit, .removed])
        }
    }

    @Test("the back office says the password when it commits; missing ones count too, the fifth removes")
    func passwordAtCommit() async throws {
        try await PhoneFixture.with { fixture in
            var phone = try fixture.phone(), doomed = try fixture.phone()
            try await phone.activate(try await fixture.start(otp: "4711", at: .onCommit).qrText)
            try await doomed.activate(try await fixture.start(otp: "4711", at: .onCommit).qrText)
            func commit(_ id: String, _ otp: String?) async -> String? {
                await backOfficeRefusal {
                    _ = try await fixture.service.commit(id, RegistrationCommit(otp: otp), by: PhoneFixture.bank)
                }
            }

            let right = [
                await commit(phone.activationID, "0000"), await commit(phone.activationID, nil),
                await commit(phone.activationID, "4711"),
            ]
            var wrong: [String?] = []
            for _ in 0..<6 { wrong.append(await commit(doomed.activationID, "4712")) }

            #expect(right == ["ERROR_OTP_INVALID", "ERROR_OTP_INVALID", nil])
            #expect(wrong == [String?](repeating: "ERROR_OTP_INVALID", count: 5) + ["ERROR_REGISTRATION_CHANGE"])
            let states = [try await fixture.state(phone), try await fixture.state(doomed)]
            #expect(states == [.active, .removed])
        }
    }

    @Test("of twenty guesses at once five count")
    func guessing() async throws {
        try await PhoneFixture.with { fixture in
            var phone = try fixture.phone()
            try await phone.activate(try await fixture.start(otp: "4711", at: .onCommit).qrText)
            let id = phone.activationID

            let codes = try await crowd(20) { number in
                await backOfficeRefusal {
                    _ = try await fixture.service.commit(
                        id, RegistrationCommit(otp: "\(number)"), by: PhoneFixture.bank)
                }
            }

            #expect(
                codes.count { $0 == "ERROR_OTP_INVALID" } == 5
                    && codes.count { $0 == "ERROR_REGISTRATION_CHANGE" } == 15)
        }
    }

    // MARK: Status

    @Test("an unknown activation, one without a phone, and an id of any other shape answer noise")
    func noise() async throws {
        try await PhoneFixture.with { fixture in
            let phone = try await fixture.activated(), created = try await fixture.start().registration.id

            var blobs: Set<String> = []
            for id in ["00000000-0000-4000-8000-000000000000", created, "x", "00000000-0000-4000-8000-000000000000"] {
                let body: JSONValue = [
                    "requestObject": [
                        "activationId": .string(id),
                        "challenge": .string(Base64Text.encode([UInt8](repeating: 0, count: 16))),
                    ]
                ]
                let reply = try await fixture.post("/pa/v3/activation/status", [:], body.bytes)
                let status = try await phone.status(of: id)
                #expect(reply.isOK && status == nil)
                let blob = Base64Text.decode(reply.object?["encryptedStatusBlob"]?.string ?? "")
                #expect(blob?.count == 32 && Base64Text.decode(reply.object?["nonce"]?.string ?? "")?.count == 16)
                blobs.insert(Base64Text.encode(blob ?? []))
            }

            #expect(blobs.count == 4)
        }
    }

    @Test(
        "what is no status request is refused",
        arguments: [
            "", "[]", "{}", #"{"requestObject":{"activationId":"x"}}"#,
            #"{"requestObject":{"activationId":1,"challenge":"AA=="}}"#,
            #"{"requestObject":{"activationId":"x","challenge":"AA=="}}"#,
        ])
    func badStatusRequests(body: String) async throws {
        try await PhoneFixture.with { fixture in
            let reply = try await fixture.post("/pa/v3/activation/status", [:], Array(body.utf8))
            #expect(reply.isRefused("ERR_ACTIVATION"))
        }
    }

    // MARK: Blocking and removing

    @Test("blocked, unblocked, removed: by the back office; what is removed stays so")
    func changes() async throws {
        try await PhoneFixture.with { fixture in
            var phone = try await fixture.activated()
            func change(_ change: RegistrationChange) async throws -> ActivationState {
                try await fixture.service.change(phone.activationID, change, by: PhoneFixture.bank).state
            }
            let blocked = try await change(.block(reason: "LOST")),
                reason = try await fixture.registration(phone).blockedReason, blob = try await phone.status()
            let refused = try await phone.validate()
            let unblocked = try await change(.unblock), valid = try await phone.validate()
            let removed = try await change(.remove), again = try await change(.remove)
            let id = phone.activationID
            var codes: [String?] = []
            for one in [RegistrationChange.unblock, .block(reason: "x"), .flags(["a"])] {
                codes.append(
                    await backOfficeRefusal { _ = try await fixture.service.change(id, one, by: PhoneFixture.bank) })
            }

            #expect(blocked == .blocked && reason == "LOST" && blob?.state == .blocked && refused.isUnauthenticated)
            #expect(unblocked == .active && valid.isOK)
            #expect(removed == .removed && again == .removed)
            #expect(codes == [String?](repeating: "ERROR_REGISTRATION_CHANGE", count: 3))
            let late = try await phone.status(), dead = try await phone.validate()
            #expect(late?.state == .removed && dead.isUnauthenticated)
        }
    }

    @Test("a phone removes itself by a signature, and only by one")
    func removesItself() async throws {
        try await PhoneFixture.with { fixture in
            var phone = try await fixture.activated()
            let
                wrong = try await phone.signed(
                    "/pa/v3/activation/remove", "/pa/activation/remove", [:], .possession, isWrong: true),
                before = try await fixture.state(phone)

            let removed = try await phone.removeActivation()

            let status = try await phone.status(), state = try await fixture.state(phone),
                dead = try await phone.validate()
            #expect(wrong.isUnauthenticated && before == .active)
            #expect(removed.isOK && status?.state == .removed && state == .removed && dead.isUnauthenticated)
        }
    }
}
