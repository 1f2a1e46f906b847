import Base
import Foundation
import TestSupport
import Testing

@testable import Operations
@testable import PowerAuth

@Suite("backoffice.md: which attempts at an operation count, and in which order they are looked at")
struct OperationCountingTests {
    private static let failed = "OPERATION_FAILED"

    @Test("data is compared byte for byte; each difference counts, and the last try ends it, whatever comes later")
    func data() async throws {
        try await OperationsBank.with { bank in
            var phone = try await bank.phone()
            let order = try await bank.order(), data = order.operation.data

            var codes: [String?] = []
            for other in [data + " ", data.lowercased(), String(data.dropLast())] {
                codes.append(try await phone.authorize(order, data: other).code)
            }
            let right = try await phone.authorize(order), reject = try await phone.reject(order)

            #expect(codes == [Self.failed, Self.failed, "OPERATION_ALREADY_FAILED"])
            #expect(right.isRefused("OPERATION_ALREADY_FAILED") && reject.isRefused("OPERATION_ALREADY_FAILED"))
            let after = try await bank.read(order), registration = try await bank.fixture.registration(phone.phone)
            #expect(after["status"] == "FAILED" && after["failureCount"] == 3)
            #expect(registration.failed == 0, "the PIN was right")
            let trail = try await bank.trail(order)
            #expect(
                trail == ["operations.begin done"]
                    + Array(repeating: "operations.attempt refused data_mismatch", count: 3)
                    + [
                        "operations.fail done", "operations.approve refused operation_not_pending",
                        "operations.reject refused operation_not_pending",
                    ])
        }
    }

    @Test("the same letters in another normal form of Unicode are other data")
    func unicode() async throws {
        try await OperationsBank.with { bank in
            var phone = try await bank.phone()
            var details = Samples.details
            details["note"] = "caf\u{E9}"
            let order = try await bank.order(parameters: details)

            let other = try await phone.authorize(
                order, data: order.operation.data.replacing("\u{E9}", with: "e\u{301}"))
            let right = try await phone.authorize(order)

            #expect(other.status == 401 && other.code == Self.failed)
            #expect(right.isOK)
        }
    }

    @Test("a factor that the template does not allow counts")
    func factor() async throws {
        try await OperationsBank.with { bank in
            var phone = try await bank.phone()
            let order = try await bank.order("ada", "login")

            let replies = [
                try await phone.authorize(order, .possessionBiometry), try await phone.authorize(order, .possession),
            ]
            let failures = try await bank.failures(order), right = try await phone.authorize(order)

            for reply in replies { #expect(reply.status == 401 && reply.code == Self.failed) }
            #expect(failures == 2 && right.isOK)
            let trail = try await bank.trail(order)
            #expect(trail.filter { $0.hasSuffix("factor_not_allowed") }.count == 2)
        }
    }

    @Test("an operation that asks for possession alone is approved with it, and says 1FA")
    func oneFactor() async throws {
        try await OperationsBank.with { bank in
            var phone = try await bank.phone()
            let order = try await bank.order("ada", "notice")

            let shown = try await phone.list().first, reply = try await phone.authorize(order, .possession)

            #expect(shown?["allowedSignatureType"] == ["type": "1FA", "variants": ["possession"]])
            #expect(reply.isOK)
        }
    }

    @Test(
        """
        a wrong PIN of the operation's own user counts there and at the registration; with the last try the phone \
        hears that it failed
        """
    )
    func wrongPIN() async throws {
        try await OperationsBank.with { bank in
            var phone = try await bank.phone()
            let first = try await bank.order(), second = try await bank.order()

            let wrong = try await phone.authorize(first, isWrong: true), failures = try await bank.failures(first)
            let counted = try await bank.fixture.registration(phone.phone).failed
            let right = try await phone.authorize(first),
                reset = try await bank.fixture.registration(phone.phone).failed
            var codes: [String?] = []
            for _ in 0..<3 { codes.append(try await phone.authorize(second, isWrong: true).code) }

            #expect(wrong.status == 401 && wrong.code == "POWERAUTH_AUTH_FAIL")
            #expect(failures == 1 && counted == 1)
            #expect(right.isOK && reset == 0)
            #expect(codes == ["POWERAUTH_AUTH_FAIL", "POWERAUTH_AUTH_FAIL", "OPERATION_ALREADY_FAILED"])
            let status = try await bank.status(second)
            #expect(status == "FAILED")
        }
    }

    @Test("of a signature that was right, a replay is refused and counts nothing")
    func replay() async throws {
        try await OperationsBank.with { bank in
            var phone = try await bank.phone()
            let order = try await bank.order(), data = order.operation.data + "x"
            let body = JSONValue.object(["requestObject": ["id": .string(order.id), "data": .string(data)]]).bytes
            let header = phone.phone.text(try phone.phone.sign("/operation/authorize", body))

            let first = try await phone.phone.post(BankPhone.root + "authorize", header, body)
            let second = try await phone.phone.post(BankPhone.root + "authorize", header, body)

            #expect(first.code == Self.failed)
            #expect(second.status == 401 && second.code == "POWERAUTH_AUTH_FAIL")
            let failures = try await bank.failures(order)
            #expect(failures == 1)
        }
    }

    @Test(
        """
        knowing an id burns nobody's attempts: other users, and phones of other registrations, are told of nothing \
        and count nothing
        """
    )
    func strangers() async throws {
        try await OperationsBank.with { bank in
            var ada = try await bank.phone("ada"), second = try await bank.phone("ada"),
                bob = try await bank.phone("bob")
            let order = try await bank.order(),
                bound = try await bank.order("ada", "payment", ["registrationId": .string(ada.id)])

            let replies = [
                try await bob.authorize(order), try await bob.authorize(order, data: "x"), try await bob.reject(order),
                try await bob.detail(order),
                try await bob.claim(order), try await second.authorize(bound),
                try await second.authorize(bound, data: "x"), try await second.detail(bound),
            ]
            let signatures = [
                try await bob.authorize(order, isWrong: true), try await second.authorize(bound, isWrong: true),
            ]

            for reply in replies { #expect(reply.isRefused("INVALID_REQUEST"), "\(reply.json.text)") }
            for reply in signatures { #expect(reply.status == 401 && reply.code == "POWERAUTH_AUTH_FAIL") }
            let failures = [try await bank.failures(order), try await bank.failures(bound)]
            #expect(failures == [0, 0])
            let listed = [try await second.listed(), try await ada.listed(), try await bob.listed()]
            #expect(listed == [[order.id], [bound.id, order.id], []])
            let approved = try await ada.authorize(bound)
            #expect(approved.isOK)
        }
    }

    @Test("an operation with a flag is for phones that have it; others hear so, and count nothing")
    func flags() async throws {
        try await OperationsBank.with { bank in
            var phone = try await bank.phone()
            let order = try await bank.order("ada", "payment", ["flag": "VIP"])

            let hidden = try await phone.listed(), refused = try await phone.authorize(order),
                detail = try await phone.detail(order)
            let failures = try await bank.failures(order)
            _ = try await bank.fixture.service.change(phone.id, .flags(["VIP"]), by: PhoneFixture.bank)
            let listed = try await phone.listed(), approved = try await phone.authorize(order)

            #expect(hidden.isEmpty && failures == 0)
            #expect(
                refused.isRefused("OPERATION_REQUIRES_ACTIVATION_FLAG")
                    && detail.isRefused("OPERATION_REQUIRES_ACTIVATION_FLAG"))
            #expect(listed == [order.id] && approved.isOK)
        }
    }

    @Test("another application's operation, and one that is not there, are the same to a phone")
    func otherApplication() async throws {
        try await OperationsBank.with { bank in
            var phone = try await bank.phone()
            _ = try await bank.fixture.service.addApplication(
                try ApplicationDraft(appID: "other-app", name: "Other"), by: PhoneFixture.bank)
            let order = try await bank.order("ada", "login", ["appId": "other-app"])

            let replies = [
                try await phone.authorize(order), try await phone.detail(order), try await phone.claim(order),
                try await phone.reject(order),
            ]
            let unknown = try await phone.call(
                BankPhone.root + "detail", ["id": "00000000-0000-4000-8000-000000000000"])

            for reply in replies { #expect(reply.json == unknown.json && reply.isRefused("INVALID_REQUEST")) }
        }
    }

    @Test(
        "a right signature over a body that is none is refused, and one that is wrong is told nothing of the body",
        arguments: [false, true])
    func malformed(isWrong: Bool) async throws {
        try await OperationsBank.with { bank in
            var phone = try await bank.phone()
            for body in [
                "{}", "[]", #"{"requestObject":{}}"#, #"{"requestObject":{"id":7,"data":"A"}}"#,
                #"{"requestObject":{"id":"x"}}"#, #"{"requestObject":null}"#,
            ] {
                let header = try phone.phone.sign(
                    "/operation/authorize", Array(body.utf8), .possession, isWrong: isWrong)

                let reply = try await phone.phone.post(
                    BankPhone.root + "authorize", phone.phone.text(header), Array(body.utf8))

                #expect(
                    isWrong
                        ? reply.status == 401 && reply.code == "POWERAUTH_AUTH_FAIL"
                        : reply.isRefused("INVALID_REQUEST"), "\(body)")
            }
        }
    }

    @Test(
        "without a header, with a token where a signature is wanted, or blocked: 401",
        arguments: ["none", "token", "blocked"])
    func unauthenticated(how: String) async throws {
        try await OperationsBank.with { bank in
            var phone = try await bank.phone()
            let order = try await bank.order()
            if how == "blocked" {
                _ = try await bank.fixture.service.change(phone.id, .block(reason: "LOST"), by: PhoneFixture.bank)
            }
            let body = JSONValue.object([
                "requestObject": ["id": .string(order.id), "data": .string(order.operation.data)]
            ]).bytes

            let headers = how == "token" ? [TokenHeader.name: phone.phone.header(phone.token).text] : [:]
            let reply =
                try await how == "blocked"
                ? phone.authorize(order) : phone.phone.post(BankPhone.root + "authorize", headers, body)

            #expect(reply.status == 401 && reply.code == "POWERAUTH_AUTH_FAIL")
            let failures = try await bank.failures(order)
            #expect(failures == 0)
        }
    }
}
