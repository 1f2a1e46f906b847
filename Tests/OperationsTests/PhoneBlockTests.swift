import Base
import Database
import Foundation
import PowerAuth
import Synchronization
import TestSupport
import Testing

@testable import Operations

@Suite("backoffice.md: blocks that end by themselves")
struct PhoneBlockTests {
    private func choose(_ fixture: PhoneFixture, _ minutes: [Int]) async throws {
        let json: JSONValue = ["blockMinutes": .array(minutes.map { .integer($0) })]
        _ = try await fixture.service.setBlocks(json, of: "bank-app", by: PhoneFixture.bank)
    }

    private func guess(_ phone: inout PowerAuthPhone, times: Int = 5) async throws {
        for _ in 0..<times { _ = try await phone.validate(isWrong: true) }
    }

    private func read(_ phone: PowerAuthPhone, _ fixture: PhoneFixture) async throws -> JSONValue {
        try await fixture.service.registration(phone.activationID, for: PhoneFixture.bank).json
    }

    private func trail(_ fixture: PhoneFixture, _ id: String) async throws -> [String] {
        try await fixture.database.query(
            """
            select action || ' ' || outcome as line from audit where node = \(OperationsAudit.node(id))
                and action like 'operations.registration.%block' order by id
            """
        ).map { try $0("line") as String }
    }

    @Test("blocked for a minute, then for five, then for good; between them the phone is active with all attempts")
    func ladder() async throws {
        try await PhoneFixture.with { fixture in
            try await choose(fixture, [1, 5])
            var phone = try await fixture.activated(), seen: [String] = []
            for minutes in [1, 5] {
                try await guess(&phone)
                let blocked = try await read(phone, fixture), blob = try await phone.status()
                let until = fixture.time.now.addingTimeInterval(TimeInterval(minutes * 60))
                #expect(blocked["registrationStatus"] == "BLOCKED" && blob?.state == .blocked)
                #expect(blocked["timestampBlockedUntil"]?.integer == until.milliseconds)
                #expect(blocked["blockedReason"] == "MAX_FAILED_ATTEMPTS")

                fixture.time.advance(TimeInterval(minutes * 60) - 1)
                let early = try await phone.validate()
                #expect(early.isUnauthenticated)

                fixture.time.advance(1)
                let after = try await read(phone, fixture), active = try await phone.status()
                seen.append(after["registrationStatus"]?.string ?? "")
                #expect(after["failedAttempts"] == 0 && after["timestampBlockedUntil"] == nil)
                #expect(after["blockedReason"] == nil || after["registrationStatus"] == "ACTIVE")
                #expect(active?.state == .active && active?.failed == 0)
            }
            try await guess(&phone)
            fixture.time.advance(86_400 * 365)
            let final = try await read(phone, fixture), refused = try await phone.validate()

            #expect(seen == ["ACTIVE", "ACTIVE"])
            #expect(final["registrationStatus"] == "BLOCKED" && final["timestampBlockedUntil"] == nil)
            #expect(refused.isUnauthenticated)
        }
    }

    @Test("what a server of the version before blocks has no end, and what it unblocks or removes is so")
    func before() async throws {
        try await PhoneFixture.with { fixture in
            try await choose(fixture, [1, 1, 1])
            var seen: [String] = []
            let changes: [SQL] = [
                "state = 'BLOCKED', blocked_reason = 'LOST'", "state = 'ACTIVE', failed = 0, blocked_reason = null",
                "state = 'REMOVED', removed_at = now(), code_hash = null",
            ]
            for change in changes {
                var phone = try await fixture.activated()
                try await guess(&phone)
                _ = try await fixture.database.execute(
                    "update phone_registration set \(change) where id = \(phone.activationID)")
                fixture.time.advance(86_400)
                seen.append(try await read(phone, fixture)["registrationStatus"]?.string ?? "")
            }

            #expect(seen == ["BLOCKED", "ACTIVE", "REMOVED"])
        }
    }

    @Test("a right PIN begins the steps anew, a right possession alone does not")
    func anew() async throws {
        try await PhoneFixture.with { fixture in
            try await choose(fixture, [1])
            var phone = try await fixture.activated()
            try await guess(&phone)
            fixture.time.advance(60)
            let right = try await phone.validate()
            try await guess(&phone)
            let again = try await read(phone, fixture)
            fixture.time.advance(60)
            let possession = try await phone.validate(.possession)
            try await guess(&phone)
            let final = try await read(phone, fixture)

            #expect(right.isOK && possession.isOK)
            #expect(again["timestampBlockedUntil"] != nil && final["registrationStatus"] == "BLOCKED")
            #expect(final["timestampBlockedUntil"] == nil)
        }
    }

    @Test("reading writes nothing; the end is told and in the trail once, by the phone's next signature or a worker")
    func told() async throws {
        let events = Mutex<[String]>([])
        let listening = RegistrationEvents { event, _ in
            events.withLock { $0.append("\(event.kind.rawValue) \(event.registration.state.rawValue)") }
        }
        try await PhoneFixture.with(events: listening) { fixture in
            try await choose(fixture, [1, 1])
            var phone = try await fixture.activated()
            events.withLock { $0 = [] }
            func stored() async throws -> String {
                try await fixture.database.value(
                    "select state from phone_registration where id = \(phone.activationID)")
            }
            let ends = BlockEnds(
                registrations: fixture.service.parts.registrations, events: listening, clock: fixture.time.clock)

            try await guess(&phone)
            let early = try await ends(in: fixture.database)
            fixture.time.advance(60)
            _ = try await read(phone, fixture)
            _ = try await phone.status()
            let unread = try await stored()
            let valid = try await phone.validate()
            let bySignature = try await stored()
            try await guess(&phone)
            fixture.time.advance(60)
            let counts = try await crowd(4) { _ in try await ends(in: fixture.database) }
            let byWorker = try await stored()

            #expect(early == 0 && unread == "BLOCKED" && valid.isOK && bySignature == "ACTIVE" && byWorker == "ACTIVE")
            #expect(counts.reduce(0, +) == 1)
            let told = events.withLock { $0 }.filter { !$0.hasPrefix("registration.failed") }
            let round = ["registration.blocked BLOCKED", "registration.unblocked ACTIVE"]
            #expect(told == round + round)
            let lines = try await trail(fixture, phone.activationID)
            let two = ["operations.registration.block attempts", "operations.registration.unblock expired"]
            #expect(lines == two + two)
        }
    }

    @Test("an operator ends it at once, and one of an operator's has no end")
    func operators() async throws {
        try await PhoneFixture.with { fixture in
            try await choose(fixture, [30])
            var phone = try await fixture.activated()
            func change(_ change: RegistrationChange) async throws -> JSONValue {
                try await fixture.service.change(phone.activationID, change, by: PhoneFixture.bank).json
            }
            try await guess(&phone)
            let unblocked = try await change(.unblock), valid = try await phone.validate()
            try await guess(&phone)
            let lasting = try await change(.block(reason: "LOST"))
            fixture.time.advance(3_600)
            let refused = try await phone.validate()

            #expect(unblocked["registrationStatus"] == "ACTIVE" && valid.isOK)
            #expect(lasting["timestampBlockedUntil"] == nil && lasting["blockedReason"] == "LOST")
            #expect(refused.isUnauthenticated)
        }
    }

    @Test("without a choice a block is for good; what is no choice is refused")
    func choices() async throws {
        try await PhoneFixture.with { fixture in
            var phone = try await fixture.activated()
            try await guess(&phone)
            fixture.time.advance(86_400 * 365)
            let refused = try await phone.validate()
            let bad: [JSONValue] = [
                [:], ["blockMinutes": 5], ["blockMinutes": [0]], ["blockMinutes": [43_201]],
                ["blockMinutes": ["1"]], ["blockMinutes": .array(Array(repeating: 1, count: 21))],
            ]
            for json in bad {
                let code = await backOfficeRefusal {
                    _ = try await fixture.service.setBlocks(json, of: "bank-app", by: PhoneFixture.bank)
                }
                #expect(code == "ERROR_REQUEST", "\(json.text)")
            }
            let chosen = try await fixture.service.setBlocks(
                ["blockMinutes": [1, 2]], of: "bank-app", by: PhoneFixture.bank)

            #expect(refused.isUnauthenticated && chosen.json["blockMinutes"] == [1, 2])
        }
    }
}
