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
    }

    /// A bank below a node that can be revoked, or below none.
    private func caller(isBound: Bool, _ bank: OperationsBank) async throws -> OperationsCaller {
        guard isBound else { return PhoneFixture.bank }
        let token = try await bank.tree.instance().row
        return .machine(client: "bank", below: token.lineage, actor: AuditActor(name: "client:bank"))
    }

    private func untilSomebodyWaits(_ bank: OperationsBank) async throws {
        for _ in 0..<6_000 {
            let count: Int = try await bank.database.value(
                "select count(*) from pg_locks where not granted and locktype in ('transactionid', 'tuple')")
            if count > 0 { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("nobody waited for a row")
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
                try await untilSomebodyWaits(bank)
                return approval
            }
            let reply = try await approval.value

            #expect(reply.code == change.code)
            let status = try await bank.status(order), failures = try await bank.failures(order)
            #expect(status == change.status && failures == 0)
            let trail = try await bank.trail(order)
            #expect(!trail.contains("operations.approve done"))
        }
    }

    @Test("of twenty requests that are signed with one counter at once, one is right", arguments: [false, true])
    func replays(isBound: Bool) async throws {
        try await OperationsBank.with { bank in
            let phone = try await bank.phone()
            let order = try await bank.order("ada", by: try await caller(isBound: isBound, bank))

            let replies = try await crowd(20) { _ in
                var phone = phone
                return try await phone.authorize(order)
            }

            #expect(replies.count(where: \.isOK) == 1)
            #expect(replies.allSatisfy { $0.isOK || $0.code == "POWERAUTH_AUTH_FAIL" })
            let trail = try await bank.trail(order)
            #expect(trail.count { $0 == "operations.approve done" } == 1)
        }
    }

    @Test("forty phones that approve at once, each what is its own: each has it, and goes on signing")
    func together() async throws {
        try await OperationsBank.with { bank in
            var asked: [(phone: BankPhone, order: OperationView)] = []
            for number in 0..<40 {
                asked.append((try await bank.phone("user-\(number)"), try await bank.order("user-\(number)")))
            }
            let all = asked

            let replies = try await crowd(40) { number in
                var phone = all[number].phone
                let first = try await phone.authorize(all[number].order)
                return [first, try await phone.history()]
            }

            #expect(replies.allSatisfy { $0.allSatisfy(\.isOK) })
            for (phone, order) in all {
                let read = try await bank.read(order), trail = try await bank.trail(order)
                #expect(read["status"] == "APPROVED" && read["registrationId"] == .string(phone.id))
                #expect(trail == ["operations.begin done", "operations.approve done"])
            }
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
