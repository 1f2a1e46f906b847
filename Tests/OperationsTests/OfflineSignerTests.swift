import Base
import Database
import Foundation
import PowerAuth
import ProtocolTestSupport
import TestSupport
import Testing

@testable import Operations

@Suite("operations.md 2.4: who signs an offline code, and under which URI id it is answered")
struct OfflineSignerTests {
    private func scan(
        _ bank: OperationsBank, _ order: OperationView, _ registration: String? = nil, signer: String? = nil
    ) async throws -> ScannedOfflineCode {
        let shown = try await bank.service.offlineCode(
            order.id, registration: registration, signer: signer, for: PhoneFixture.bank)
        let text = try #require(shown["operationQrCodeData"]?.string)
        return try #require(ScannedOfflineCode(text))
    }

    private func check(
        _ bank: OperationsBank, _ order: OperationView, _ phone: BankPhone, _ otp: String, _ nonce: [UInt8]
    ) async throws -> JSONValue {
        let body: JSONValue = [
            "otp": .string(otp), "nonce": .string(Base64Text.encode(nonce)), "registrationId": .string(phone.id),
        ]
        return try await bank.service.checkOffline(order.id, body, by: PhoneFixture.bank)
    }

    private func master(_ bank: OperationsBank) throws -> [UInt8] {
        try SDKConfiguration(text: bank.fixture.sdkConfig).masterPublicKey
    }

    @Test("without a registration the application signs, and the first phone with a right answer has the operation")
    func unclaimed() async throws {
        try await OperationsBank.with { bank in
            let ada = try await bank.phone(), bob = try await bank.phone("bob"), order = try await bank.order(nil)
            let code = try await scan(bank, order), key = try master(bank)

            let wrong = try await check(bank, order, bob, "00000000-00000000", code.nonce)
            let found = try await check(bank, order, ada, try ada.answer(code), code.nonce)
            let late = await backOfficeRefusal {
                _ = try await check(bank, order, bob, try bob.answer(code), code.nonce)
            }

            #expect(code.keyType == "0" && code.isSigned(by: key) && !code.isSigned(by: ada.phone.serverKey))
            #expect(wrong["otpValid"] == false && wrong["userId"] == "bob" && wrong["remainingAttempts"] == 4)
            #expect(found["otpValid"] == true && found["userId"] == "ada" && late == "ERROR_OPERATION_STATE_CHANGE")
            let read = try await bank.read(order)
            #expect(read["status"] == "APPROVED" && read["userId"] == "ada" && read["failureCount"] == 1)
            #expect(read["registrationId"]?.string == ada.id)
        }
    }

    @Test("of two people who answer at once, one has the operation")
    func together() async throws {
        try await OperationsBank.with { bank in
            let phones = [try await bank.phone("ada"), try await bank.phone("bob")], order = try await bank.order(nil),
                code = try await scan(bank, order)

            let codes = try await crowd(2) { number in
                await backOfficeRefusal {
                    let phone = phones[number]
                    _ = try await check(bank, order, phone, try phone.answer(code), code.nonce)
                }
            }

            let read = try await bank.read(order)
            #expect(codes.count { $0 == nil } == 1 && codes.contains("ERROR_OPERATION_STATE_CHANGE"))
            #expect(read["status"] == "APPROVED")
            #expect(read["userId"]?.string == (codes[0] == nil ? "ada" : "bob"))
        }
    }

    @Test("a wrong answer leaves an operation nobody's, and the last one that it takes ends it")
    func wrong() async throws {
        try await OperationsBank.with { bank in
            let ada = try await bank.phone(), bob = try await bank.phone("bob"), order = try await bank.order(nil),
                code = try await scan(bank, order)

            _ = try await check(bank, order, ada, "00000000-00000000", code.nonce)
            let between = try await bank.read(order)
            _ = try await check(bank, order, bob, "00000000-00000000", code.nonce)
            _ = try await check(bank, order, bob, "00000000-00000001", code.nonce)

            let read = try await bank.read(order)
            #expect(between["userId"] == nil && between["failureCount"] == 1 && between["status"] == "PENDING")
            #expect(read["status"] == "FAILED" && read["userId"] == nil)
        }
    }

    @Test("the application signs one person's operation as well; only that person's phones answer")
    func chosen() async throws {
        try await OperationsBank.with { bank in
            let ada = try await bank.phone(), second = try await bank.phone(), bob = try await bank.phone("bob"),
                key = try master(bank), order = try await bank.order()
            let anyPhone = try await scan(bank, order),
                onePhone = try await scan(bank, order, ada.id, signer: "application"),
                own = try await scan(bank, order, ada.id, signer: "registration")

            let stranger = await backOfficeRefusal {
                _ = try await check(bank, order, bob, try bob.answer(anyPhone), anyPhone.nonce)
            }
            let other = await backOfficeRefusal {
                _ = try await check(bank, order, second, try second.answer(onePhone), onePhone.nonce)
            }
            let found = try await check(bank, order, second, try second.answer(anyPhone), anyPhone.nonce)

            #expect([anyPhone.keyType, onePhone.keyType, own.keyType] == ["0", "0", "1"])
            #expect(anyPhone.isSigned(by: key) && onePhone.isSigned(by: key) && own.isSigned(by: ada.phone.serverKey))
            #expect(stranger == "ERROR_REGISTRATION_NOT_ALLOWED" && other == "ERROR_OTP_INVALID")
            let failures = try await bank.failures(order)
            #expect(found["otpValid"] == true && failures == 0)
        }
    }

    @Test("blocked phones, those without the flag, and those of others than it is bound to answer for nobody")
    func whose() async throws {
        try await OperationsBank.with { bank in
            let ada = try await bank.phone(), bob = try await bank.phone("bob"), carol = try await bank.phone("carol"),
                order = try await bank.order(nil), flagged = try await bank.order(nil, "payment", ["flag": "VIP"]),
                bound = try await bank.order(nil, "payment", ["registrationId": .string(ada.id)])
            _ = try await bank.fixture.service.change(bob.id, .block(reason: "LOST"), by: PhoneFixture.bank)
            func answer(_ order: OperationView, _ phone: BankPhone) async throws -> String? {
                let code = try await scan(bank, order)
                return await backOfficeRefusal {
                    _ = try await check(bank, order, phone, try phone.answer(code), code.nonce)
                }
            }

            let refused = [
                try await answer(order, bob), try await answer(flagged, ada), try await answer(bound, carol),
            ]
            let unknown = await backOfficeRefusal {
                let code = try await scan(bank, order)
                let body: JSONValue = [
                    "otp": "00000000-00000000", "nonce": .string(Base64Text.encode(code.nonce)),
                    "registrationId": "unknown",
                ]
                _ = try await bank.service.checkOffline(order.id, body, by: PhoneFixture.bank)
            }
            let stranger = await backOfficeRefusal {
                _ = try await bank.service.offlineCode(order.id, registration: nil, for: PhoneFixture.stranger)
            }

            #expect(refused == Array(repeating: "ERROR_REGISTRATION_NOT_ALLOWED", count: 3))
            #expect(unknown == "ERROR_REGISTRATION_NOT_FOUND" && stranger == "ERROR_OPERATION_NOT_FOUND")
            let failures = try await bank.failures(order)
            #expect(failures == 0)
        }
    }

    @Test(
        "signers that are none, and the registration's without one, are refused",
        arguments: ["registration", "", "MASTER"])
    func signers(signer: String) async throws {
        try await OperationsBank.with { bank in
            let order = try await bank.order(nil)

            let refused = await backOfficeRefusal { _ = try await scan(bank, order, signer: signer) }

            #expect(refused == "ERROR_REQUEST")
        }
    }

    @Test("an operation is answered under its own URI id: its own, its template's, or the SDKs'")
    func uriID() async throws {
        try await OperationsBank.with { bank in
            _ = try await bank.service.addTemplate(
                Samples.simple("shop", factors: ["possession_knowledge"], ["offlineUriId": "/shop/offline"]),
                by: PhoneFixture.bank)
            let phone = try await bank.phone()
            var counter = try #require(phone.phone.counter)
            for (template, more, uriID) in [
                ("login", [:], "/operation/authorize/offline"), ("shop", [:], "/shop/offline"),
                ("shop", ["offlineUriId": "/till/offline"], "/till/offline"),
            ] as [(String, JSONObject, String)] {
                let order = try await bank.order("ada", template, more), code = try await scan(bank, order, phone.id)

                let usual = try phone.answer(code, at: counter, uriID: "/other")
                let wrong = try await check(bank, order, phone, usual, code.nonce)
                let right = try phone.answer(code, at: counter, uriID: uriID)
                let found = try await check(bank, order, phone, right, code.nonce)
                counter = counter.next()

                let told = try await bank.read(order)["offlineUriId"]?.string
                #expect(wrong["otpValid"] == false && found["otpValid"] == true, "\(uriID)")
                #expect(told == (uriID == "/operation/authorize/offline" ? nil : uriID))
            }
            let read = try await bank.service.template("shop", for: PhoneFixture.bank)
            #expect(read.json["offlineUriId"] == "/shop/offline")
        }
    }

    @Test(
        "a URI id begins with a slash and has visible ASCII",
        arguments: ["operation", "/a b", "/ä", "/a\nb", .integer(7), .string("/" + String(repeating: "x", count: 256))]
            as [JSONValue])
    func hostileURI(uriID: JSONValue) async throws {
        try await OperationsBank.with { bank in
            let refused = await backOfficeRefusal { _ = try await bank.order("ada", "login", ["offlineUriId": uriID]) }
            let template = await backOfficeRefusal {
                _ = try await bank.service.addTemplate(
                    Samples.simple("odd", factors: ["possession"], ["offlineUriId": uriID]), by: PhoneFixture.bank)
            }

            #expect(refused == "ERROR_REQUEST" && template == "ERROR_REQUEST")
        }
    }
}
