import Base
import Database
import Foundation
import TestSupport
import Testing
import TokenTree

@testable import Operations
@testable import PowerAuth

@Suite("operations: what is decided together, by one commit")
struct DecideTogetherTests {
    private struct Asked: Sendable {
        let phone: BankPhone
        let order: OperationView

        func approve() async throws -> (reply: PowerAuthReply, phone: BankPhone) {
            var phone = phone
            return (try await phone.authorize(order), phone)
        }
    }

    private func ask(_ user: String, _ bank: OperationsBank) async throws -> Asked {
        Asked(phone: try await bank.phone(user), order: try await bank.order(user))
    }

    @Test("phones that approve at once have each what is its own; of two requests with one counter one has it")
    func together() async throws {
        try await OperationsBank.with { bank in
            var asked: [Asked] = []
            for number in 0..<40 {
                let one = try await ask("user-\(number)", bank)
                asked.append(one)
                guard number.isMultiple(of: 4) else { continue }
                asked.append(Asked(phone: one.phone, order: try await bank.order("user-\(number)")))
            }
            let all = asked

            let done = try await crowd(all.count) { try await all[$0].approve() }

            var approved: [String: Int] = [:], after: [String: BankPhone] = [:]
            for (one, done) in zip(all, done) {
                let read = try await bank.read(one.order), trail = try await bank.trail(one.order)
                after[one.phone.id] = done.phone
                if done.reply.isOK {
                    approved[one.phone.id, default: 0] += 1
                    #expect(read["status"] == "APPROVED" && read["registrationId"] == .string(one.phone.id))
                    #expect(trail == ["operations.begin done", "operations.approve done"])
                } else {
                    #expect(done.reply.code == "POWERAUTH_AUTH_FAIL" && read["status"] == "PENDING")
                    #expect(trail == ["operations.begin done"])
                }
            }
            #expect(approved.count == 40 && approved.values.allSatisfy { $0 == 1 })
            for var phone in after.values {
                let reply = try await phone.history()
                #expect(reply.isOK)
            }
        }
    }

    // MARK: What changes between reading and writing

    /// Approves; when everything was read, and waits for what others are writing, does `change`.
    private func approve(
        _ asked: Asked, _ bank: OperationsBank, meanwhile change: () async throws -> Void
    ) async throws -> PowerAuthReply {
        let lock = Int.random(in: 1...Int.max)
        let ahead = [try await ask("ahead-0", bank), try await ask("ahead-1", bank)]
        // No patience there: who is ahead stands still for as long as it takes.
        try await bank.database.execute(
            """
            create function stand_still() returns trigger language plpgsql set lock_timeout = 0 as $$ begin
                perform pg_advisory_xact_lock_shared(\(raw: "\(lock)"));
                return new;
            end $$
            """)
        try await bank.database.execute(
            """
            create trigger stand_still before update on phone_operation for each row
                when (new.user_id like 'ahead-%') execute function stand_still()
            """)
        let (approval, others) = try await bank.database.transaction { transaction in
            try await transaction.execute("select pg_advisory_xact_lock(\(lock))")
            var others: [Task<PowerAuthReply, any Error>] = []
            // One after the other, so that each has a commit of its own, and there is no third.
            for one in ahead {
                others.append(Task { try await one.approve().reply })
                try await bank.until(others.count, waitFor: transaction)
            }
            let approval = Task { try await asked.approve().reply }
            let waiting = bank.service.phones.atOnce.together
            for _ in 0..<6_000 where waiting.count == 0 { try await Task.sleep(for: .milliseconds(5)) }
            #expect(waiting.count == 1)
            try await change()
            return (approval, others)
        }
        for other in others {
            let reply = try await other.value
            #expect(reply.isOK)
        }
        return try await approval.value
    }

    @Test(
        "an approval that was read, and waits for others to be written, is refused by what changed meanwhile",
        arguments: DecideAtOnceTests.Change.allCases)
    func changes(change: DecideAtOnceTests.Change) async throws {
        try await OperationsBank.with { bank in
            let asked = Asked(
                phone: try await bank.phone(flags: ["VIP"]),
                order: try await bank.order(nil, "payment", ["flag": "VIP"]))
            let row = change.isOfPhone ? asked.phone.id : asked.order.id

            let reply = try await approve(asked, bank) {
                try await bank.database.execute("\(change.sql) where id = \(row)")
            }

            try await change.expectRefused(reply, asked.order, in: bank)
        }
    }

    @Test("a callback that was added meanwhile is told too")
    func callback() async throws {
        try await OperationsBank.with { bank in
            let asked = try await ask("ada", bank), hook: JSONValue = ["url": "https://bank.example/hook"]
            _ = try await bank.service.addCallback(hook, by: PhoneFixture.bank)

            let reply = try await approve(asked, bank) {
                _ = try await bank.service.addCallback(hook, by: PhoneFixture.bank)
            }

            #expect(reply.isOK)
            let told = try await bank.told(asked.order)
            #expect(told == 2)
        }
    }

    // MARK: Patience

    /// What another transaction holds that tells the callback has to wait for.
    enum Held: String, CaseIterable {
        case callback, events

        var sql: SQL {
            switch self {
            case .callback: "select from operations_callback for update"
            // Not to be passed over, as a row is.
            case .events: "lock table operations_callback_event in share row exclusive mode"
            }
        }
    }

    @Test(
        "who waits for a callback that is held keeps no other service waiting, and tells it when that is over",
        arguments: Held.allCases)
    func heldCallback(held: Held) async throws {
        try await OperationsBank.with(connections: 12) { bank in
            let other = try await bank.another()
            _ = try await bank.service.addCallback(
                ["url": "https://stranger.example/hook"], by: PhoneFixture.stranger)
            var theirs: [Asked] = [], ours: [Asked] = []
            for number in 0..<4 {
                let started = try await other.fixture.start(
                    "user-\(number)", phase: .onKeyExchange, by: PhoneFixture.stranger)
                let order = try await bank.order("user-\(number)", by: PhoneFixture.stranger)
                theirs.append(Asked(phone: try await other.phone(started), order: order))
            }
            for number in 0..<20 { ours.append(try await ask("user-\(number)", bank)) }
            let free = ours

            let waiting = try await bank.database.transaction { transaction in
                _ = try await transaction.execute(held.sql)
                let waiting = theirs.map { one in Task { try await one.approve().reply } }
                let replies = try await crowd(20) { try await free[$0].approve().reply }
                #expect(replies.count(where: \.isOK) == 20)
                return waiting
            }

            for (one, asked) in zip(waiting, theirs) {
                let reply = try await one.value, told = try await bank.told(asked.order)
                #expect(reply.isOK && told == 1)
            }
        }
    }
}

extension OperationsBank {
    /// Until so many wait for what this transaction holds.
    func until(_ count: Int, waitFor transaction: Transaction) async throws {
        let holder: Int = try await transaction.value("select pg_backend_pid()")
        for _ in 0..<6_000 {
            let waiting: Int = try await database.value(
                """
                select count(distinct l.pid) from pg_locks l
                where not l.granted and \(holder) = any (pg_blocking_pids(l.pid))
                """)
            if waiting >= count { return }
            try await Task.sleep(for: .milliseconds(5))
        }
        Issue.record("nobody waited")
    }

    /// How many callbacks are told that it was approved.
    fileprivate func told(_ order: OperationView) async throws -> Int {
        try await database.value(
            """
            select count(*) from operations_callback_event where type = 'operation.approved'
                and subject = \(order.id)
            """)
    }

    /// That of another service at the same server, with the template of payments.
    fileprivate func another() async throws -> OperationsBank {
        let made = try await fixture.service.addApplication(
            try ApplicationDraft(appID: "other-app", name: "Other"), by: PhoneFixture.stranger)
        _ = try await service.addTemplate(Samples.payment, by: PhoneFixture.stranger)
        let fixture = PhoneFixture(
            tree: tree, service: fixture.service, sdkConfig: try #require(made.application.sdkConfig))
        return OperationsBank(fixture: fixture, service: service)
    }
}
