import Base
import Foundation
import ProtocolTestSupport
import TestSupport
import Testing

@testable import Operations

@Suite("operations.md 2.3: the phone proves that it saw the screen")
struct OperationProximityTests {
    @Test("the code is the back office's alone: no list, detail or history has it")
    func hidden() async throws {
        try await OperationsBank.with { bank in
            var phone = try await bank.phone()
            let order = try await bank.order("ada", "near"), otp = try #require(order.json["proximityOtp"]?.string)

            let seen = [
                try await phone.call(BankPhone.root + "list"), try await phone.detail(order), try await phone.history(),
            ].map(\.json.text)

            #expect(otp.utf8.count == 8)
            #expect(seen.allSatisfy { !$0.contains(otp) && !$0.contains("roximityOtp") })
            #expect(seen[0].contains("QR_SCAN"))
        }
    }

    @Test(
        "the code of now and of one step before is right, an older one and one of the future are not",
        arguments: [(0, true), (30, true), (59, true), (60, false), (-1, false)])
    func steps(seconds: Int, isRight: Bool) async throws {
        try await OperationsBank.with { bank in
            var phone = try await bank.phone()
            bank.time.advance(30)
            let order = try await bank.order("ada", "near"), otp = try #require(order.json["proximityOtp"])
            bank.time.advance(TimeInterval(seconds))

            let reply = try await phone.authorize(order, otp: otp)

            #expect(isRight ? reply.isOK : reply.code == "OPERATION_FAILED", "\(reply.json.text)")
        }
    }

    @Test(
        "a wrong or missing code counts at the operation and nowhere else; the last one ends it",
        arguments: ["", "0000000", "000000000", "abcdefgh", nil] as [String?])
    func wrong(otp: String?) async throws {
        try await OperationsBank.with { bank in
            var phone = try await bank.phone()
            let order = try await bank.order("ada", "near")

            var codes: [String?] = []
            for _ in 0..<3 {
                codes.append(try await phone.authorize(order, otp: otp.map { JSONValue.string($0) }).code)
            }
            let late = try await phone.authorize(order, otp: order.json["proximityOtp"])

            #expect(codes == ["OPERATION_FAILED", "OPERATION_FAILED", "OPERATION_ALREADY_FAILED"])
            #expect(late.isRefused("OPERATION_ALREADY_FAILED"))
            let registration = try await bank.fixture.registration(phone.phone)
            #expect(registration.failed == 0)
            let trail = try await bank.trail(order),
                step = otp == nil ? "proximity_code_missing" : "proximity_code_mismatch"
            #expect(trail.count { $0 == "operations.attempt refused \(step)" } == 3)
        }
    }

    @Test("another operation's code is wrong; rejecting needs none; each operation can switch the check")
    func switches() async throws {
        try await OperationsBank.with { bank in
            var phone = try await bank.phone()
            let order = try await bank.order("ada", "near"), other = try await bank.order("ada", "near")
            let off = try await bank.order("ada", "near", ["proximityCheckEnabled": false]),
                on = try await bank.order("ada", "login", ["proximityCheckEnabled": true])

            let wrong = try await phone.authorize(order, otp: other.json["proximityOtp"]),
                rejected = try await phone.reject(order)
            let plain = try await phone.authorize(off),
                checked = try await phone.authorize(on, otp: on.json["proximityOtp"])

            #expect(order.json["proximityOtp"] != other.json["proximityOtp"] && off.json["proximityOtp"] == nil)
            #expect(wrong.code == "OPERATION_FAILED" && rejected.isOK && plain.isOK && checked.isOK)
        }
    }

    @Test("link and JWT hold operation and code; without the check, or when it is over, there is none")
    func forms() async throws {
        try await OperationsBank.with { bank in
            let order = try await bank.order("ada", "near"), plain = try await bank.order("ada", "login"),
                service = bank.service
            func ask(_ order: OperationView, _ scheme: String?) async -> String? {
                await backOfficeRefusal {
                    _ = try await service.proximity(order.id, scheme: scheme, for: PhoneFixture.bank)
                }
            }

            let shown = try await service.proximity(order.id, scheme: "mybank", for: PhoneFixture.bank)
            let refused = [
                await ask(plain, "mybank"), await ask(order, nil), await ask(order, "no scheme"),
                await ask(order, "1x"),
            ]
            try await bank.cancel(order)
            let over = await ask(order, "mybank"), after = try await bank.read(order)

            let deeplink = try #require(shown["deeplink"]?.string), link = try #require(ScannedProximityCode(deeplink)),
                jwt = ScannedProximityCode(try #require(shown["jwt"]?.string))
            #expect(shown["deeplink"]?.string?.hasPrefix("mybank://operation?oid=") == true)
            #expect(link == jwt && link.operationID == order.id && link.code == shown["otp"]?.string)
            #expect(shown["timestampExpires"]?.integer == bank.time.now.milliseconds + 60_000)
            #expect(refused == ["ERROR_OPERATION_STATE_CHANGE", "ERROR_REQUEST", "ERROR_REQUEST", "ERROR_REQUEST"])
            #expect(over == "ERROR_OPERATION_STATE_CHANGE" && after["proximityOtp"] == nil)
        }
    }
}
