import Base
import Database
import Foundation
import ProtocolTestSupport
import TestSupport
import Testing

@testable import Operations
@testable import PowerAuth

@Suite("operations.md 2.4: approving without a network")
struct OperationOfflineTests {
    private func scan(
        _ bank: OperationsBank, _ order: OperationView, _ phone: BankPhone
    ) async throws -> ScannedOfflineCode {
        let shown = try await bank.service.offlineCode(order.id, registration: phone.id, for: PhoneFixture.bank)
        let text = try #require(shown["operationQrCodeData"]?.string), code = try #require(ScannedOfflineCode(text))
        #expect(shown["nonce"]?.string == Base64Text.encode(code.nonce))
        #expect(code.isSigned(by: phone.phone.serverKey) && code.keyType == "1")
        return code
    }

    private func check(
        _ bank: OperationsBank, _ order: OperationView, _ phone: BankPhone, _ otp: String, _ nonce: [UInt8]
    ) async throws -> JSONValue {
        let body: JSONValue = [
            "otp": .string(otp), "nonce": .string(Base64Text.encode(nonce)), "registrationId": .string(phone.id),
        ]
        return try await bank.service.checkOffline(order.id, body, by: PhoneFixture.bank)
    }

    enum Typing: CaseIterable, Sendable {
        case asShown, withoutDash, withBlanks, inFours

        func type(_ otp: String) -> String {
            switch self {
            case .asShown: otp
            case .withoutDash: otp.replacing("-", with: "")
            case .withBlanks: otp.replacing("-", with: " - ")
            case .inFours: " \(otp.prefix(4)) \(otp.dropFirst(4)) "
            }
        }
    }

    @Test(
        "the phone's answer approves, moves the counter, and is good once; however people type it",
        arguments: Typing.allCases)
    func approval(typing: Typing) async throws {
        try await OperationsBank.with { bank in
            let phone = try await bank.phone(), order = try await bank.order(),
                code = try await scan(bank, order, phone), otp = try phone.answer(code)
            var after = phone
            after.phone.skip(1)

            let found = try await check(bank, order, phone, typing.type(otp), code.nonce)
            let again = await backOfficeRefusal { _ = try await check(bank, order, phone, otp, code.nonce) }
            let validated = try await after.phone.validate()

            #expect(
                code.flags == "B" && code.totp == nil && code.title == "Payment" && code.data == order.operation.data)
            #expect(
                found.text
                    == """
                    {\"otpValid\":true,\"userId\":\"ada\",\"registrationId\":\"\(phone.id)\",\"registrationStatu\
                    s\":\"ACTIVE\",
                    """
                    + "\"signatureType\":\"possession_knowledge\",\"remainingAttempts\":5}")
            #expect(again == "ERROR_OPERATION_STATE_CHANGE")
            #expect(validated.isOK, "the counter stands where the phone's does")
            let read = try await bank.read(order)
            #expect(
                read["status"] == "APPROVED" && read["registrationId"]?.string == phone.id
                    && read["signatureType"] == "possession_knowledge")
        }
    }

    @Test("biometry answers where the operation allows it, and counts as wrong where it does not")
    func biometry() async throws {
        try await OperationsBank.with { bank in
            let phone = try await bank.phone(), payment = try await bank.order(),
                login = try await bank.order("ada", "login")
            let first = try await scan(bank, login, phone)
            let refused = try await check(bank, login, phone, try phone.answer(first, .possessionBiometry), first.nonce)
            let second = try await scan(bank, payment, phone)
            let found = try await check(
                bank, payment, phone, try phone.answer(second, .possessionBiometry), second.nonce)

            #expect(first.flags.isEmpty)
            #expect(
                refused["otpValid"] == false && refused["signatureType"] == nil && refused["remainingAttempts"] == 4)
            #expect(found["otpValid"] == true && found["signatureType"] == "possession_biometry")
        }
    }

    @Test("a wrong code counts for the operation and the registration, and blocks it at last")
    func wrong() async throws {
        try await OperationsBank.with { bank in
            let phone = try await bank.phone(), order = try await bank.order("ada", "login"),
                code = try await scan(bank, order, phone)

            var found: [JSONValue] = []
            for number in 1...5 {
                found.append(try await check(bank, order, phone, "0000000\(number)-00000000", code.nonce))
            }

            #expect(found.map { $0["remainingAttempts"]?.integer } == [4, 3, 2, 1, 0])
            #expect(
                found.map { $0["registrationStatus"]?.string } == ["ACTIVE", "ACTIVE", "ACTIVE", "ACTIVE", "BLOCKED"])
            let state = try await bank.fixture.state(phone.phone), read = try await bank.read(order)
            #expect(state == .blocked && read["status"] == "FAILED" && read["failureCount"] == 5)
            let trail = try await bank.trail(order)
            #expect(trail.count { $0 == "operations.attempt refused signature_mismatch" } == 5)
        }
    }

    @Test("the answer to other data, or to another operation's nonce, is wrong")
    func otherData() async throws {
        try await OperationsBank.with { bank in
            let phone = try await bank.phone(), order = try await bank.order(), other = try await bank.order()
            let code = try await scan(bank, order, phone), strange = try await scan(bank, other, phone)

            let wrong = try await check(bank, order, phone, try phone.answer(strange), code.nonce)
            let mixed = await backOfficeRefusal {
                _ = try await check(bank, order, phone, try phone.answer(strange), strange.nonce)
            }
            let unknown = await backOfficeRefusal {
                _ = try await check(bank, order, phone, "00000000-00000000", [UInt8](repeating: 0, count: 16))
            }

            #expect(wrong["otpValid"] == false)
            #expect(mixed == "ERROR_OTP_INVALID" && unknown == "ERROR_OTP_INVALID")
            let failures = try await bank.failures(order)
            #expect(failures == 1)
        }
    }

    @Test(
        "what has not the shape of an answer is refused and counts nothing",
        arguments: ["", "1234", "abcdefgh-abcdefgh", "1234567890123456789", "１２３４５６７８-12345678"])
    func shapes(otp: String) async throws {
        try await OperationsBank.with { bank in
            let phone = try await bank.phone(), order = try await bank.order(),
                code = try await scan(bank, order, phone)

            let refused = await backOfficeRefusal { _ = try await check(bank, order, phone, otp, code.nonce) }

            #expect(refused == "ERROR_REQUEST")
            let failures = try await bank.failures(order)
            #expect(failures == 0)
        }
    }

    @Test(
        "with a proximity check the code stands in the text, is signed with it, and stays good while the operation does"
    )
    func proximity() async throws {
        try await OperationsBank.with { bank in
            let phone = try await bank.phone(), order = try await bank.order("ada", "near"),
                code = try await scan(bank, order, phone)
            let digits = order.json["proximityOtp"]?.string
            bank.time.advance(200)

            let found = try await check(bank, order, phone, try phone.answer(code), code.nonce)

            #expect(code.totp == digits && digits?.utf8.count == 8)
            #expect(found["otpValid"] == true)
        }
    }

    @Test("text is escaped, data stays as it is signed, and risk flags are told")
    func text() async throws {
        try await OperationsBank.with { bank in
            let template = Samples.simple(
                "risky", factors: ["possession_biometry"], ["dataTemplate": "A1*N${note}", "riskFlags": "XCF"],
                text: ["message": "Line\nand \\ ${note}"])
            _ = try await bank.service.addTemplate(template, by: PhoneFixture.bank)
            let phone = try await bank.phone(),
                order = try await bank.order("ada", "risky", parameters: ["note": "a*b\nc"])

            let code = try await scan(bank, order, phone)
            let pin = try await check(bank, order, phone, try phone.answer(code), code.nonce)

            #expect(code.message == "Line\nand \\ a*b\nc")
            #expect(code.data == "A1*Na\\*b\\nc" && code.data == order.operation.data)
            #expect(code.flags == "BCFX")
            #expect(pin["otpValid"] == false, "the template wants biometry")
        }
    }

    @Test("codes are for the operation's user and live registrations only")
    func whose() async throws {
        try await OperationsBank.with { bank in
            let phone = try await bank.phone(), bob = try await bank.phone("bob"), order = try await bank.order(),
                unclaimed = try await bank.order(nil)
            let bound = try await bank.order("ada", "payment", ["registrationId": .string(phone.id)]),
                second = try await bank.phone()
            func ask(_ order: OperationView, _ id: String?) async -> String? {
                await backOfficeRefusal {
                    _ = try await bank.service.offlineCode(order.id, registration: id, for: PhoneFixture.bank)
                }
            }

            let refused = [
                await ask(order, bob.id), await ask(unclaimed, phone.id), await ask(bound, second.id),
                await ask(order, "unknown"), await ask(order, ""),
            ]
            _ = try await bank.fixture.service.change(phone.id, .block(reason: "LOST"), by: PhoneFixture.bank)
            let blocked = await ask(order, phone.id)
            try await bank.cancel(order)
            let canceled = await ask(order, phone.id)

            #expect(
                refused == [
                    "ERROR_REGISTRATION_NOT_ALLOWED", "ERROR_REGISTRATION_NOT_ALLOWED",
                    "ERROR_REGISTRATION_NOT_ALLOWED", "ERROR_REGISTRATION_NOT_FOUND",
                    "ERROR_REGISTRATION_NOT_FOUND",
                ])
            #expect(blocked == "ERROR_REGISTRATION_NOT_ALLOWED" && canceled == "ERROR_OPERATION_STATE_CHANGE")
        }
    }

    @Test("the last hundred codes of an operation are good, older ones no longer")
    func manyCodes() async throws {
        try await OperationsBank.with { bank in
            let phone = try await bank.phone(), order = try await bank.order(),
                first = try await scan(bank, order, phone)
            bank.time.advance(1)
            let second = try await scan(bank, order, phone)
            for _ in 0..<(OfflineService.mostCodes - 1) {
                bank.time.advance(1)
                _ = try await bank.service.offlineCode(order.id, registration: phone.id, for: PhoneFixture.bank)
            }

            let gone = await backOfficeRefusal {
                _ = try await check(bank, order, phone, try phone.answer(first), first.nonce)
            }
            let found = try await check(bank, order, phone, try phone.answer(second), second.nonce)
            let kept: Int = try await bank.database.value("select count(*) from phone_offline_nonce")

            #expect(gone == "ERROR_OTP_INVALID" && found["otpValid"] == true && kept == OfflineService.mostCodes)
        }
    }

    @Test("data that the app could not read offline is said so")
    func unreadable() async throws {
        try await OperationsBank.with { bank in
            _ = try await bank.service.addTemplate(
                Samples.simple("free", factors: ["possession_knowledge"], ["dataTemplate": "anything"]),
                by: PhoneFixture.bank)
            let phone = try await bank.phone(), order = try await bank.order("ada", "free")

            let refused = await backOfficeRefusal {
                _ = try await bank.service.offlineCode(order.id, registration: phone.id, for: PhoneFixture.bank)
            }

            #expect(refused == "ERROR_REQUEST")
        }
    }
}
