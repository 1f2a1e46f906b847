import Base
import Foundation
import TestSupport
import Testing

@testable import Operations

@Suite("operations.md 2.1: the life of an operation")
struct OperationStateTests {
    /// How an operation ends, and what the phone hears of it from then on.
    enum End: String, CaseIterable, Sendable {
        case approved = "APPROVED", rejected = "REJECTED", canceled = "CANCELED", expired = "EXPIRED", failed = "FAILED"

        var code: String {
            switch self {
            case .approved, .rejected: "OPERATION_ALREADY_FINISHED"
            case .canceled: "OPERATION_ALREADY_CANCELED"
            case .expired: "OPERATION_EXPIRED"
            case .failed: "OPERATION_ALREADY_FAILED"
            }
        }
    }

    private func end(_ bank: OperationsBank, _ phone: inout BankPhone, _ end: End, _ order: OperationView) async throws
    {
        switch end {
        case .approved:
            let reply = try await phone.authorize(order)
            try #require(reply.isOK)
        case .rejected:
            let reply = try await phone.reject(order)
            try #require(reply.isOK)
        case .canceled: try await bank.cancel(order)
        case .expired: bank.time.advance(301)
        case .failed: for _ in 0..<3 { _ = try await phone.authorize(order, data: "A1*wrong") }
        }
    }

    @Test(
        "a final state stays, and everything that is wanted of it is refused with its own code", arguments: End.allCases
    )
    func finalStates(how: End) async throws {
        try await OperationsBank.with { bank in
            var phone = try await bank.phone()
            let order = try await bank.order()
            try await end(bank, &phone, how, order)

            let replies = [
                try await phone.authorize(order), try await phone.reject(order), try await phone.detail(order),
                try await phone.claim(order),
            ]
            let canceled = await backOfficeRefusal { try await bank.cancel(order) }

            for reply in replies { #expect(reply.isRefused(how.code), "\(reply.json.text)") }
            #expect(canceled == "ERROR_OPERATION_STATE_CHANGE")
            let after = try await bank.status(order)
            #expect(after == how.rawValue)
            let listed = try await phone.listed()
            #expect(listed.isEmpty)
        }
    }

    @Test("approval: who finished it how, what the app told, and one line each for beginning and end")
    func approval() async throws {
        try await OperationsBank.with { bank in
            var phone = try await bank.phone()
            let order = try await bank.order()
            #expect(order.json["status"] == "PENDING")
            #expect(order.json["registrationId"] == nil)

            let reply = try await phone.authorize(
                order, .possessionBiometry, more: ["mobileTokenData": ["ip": "10.0.0.1", "nested": ["a": [1, 2]]]])

            #expect(reply.json == ["status": "OK"])
            let after = try await bank.read(order)
            #expect(after["status"] == "APPROVED")
            #expect(after["registrationId"]?.string == phone.id)
            #expect(after["signatureType"] == "possession_biometry")
            #expect(after["mobileTokenData"] == ["ip": "10.0.0.1", "nested": ["a": [1, 2]]])
            #expect(after["timestampFinalized"]?.integer == bank.time.now.milliseconds)
            let trail = try await bank.trail(order)
            #expect(trail == ["operations.begin done", "operations.approve done"])
        }
    }

    @Test(
        "rejection keeps the reason as it came; one that is longer than 256 characters is refused and changes nothing")
    func rejection() async throws {
        try await OperationsBank.with { bank in
            var phone = try await bank.phone()
            let order = try await bank.order(), other = try await bank.order()

            let long = try await phone.reject(order, reason: String(repeating: "x", count: 257))
            let right = try await phone.reject(order, reason: "The dog ate it ščř")
            let limit = try await phone.reject(other, reason: String(repeating: "š", count: 256))

            #expect(long.isRefused("INVALID_REQUEST"))
            #expect(right.isOK && limit.isOK)
            let after = try await bank.read(order)
            #expect(after["status"] == "REJECTED")
            #expect(after["rejectReason"] == "The dog ate it ščř")
        }
    }

    @Test("cancellation keeps its reason, which history shows; a longer one than apps read is refused")
    func cancellation() async throws {
        try await OperationsBank.with { bank in
            var phone = try await bank.phone()
            let order = try await bank.order()
            let long = await backOfficeRefusal { try await bank.cancel(order, String(repeating: "x", count: 33)) }
            let control = await backOfficeRefusal { try await bank.cancel(order, "a\u{7}") }

            try await bank.cancel(order, "changed_mind")

            #expect([long, control] == ["ERROR_REQUEST", "ERROR_REQUEST"])
            let shown = try await phone.history().object?.array?.first
            #expect(shown?["status"] == "CANCELED")
            #expect(shown?["statusReason"] == "changed_mind")
        }
    }

    @Test("expiry is read at its very second and written by the worker alone, once")
    func expiry() async throws {
        try await OperationsBank.with { bank in
            let phone = try await bank.phone(), order = try await bank.order()
            bank.time.advance(299)
            let before = try await bank.status(order)
            bank.time.advance(1)

            let after = try await bank.status(order)
            let unwritten: String = try await bank.database.value("select status from phone_operation")
            let listed = try await phone.listed()
            let count = try await bank.service.expire(), again = try await bank.service.expire()

            #expect(before == "PENDING")
            #expect(after == "EXPIRED")
            #expect(unwritten == "PENDING")
            #expect(listed.isEmpty)
            #expect(count == 1 && again == 0)
            let written: String = try await bank.database.value("select status from phone_operation")
            #expect(written == "EXPIRED")
            let trail = try await bank.trail(order)
            #expect(trail == ["operations.begin done", "operations.expire done"])
        }
    }

    @Test("an operation of nobody: reached by id, claimed by the first, approved or rejected by that one alone")
    func claiming() async throws {
        try await OperationsBank.with { bank in
            var ada = try await bank.phone("ada"), bob = try await bank.phone("bob")
            let order = try await bank.order(nil)
            let unclaimed = try await bank.read(order)
            #expect(unclaimed["userId"] == nil)
            let unlisted = try await ada.listed()
            #expect(unlisted.isEmpty)

            let seen = try await bob.detail(order), early = try await bob.reject(order)
            let claimed = try await ada.claim(order), again = try await ada.claim(order),
                late = try await bob.claim(order), peek = try await bob.detail(order)

            #expect(seen.isOK && claimed.isOK && again.isOK)
            for reply in [early, late, peek] { #expect(reply.isRefused("INVALID_REQUEST")) }
            let listed = try await ada.listed()
            #expect(listed == [order.id])
            let approved = try await ada.authorize(order)
            #expect(approved.isOK)
            let trail = try await bank.trail(order)
            #expect(
                trail == [
                    "operations.begin done", "operations.reject refused operation_of_other_user",
                    "operations.claim done",
                    "operations.claim refused operation_of_other_user", "operations.approve done",
                ])
        }
    }

    @Test("refused claims, for which a token does, fill no trail: one line a minute for each phone and step")
    func refusedClaims() async throws {
        try await OperationsBank.with { bank in
            let bob = try await bank.phone("bob"), carol = try await bank.phone("carol"),
                order = try await bank.order("ada")
            func lines() async throws -> Int {
                try await bank.trail(order).count { $0 == "operations.claim refused operation_of_other_user" }
            }

            for _ in 0..<5 { _ = try await bob.claim(order) }
            let first = try await lines()
            let other = try await carol.claim(order), second = try await lines()
            bank.time.advance(60)
            let later = try await bob.claim(order), third = try await lines()

            #expect(first == 1 && second == 2 && third == 3)
            #expect(other.isRefused("INVALID_REQUEST") && later.isRefused("INVALID_REQUEST"))
        }
    }

    @Test("approving what nobody has claimed assigns it")
    func assigning() async throws {
        try await OperationsBank.with { bank in
            var phone = try await bank.phone()
            let order = try await bank.order(nil)

            let reply = try await phone.authorize(order)

            #expect(reply.isOK)
            let after = try await bank.read(order)
            #expect(after["userId"] == "ada")
        }
    }

    @Test(
        """
        the list has pending ones only, newest first, a hundred at most; history has every status and needs two \
        factors
        """
    )
    func listing() async throws {
        try await OperationsBank.with { bank in
            var phone = try await bank.phone()
            var orders: [OperationView] = []
            for _ in 0..<102 { orders.append(try await bank.order("ada", "login")) }
            let rejected = try await phone.reject(orders[101])
            try #require(rejected.isOK)

            let listed = try await phone.listed(), history = try await phone.history(),
                refused = try await phone.history(.possession)

            #expect(listed == orders[1...100].reversed().map(\.id))
            #expect(history.object?.array?.compactMap { $0["id"]?.string } == orders[2...101].reversed().map(\.id))
            #expect(history.object?.array?.first?["status"] == "REJECTED")
            #expect(history.json["currentTimestamp"] == nil)
            #expect(refused.status == 401 && refused.code == "POWERAUTH_AUTH_FAIL")
        }
    }

    @Test("a wait ends when the phone has decided, and gives what the back office reads")
    func waiting() async throws {
        try await OperationsBank.with { bank in
            let phone = try await bank.phone(), order = try await bank.order()
            async let waited = bank.service.operation(order.id, for: PhoneFixture.bank, unlike: order.etag, within: 600)
            var mine = phone
            let reply = try await mine.authorize(order)

            let view = try await waited

            #expect(reply.isOK)
            #expect(view.json["status"] == "APPROVED")
            #expect(view.isFinal && view.etag != order.etag)
        }
    }
}
