import Base
import Database
import Foundation
import TestSupport
import Testing
import TokenTree

@testable import Operations
@testable import PowerAuth

@Suite("operations: what is decided without a lock before it is written is refused by what came between")
struct DecideAtOnceTests {
    /// What a change that is under way does; each makes the approval another one than when phone and operation were
    /// read.
    enum Change: String, CaseIterable {
        case block, flag, cancel, claim

        var sql: SQL {
            switch self {
            case .block: "update phone_registration set state = 'BLOCKED'"
            case .flag: "update phone_registration set flags = '{}'"
            case .cancel:
                "update phone_operation set status = 'CANCELED', finished_at = created_at, version = version + 1"
            case .claim: "update phone_operation set user_id = 'bob', version = version + 1"
            }
        }

        var code: String {
            switch self {
            case .block: "POWERAUTH_AUTH_FAIL"
            case .flag: "OPERATION_REQUIRES_ACTIVATION_FLAG"
            case .cancel: "OPERATION_ALREADY_CANCELED"
            case .claim: "INVALID_REQUEST"
            }
        }

        var status: String { self == .cancel ? "CANCELED" : "PENDING" }

        var isOfPhone: Bool { self == .block || self == .flag }

        func expectRefused(_ reply: PowerAuthReply, _ order: OperationView, in bank: OperationsBank) async throws {
            #expect(reply.code == code)
            let status = try await bank.status(order), failures = try await bank.failures(order)
            #expect(status == self.status && failures == 0)
            let trail = try await bank.trail(order)
            #expect(!trail.contains("operations.approve done"))
        }
    }

    /// A bank below a node that can be revoked, or below none.
    private func caller(isBound: Bool, _ bank: OperationsBank) async throws -> OperationsCaller {
        guard isBound else { return PhoneFixture.bank }
        let token = try await bank.tree.instance().row
        return .machine(client: "bank", below: token.lineage, actor: AuditActor(name: "client:bank"))
    }

    @Test(
        "an approval that meets a change which is under way waits for it, and is refused by it",
        arguments: Change.allCases, [false, true])
    func changes(change: Change, isBound: Bool) async throws {
        try await OperationsBank.with { bank in
            let phone = try await bank.phone(flags: ["VIP"]), caller = try await caller(isBound: isBound, bank)
            let order = try await bank.order(nil, "payment", ["flag": "VIP"], by: caller)

            let approval = try await bank.database.transaction { transaction in
                _ = try await transaction.execute(change.sql)
                let approval = Task {
                    var phone = phone
                    return try await phone.authorize(order)
                }
                try await bank.until(1, waitFor: transaction)
                return approval
            }
            let reply = try await approval.value

            try await change.expectRefused(reply, order, in: bank)
        }
    }

    @Test("of twenty orders that are signed with one counter at once, one is approved", arguments: [false, true])
    func replays(isBound: Bool) async throws {
        try await OperationsBank.with { bank in
            let phone = try await bank.phone(), caller = try await caller(isBound: isBound, bank)
            var made: [OperationView] = []
            for _ in 0..<20 { made.append(try await bank.order("ada", by: caller)) }
            let orders = made

            let replies = try await crowd(20) { number in
                var phone = phone
                return try await phone.authorize(orders[number])
            }

            #expect(replies.count(where: \.isOK) == 1)
            #expect(replies.allSatisfy { $0.isOK || $0.code == "POWERAUTH_AUTH_FAIL" })
            for (order, reply) in zip(orders, replies) {
                let status = try await bank.status(order), trail = try await bank.trail(order)
                #expect(status == (reply.isOK ? "APPROVED" : "PENDING"))
                #expect(trail.contains("operations.approve done") == reply.isOK)
            }
        }
    }

    @Test("who gives up waiting for the answer to a wrong signature is counted all the same")
    func impatient() async throws {
        try await OperationsBank.with { bank in
            let phone = try await bank.phone(), order = try await bank.order()

            let approval = try await bank.database.transaction { transaction in
                _ = try await transaction.execute("select from phone_registration for update")
                let approval = Task {
                    var phone = phone
                    return try await phone.authorize(order, isWrong: true)
                }
                try await bank.until(1, waitFor: transaction)
                approval.cancel()
                return approval
            }
            let reply = try await approval.value

            #expect(reply.code == "POWERAUTH_AUTH_FAIL")
            let failures = try await bank.failures(order),
                failed = try await bank.fixture.registration(phone.phone).failed
            #expect(failures == 1 && failed == 1)
        }
    }

    @Test("what is rejected under a revoked node was canceled, though nobody has written that")
    func rejection() async throws {
        try await OperationsBank.with { bank in
            var phone = try await bank.phone()
            let caller = try await caller(isBound: true, bank), order = try await bank.order("ada", by: caller)
            let node = try #require(caller.lineage.last)
            _ = try await bank.tree.revocation.revoke(.token(node), by: .server)

            let reply = try await phone.reject(order)

            #expect(reply.isRefused("OPERATION_ALREADY_CANCELED"))
        }
    }

    @Test("each callback is told by an approval what it has chosen, at the time that the operation tells")
    func callbacks() async throws {
        try await OperationsBank.with { bank in
            var phone = try await bank.phone()
            for attributes in [nil, ["data", "signatureType"]] as [[String]?] {
                var body: JSONObject = ["url": "https://bank.example/hook"]
                if let attributes { body["attributes"] = JSONValue(strings: attributes) }
                _ = try await bank.service.addCallback(.object(body), by: PhoneFixture.bank)
            }
            let order = try await bank.order()

            let reply = try await phone.authorize(order)

            #expect(reply.isOK)
            let read = try await bank.read(order)
            let told: [JSONValue] = try await bank.database.query(
                """
                select e.body::json as body from operations_callback_event e
                    join operations_callback c on c.id = e.callback
                where e.type = 'operation.approved' order by c.attributes is null desc
                """
            ).map { try $0("body") }
            let data = told.compactMap { $0["data"]?.object }
            #expect(data.map { $0["operationId"] } == [.string(order.id), .string(order.id)])
            #expect(data.map { $0["signatureType"] } == ["possession_knowledge", "possession_knowledge"])
            #expect(data.first?["timestampFinalized"] == read["timestampFinalized"])
            #expect(data.first?.names.contains("data") == false && data.last?["data"] == .string(order.operation.data))
            #expect(data.last?.names.contains("timestampFinalized") == false)
        }
    }
}
