import Base
import Database
import Foundation
import TestSupport
import Testing
import TokenTree

@testable import Operations

@Suite("Operations: what operators do, and a new master key")
struct OperationsOperatorTests {
    private static let admin = AuditActor(name: "admin:root", reason: "lost")

    private static func fixture(_ bank: OperationsBank) -> OperationsOperator {
        OperationsOperator(bank.fixture.service, bank.service, bank.tree.revocation, actor: admin)
    }

    private static func chosen(
        _ change: (inout OperationsOperator.WhichRegistrations) -> Void
    ) -> OperationsOperator.WhichRegistrations {
        var which = OperationsOperator.WhichRegistrations()
        change(&which)
        return which
    }

    @Test(
        """
        everybody's registrations are listed newest first, by page, by owner, user and application, and those that \
        are blocked
        """
    )
    func registrations() async throws {
        try await OperationsBank.with { bank in
            let fixture = Self.fixture(bank), ada = try await bank.phone().id
            bank.time.advance(1)
            let bob = try await bank.phone("bob").id
            bank.time.advance(1)
            let server = try await bank.fixture.start(by: .identityProvider(Self.admin)).registration.id
            _ = try await bank.database.atomically { try await fixture.block(bob, reason: "OPERATOR", in: $0) }
            func ids(
                _ change: (inout OperationsOperator.WhichRegistrations) -> Void = { _ in }, after: String? = nil,
                limit: Int = 10
            ) async throws -> [String] {
                try await fixture.registrations(Self.chosen(change), after: after, limit: limit, in: bank.database).map(
                    \.id)
            }

            let all = try await ids(), first = try await ids(limit: 1), rest = try await ids(after: server)
            let own = try await ids { $0.owner = "house" }, bobs = try await ids { $0.userID = "bob" },
                ofApp = try await ids { $0.appID = "bank-app" }
            let blocked = try await ids { $0.isBlocked = true }

            #expect(all == [server, bob, ada] && first == [server] && rest == [bob, ada])
            #expect(own == [server] && bobs == [bob] && ofApp == [bob, ada] && blocked == [bob])
        }
    }

    @Test(
        """
        a phone is blocked, unblocked and removed; a thing said twice is already done, and each is in the trail with \
        its reason
        """
    )
    func changes() async throws {
        try await OperationsBank.with { bank in
            let fixture = Self.fixture(bank)
            var phone = try await bank.phone()
            let id = phone.id

            let blocked = try await bank.database.atomically { try await fixture.block(id, reason: "OPERATOR", in: $0) }
            let twice = try await bank.database.atomically { try await fixture.block(id, reason: "OPERATOR", in: $0) }
            let refused = try await phone.phone.validate()
            let unblocked = try await bank.database.atomically { try await fixture.unblock(id, in: $0) }
            let again = try await bank.database.atomically { try await fixture.unblock(id, in: $0) }
            let accepted = try await phone.phone.validate()
            let removed = try await bank.database.atomically { try await fixture.remove(id, in: $0) }
            let gone = try await bank.database.atomically { try await fixture.remove(id, in: $0) }

            #expect(blocked.became.state == .blocked && !blocked.already && twice.already && refused.isUnauthenticated)
            #expect(unblocked.became.state == .active && !unblocked.already && again.already && accepted.isOK)
            #expect(removed.became.state == .removed && !removed.already && gone.already)
            #expect(
                [blocked.browsers, twice.browsers, removed.browsers, gone.browsers] == [nil, nil, nil, nil],
                "no account logs in with it")
            #expect(
                blocked.became.operatorJSON["blocked_reason"] == "OPERATOR"
                    && !unblocked.became.operatorJSON.names.contains("blocked_reason"))
            let trail: Int = try await bank.database.value(
                """
                select count(*) from audit where node = \("registration:" + id) and actor = 'admin:root'
                    and reason = 'lost' and action like 'operations.registration.%'
                """)
            #expect(trail == 6)
        }
    }

    @Test("what does not exist is not found, and what nobody has activated cannot be blocked")
    func refusals() async throws {
        try await OperationsBank.with { bank in
            let fixture = Self.fixture(bank), unused = try await bank.fixture.start().registration.id

            let unknown = await backOfficeRefusal { _ = try await fixture.registration("none", in: bank.database) }
            let operation = await backOfficeRefusal {
                _ = try await bank.database.atomically { try await fixture.cancel("none", reason: nil, in: $0) }
            }
            let early = await backOfficeRefusal {
                _ = try await bank.database.atomically { try await fixture.block(unused, reason: "OPERATOR", in: $0) }
            }

            #expect(
                unknown == "ERROR_REGISTRATION_NOT_FOUND" && operation == "ERROR_OPERATION_NOT_FOUND"
                    && early == "ERROR_REGISTRATION_CHANGE")
        }
    }

    @Test("operations are listed by user, state and external id, by page; what they are about is not told")
    func operations() async throws {
        try await OperationsBank.with { bank in
            let fixture = Self.fixture(bank), first = try await bank.order()
            let second = try await bank.order("bob", "payment", parameters: Samples.details, ["externalId": "E-1"])
            try await bank.cancel(first)
            func ids(
                _ change: (inout OperationsOperator.WhichOperations) -> Void = { _ in }, after: String? = nil
            ) async throws -> [String] {
                var which = OperationsOperator.WhichOperations()
                change(&which)
                return try await fixture.operations(which, after: after, limit: 10, in: bank.database).map(\.id)
            }

            let all = try await ids(), rest = try await ids(after: second.id),
                bobs = try await ids { $0.userID = "bob" }
            let canceled = try await ids { $0.status = .canceled }, pending = try await ids { $0.status = .pending }
            let external = try await ids { $0.externalID = "E-1" }, others = try await ids { $0.owner = "house" }

            #expect(all == [second.id, first.id] && rest == [first.id] && bobs == [second.id])
            #expect(canceled == [first.id] && pending == [second.id] && external == [second.id] && others.isEmpty)
            let told = JSONValue.object(try await fixture.operation(second.id, in: bank.database).operatorJSON).text
            #expect(told.contains("E-1") && !told.contains("CZ27") && !told.contains("100.50"))
        }
    }

    @Test("what nobody has yet is listed apart; how a phone proved its nearness, and the URI id, are told")
    func unclaimed() async throws {
        try await OperationsBank.with { bank in
            let fixture = Self.fixture(bank), open = try await bank.order(nil)
            let near = try await bank.order(
                "ada", "near", ["offlineUriId": "/shop", "customProperties": ["x": "secret"]])
            var phone = try await bank.phone(), which = OperationsOperator.WhichOperations()
            which.isUnclaimed = true

            let before = try await fixture.operations(which, limit: 10, in: bank.database).map(\.id)
            _ = try await phone.claim(open)
            _ = try await phone.authorize(near, otp: near.json["proximityOtp"])
            let after = try await fixture.operations(which, limit: 10, in: bank.database).map(\.id)

            let told = try await fixture.operation(near.id, in: bank.database).operatorJSON
            #expect(before == [open.id] && after.isEmpty)
            #expect(told["proximity"] == "QR_CODE" && told["offline_uri"] == "/shop")
            #expect(!JSONValue.object(told).text.contains("secret"))
        }
    }

    @Test("an operation is canceled once; undone with its transaction, and refused when it was decided")
    func cancelling() async throws {
        try await OperationsBank.with { bank in
            let fixture = Self.fixture(bank), order = try await bank.order(), other = try await bank.order()
            var phone = try await bank.phone()
            _ = try await phone.authorize(other)

            _ = try await bank.database.rollingBack { try await fixture.cancel(order.id, reason: nil, in: $0) }
            let untouched = try await bank.status(order)
            let done = try await bank.database.atomically {
                try await fixture.cancel(order.id, reason: "mistake", in: $0)
            }
            let again = try await bank.database.atomically {
                try await fixture.cancel(order.id, reason: "other", in: $0)
            }
            let decided = await backOfficeRefusal {
                _ = try await bank.database.atomically { try await fixture.cancel(other.id, reason: nil, in: $0) }
            }

            #expect(untouched == "PENDING" && decided == "ERROR_OPERATION_STATE_CHANGE")
            #expect(done.became.status == .canceled && done.became.statusReason == "mistake" && !done.already)
            #expect(again.already && again.became.statusReason == "mistake")
        }
    }

    @Test(
        """
        a new master key seals all of the room; codes of the server that no phone took are over, and a key that \
        sealed nothing here changes nothing
        """
    )
    func resealing() async throws {
        try await OperationsBank.with { bank in
            let phone = try await bank.phone(), successor = try PhoneFixture.key(2), clock = bank.time.clock
            let waiting = try await bank.fixture.start(by: .identityProvider(Self.admin)).registration.id,
                banks = try await bank.fixture.start().registration.id
            let stranger = OperationsSecrets(master: try PhoneFixture.key(3), clock: clock),
                own = OperationsSecrets(master: try PhoneFixture.key(1), clock: clock)
            await #expect(throws: ForeignSeal.self) {
                try await bank.database.atomically { try await stranger.reseal(under: successor, in: $0) }
            }
            let untouched = try await bank.fixture.service.registration(waiting, for: PhoneFixture.operators).state

            let count = try await bank.database.atomically { try await own.reseal(under: successor, in: $0) }

            let again = try await bank.database.atomically { try await own.reseal(under: successor, in: $0) }
            let moved = bank.fixture.another(master: successor),
                over = try await moved.service.registration(waiting, for: PhoneFixture.operators).state
            let kept = try await moved.service.registration(banks, for: PhoneFixture.operators).state
            var signing = phone.phone
            let body = Array("{}".utf8), header = signing.text(try signing.sign("/pa/signature/validate", body))
            let reply = try await moved.post("/pa/v3/signature/validate", header, body)
            #expect(untouched == .created && count > 0 && again == 0)
            #expect(over == .removed && kept == .created && reply.isOK)
        }
    }
}
