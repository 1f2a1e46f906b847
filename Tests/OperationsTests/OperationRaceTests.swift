import Base
import Foundation
import TestSupport
import Testing

@testable import Operations

@Suite("operations: races end in one effect, and without deadlock")
struct OperationRaceTests {
    private func told(_ bank: OperationsBank, _ order: OperationView) async throws -> [String] {
        try await bank.database.query(
            "select type from operations_callback_event where subject = \(order.id) order by number"
        ).map { try $0("type") as String }
    }

    private func callback(_ bank: OperationsBank) async throws {
        _ = try await bank.service.addCallback(
            ["url": "https://bank.example/hook", "events": ["operation"]], by: PhoneFixture.bank)
    }

    @Test("fifty approvals at once, by five phones: one effect, one line of the trail, one callback")
    func approvals() async throws {
        try await OperationsBank.with { bank in
            try await callback(bank)
            var phones: [BankPhone] = []
            for _ in 0..<5 { phones.append(try await bank.phone()) }
            let order = try await bank.order(), mine = phones

            let replies = try await crowd(50) { number -> PowerAuthReply in
                var phone = mine[number % 5]
                phone.phone.skip(number / 5)
                return try await phone.authorize(order)
            }

            #expect(replies.count(where: \.isOK) == 1)
            #expect(
                replies.allSatisfy {
                    $0.isOK || $0.isRefused("OPERATION_ALREADY_FINISHED") || $0.code == "POWERAUTH_AUTH_FAIL"
                })
            let types = try await told(bank, order)
            #expect(types == ["operation.created", "operation.approved"])
            let trail = try await bank.trail(order)
            #expect(trail.count { $0 == "operations.approve done" } == 1)
            let failures = try await bank.failures(order)
            #expect(failures == 0)
        }
    }

    @Test("approval, rejection, cancellation and expiry at once: one of them", arguments: 0..<4)
    func ends(round: Int) async throws {
        try await OperationsBank.with { bank in
            try await callback(bank)
            let phones = [try await bank.phone(), try await bank.phone()], order = try await bank.order()
            if round == 3 { bank.time.advance(300) }

            let effects = try await crowd(12) { number -> Int in
                var phone = phones[number % 2]
                switch number % 4 {
                case 0: return try await phone.authorize(order).isOK ? 1 : 0
                case 1: return try await phone.reject(order).isOK ? 1 : 0
                case 2:
                    let refusal = await backOfficeRefusal { try await bank.cancel(order) }
                    return refusal == nil ? 1 : 0
                default: return try await bank.service.expire()
                }
            }

            // The worker passes over what somebody holds: then it is the next pass that writes.
            let late = try await bank.service.expire()
            #expect(effects.reduce(late, +) == 1)
            let types = try await told(bank, order)
            #expect(types.count == 2)
            let status = try await bank.status(order)
            #expect(round == 3 ? status == "EXPIRED" : ["APPROVED", "REJECTED", "CANCELED"].contains(status))
        }
    }

    @Test("two users claim at once: one has it")
    func claims() async throws {
        try await OperationsBank.with { bank in
            let phones = [try await bank.phone("ada"), try await bank.phone("bob")], order = try await bank.order(nil)

            let replies = try await crowd(20) { number in try await phones[number % 2].claim(order) }

            let winners = Set(replies.indices.filter { replies[$0].isOK }.map { $0 % 2 })
            #expect(winners.count == 1)
            #expect(replies.count(where: \.isOK) == 10)
            let user = try await bank.read(order)["userId"]?.string
            #expect(user == (winners == [0] ? "ada" : "bob"))
            let trail = try await bank.trail(order)
            #expect(trail.count { $0 == "operations.claim done" } == 1)
        }
    }

    @Test("thirty wrong tries at once by six phones: as many count as there are, and one of them ends it")
    func wrongTries() async throws {
        try await OperationsBank.with { bank in
            try await callback(bank)
            var phones: [BankPhone] = []
            for _ in 0..<6 { phones.append(try await bank.phone()) }
            let order = try await bank.order(), mine = phones

            let codes = try await crowd(30) { number -> String? in
                var phone = mine[number % 6]
                phone.phone.skip(number / 6)
                return try await phone.authorize(order, data: "A1*wrong").code
            }

            #expect(codes.count { $0 == "OPERATION_FAILED" } == 2)
            let after = try await bank.read(order)
            #expect(after["failureCount"] == 3 && after["status"] == "FAILED")
            let types = try await told(bank, order)
            #expect(
                types == [
                    "operation.created", "operation.attempt_failed", "operation.attempt_failed", "operation.failed",
                ])
        }
    }

    @Test(
        """
        signatures, wrong PINs, offline answers and lists of one phone side by side: nobody waits for ever, and the \
        counter moves in one direction
        """
    )
    func sideBySide() async throws {
        try await OperationsBank.with(connections: 16) { bank in
            let holder = try await bank.phone()
            var orders: [OperationView] = []
            for _ in 0..<8 { orders.append(try await bank.order("ada", "login")) }
            let mine = orders
            let shown = try await bank.service.offlineCode(mine[7].id, registration: holder.id, for: PhoneFixture.bank)
            let nonce = try #require(shown["nonce"])

            let done = try await crowd(24) { number -> Int in
                var phone = holder
                phone.phone.skip(number)
                switch number % 4 {
                case 0: return try await phone.authorize(mine[number % 7]).status
                case 1: return try await phone.reject(mine[number % 7]).status
                case 2:
                    let typed: JSONValue = [
                        "otp": "00000000-00000000", "nonce": nonce, "registrationId": .string(holder.id),
                    ]
                    let refusal = await backOfficeRefusal {
                        _ = try await bank.service.checkOffline(mine[7].id, typed, by: PhoneFixture.bank)
                    }
                    return refusal == nil ? 200 : 400
                default: return try await phone.call(BankPhone.root + "list").status
                }
            }

            #expect(done.count == 24)
            let decided: Int = try await bank.database.value(
                "select count(*) from phone_operation where finished_by is not null")
            let lines: Int = try await bank.database.value(
                """
                select count(*) from audit where action in ('operations.approve', 'operations.reject')
                    and outcome = 'done'
                """
            )
            #expect(decided == lines)
        }
    }
}
